/** Datasets. Their rows: `dataset-rows.ts`. */
import { JsonText, objectTextOf } from "@rowmill/contract/json-text";
import type { Column, Dataset } from "@rowmill/contract/datasets";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { DatasetsTable } from "../../platform/database/data-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import type { Owned } from "../../platform/database/row-key.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { isAsked, readLabelled } from "../../platform/http/labelled.ts";
import { rowsOf } from "../../platform/http/newest-first.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId } from "../../platform/ids.ts";
import { present } from "../../platform/present.ts";
import { json, resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export const listDatasets: OperationFunction<"listDatasets"> = async (db, { organizationId }, { filters, page }) => {
  const also = sql`t.deleted_at is null and ${isAsked("t", filters)}`;
  const { rows, next } =
    (await readLabelled(db, organizationId, "dataset", filters, page, (ids, limit) =>
      rowsOf<Selectable<DatasetsTable>>("datasets", organizationId, ids, { also, large, limit }),
    )) ?? (await datasets.list(db, { organizationId }, page));
  return { data: rows.map(describe), next };
};

export const getDataset: OperationFunction<"getDataset"> = async (db, caller, { params }) =>
  describe(await findDataset(db, caller, params.datasetId));

/** `columns` may have two thousand names. */
const large = ["columns", "metadata"] as const;

const datasets = resource("datasets", { noun: "dataset", deletedIn: "deletedAt", large });

export const findDataset = datasets.find;

export const updateDataset: OperationFunction<"updateDataset"> = async (tx, caller, { params, body }) => {
  const id = params.datasetId;
  const { name, description, metadata } = body;
  const changes = { name, description, metadata: json(metadata) };
  const row = await datasets.update(tx, caller, id, changes);
  await recordAudit(tx, caller, "dataset.updated", id, body);
  return describe(row);
};

/** Hides the dataset at once; its chunks are deleted by a periodic task. */
export async function hideDataset(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  // Locked, so that no run of it can be made meanwhile: that reads it `for share`.
  const { state, uploadId } = await datasets.lock(tx, caller, id);
  const run = await tx
    .selectFrom("runs")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("datasetId", "=", id)
    .where("deletedAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (run)
    throw new ApiError(
      "resource_in_use",
      `The run ${formatId("run", run.id)} needs this dataset: delete its runs first.`,
    );
  if (state === "processing")
    throw new ApiError("resource_in_use", "The dataset is still being read: wait until its intake has ended.");
  await datasets.update(tx, caller, id, { deletedAt: sharedNow() });
  // Its upload remains, without the rows that it could not read.
  await sql`
    update dataset_uploads set errors = coalesce(
      (select jsonb_agg(error - 'text' order by position) from jsonb_array_elements(errors) with ordinality as listed (error, position)), '[]')
    where ${isRow(caller, uploadId)}`.execute(tx);
  await recordAudit(tx, caller, "dataset.deleted", id);
  return undefined;
}

/** A dataset whose rows can be read. */
export async function findReadyDataset(
  db: Queryable,
  owner: Owned,
  id: string,
  param?: string,
): Promise<Selectable<DatasetsTable>> {
  return requireReady(await findDataset(db, owner, id, param), param);
}

function requireReady(dataset: Selectable<DatasetsTable>, param: string | undefined): Selectable<DatasetsTable> {
  if (dataset.state !== "ready")
    throw new ApiError(
      "dataset_not_ready",
      dataset.state === "processing"
        ? "The dataset is still being read."
        : "The intake of the dataset failed; its upload says why.",
      present({ param }),
    );
  return dataset;
}

/** `found`: what `lockDataset` returned. */
export function checkReadyDataset(
  [dataset]: readonly Selectable<DatasetsTable>[],
  param: string,
): Selectable<DatasetsTable> {
  if (dataset === undefined) throw notFound("dataset", param);
  return requireReady(dataset, param);
}

/**
 * The dataset, locked so that nobody deletes it until the transaction ends. By name: a prepared statement with `*` would fail once a newer
 * version of the service has added a column.
 */
export const lockDataset = prepared("lock_ready_dataset", ["organizationId", "id"], (db, at) =>
  db
    .selectFrom("datasets")
    .select([
      "organizationId",
      "id",
      "name",
      "description",
      "state",
      "rowCount",
      "chunkCount",
      "sizeBytes",
      "columns",
      "contentSha256",
      "storedBytes",
      "storageBytes",
      "uploadId",
      "metadata",
      "createdAt",
      "updatedAt",
      "deletedAt",
    ])
    .where(isRow(at, at.id))
    .where("deletedAt", "is", null)
    .forShare(),
);

export const columnNamesOf = ({ columns }: Pick<Selectable<DatasetsTable>, "columns">): string[] =>
  (JSON.parse(columns) as Column[]).map(({ name }) => name); // written by intake

/** Columns are passed on as they were stored. */
const describe = (row: Selectable<DatasetsTable>): JsonText<Dataset> =>
  objectTextOf<Dataset>({
    id: formatId("dataset", row.id),
    name: row.name,
    description: row.description,
    state: row.state,
    rowCount: row.rowCount,
    sizeBytes: row.sizeBytes,
    columns: new JsonText<Column[]>(row.columns),
    contentSha256: row.contentSha256,
    uploadId: formatId("datasetUpload", row.uploadId),
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

export const datasetOperations = {
  listDatasets,
  getDataset,
  updateDataset,
  deleteDataset: (async (tx, caller, { params }) =>
    hideDataset(tx, caller, params.datasetId)) satisfies OperationFunction<"deleteDataset">,
};
