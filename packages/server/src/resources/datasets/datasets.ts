/** Datasets and their rows. */
import type { Operations } from "@rowmill/contract";
import { JsonText } from "@rowmill/contract/json-text";
import type { Column, Dataset, DatasetRow } from "@rowmill/contract/datasets";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { DatasetsTable } from "../../platform/database/data-tables.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { findCandidates, goOn, isAsked, isCandidate } from "../../platform/http/labelled.ts";
import { MAX_PAGE_CHARACTERS, readPage } from "../../platform/http/pages.ts";
import { formatId, makeRowId, parseRowId, rowIdPrefix } from "../../platform/ids.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { readChunksFrom } from "./chunk-store.ts";

export async function listDatasets(
  db: Queryable,
  caller: OrganizationCaller,
  filters: Input<Operations["listDatasets"]>["filters"],
  page: Page,
): Promise<PageOf<Dataset>> {
  const candidates = await findCandidates(db, caller.organizationId, "dataset", filters, page);
  const found = await readPage(
    (part) =>
      db
        .selectFrom("datasets")
        .selectAll()
        .where("organizationId", "=", caller.organizationId)
        .where("deletedAt", "is", null)
        .$if(candidates !== undefined, (q) =>
          q.where(isCandidate("datasets", candidates)).where(isAsked("datasets", filters)),
        )
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  const { rows, next } = goOn(found, candidates);
  return { data: rows.map(describe), next };
}

export async function getDataset(db: Queryable, caller: OrganizationCaller, id: string): Promise<Dataset> {
  return describe(await findDataset(db, caller.organizationId, id));
}

export async function findDataset(
  db: Queryable,
  organizationId: string,
  id: string,
  param?: string,
): Promise<Selectable<DatasetsTable>> {
  const row = await db
    .selectFrom("datasets")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (!row) throw notFound("dataset", param);
  return row;
}

export async function updateDataset(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  body: Input<Operations["updateDataset"]>["body"],
): Promise<Dataset> {
  const row = await tx
    .updateTable("datasets")
    .set({
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.metadata === undefined ? {} : { metadata: JSON.stringify(body.metadata) }),
      updatedAt: new Date(),
    })
    .where("organizationId", "=", caller.organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound("dataset");
  await recordAudit(tx, caller, {
    organizationId: caller.organizationId,
    type: "dataset.updated",
    targetType: "dataset",
    targetId: formatId("dataset", id),
    changes: body,
  });
  return describe(row);
}

/** Hides the dataset at once; its chunks are deleted by a periodic task. */
export async function deleteDataset(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  // Locked, so that no run of it can be made meanwhile: that reads it `for share`.
  const row = await tx
    .selectFrom("datasets")
    .select(["state"])
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound("dataset");
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
  if (row.state === "processing")
    throw new ApiError("resource_in_use", "The dataset is still being read: wait until its intake has ended.");
  await tx
    .updateTable("datasets")
    .set({ deletedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .execute();
  await recordAudit(tx, caller, {
    organizationId,
    type: "dataset.deleted",
    targetType: "dataset",
    targetId: formatId("dataset", id),
  });
  return undefined;
}

export async function listDatasetRows(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
  { fromIndex = 0 }: Input<Operations["listDatasetRows"]>["filters"],
  page: Page,
): Promise<PageOf<JsonText<DatasetRow>>> {
  await findReadyDataset(db, caller.organizationId, id);
  const prefix = rowIdPrefix(id);
  const from = page.after === undefined ? fromIndex : Number(page.after[0]) + 1;
  const data: JsonText<DatasetRow>[] = [];
  let size = 0;
  for await (const chunk of readChunksFrom(statementsOf(db), id, from)) {
    for (let i = Math.max(0, from - chunk.firstRow); i < chunk.lines.length; i++) {
      const index = chunk.firstRow + i;
      if (data.length === page.limit || size >= MAX_PAGE_CHARACTERS) return { data, next: [index - 1] };
      const line = chunk.lines[i] ?? "";
      data.push(makeRow(prefix, index, line));
      size += line.length;
    }
  }
  return { data, next: null };
}

export async function getDatasetRow(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
  rowId: string,
): Promise<JsonText<DatasetRow>> {
  await findReadyDataset(db, caller.organizationId, id);
  const parsed = parseRowId(rowId);
  if (parsed?.datasetId !== id) throw notFound("dataset row");
  for await (const chunk of readChunksFrom(statementsOf(db), id, parsed.index)) {
    const line = chunk.lines[parsed.index - chunk.firstRow];
    if (line !== undefined) return makeRow(rowIdPrefix(id), parsed.index, line);
    break;
  }
  throw notFound("dataset row");
}

/** A dataset whose rows can be read. */
export async function findReadyDataset(
  db: Queryable,
  organizationId: string,
  id: string,
  param?: string,
): Promise<Selectable<DatasetsTable>> {
  const dataset = await findDataset(db, organizationId, id, param);
  if (dataset.state !== "ready")
    throw new ApiError(
      "dataset_not_ready",
      dataset.state === "processing"
        ? "The dataset is still being read."
        : "The intake of the dataset failed; its upload says why.",
      param === undefined ? {} : { param },
    );
  return dataset;
}

export const columnNamesOf = ({ columns }: Pick<Selectable<DatasetsTable>, "columns">): string[] =>
  (JSON.parse(columns) as Column[]).map(({ name }) => name); // written by intake

/** The row as it is stored: its numbers keep all their digits. */
const makeRow = (prefix: string, index: number, line: string): JsonText<DatasetRow> =>
  new JsonText(`{"id":"${makeRowId(prefix, index)}","index":${index},"data":${line}}`);

const describe = (row: Selectable<DatasetsTable>): Dataset => ({
  id: formatId("dataset", row.id),
  name: row.name,
  description: row.description,
  state: row.state,
  rowCount: row.rowCount,
  sizeBytes: row.sizeBytes,
  columns: JSON.parse(row.columns) as Column[], // written by intake
  contentSha256: row.contentSha256,
  uploadId: formatId("datasetUpload", row.uploadId),
  metadata: row.metadata,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
