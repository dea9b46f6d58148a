/**
 * Dataset uploads: how rows come into the service.
 *
 *   inline                                         → completed | failed      (at once, in the create itself)
 *   url                               processing   → completed | failed
 *   upload   awaiting_content (PUT) → processing   → completed | failed
 *            awaiting_content → expired | canceled
 *
 * The dataset exists from the moment its content is there; it becomes `ready` in the transaction in which the upload
 * becomes `completed`, and nothing half-read is ever seen as a dataset.
 */
import type { Operations } from "@rowmill/contract";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { judgeUrl } from "../../platform/egress/judge-url.ts";
import { sealUrl } from "../../platform/secrets/bearer-urls.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, formatIdOrNull, newUuid } from "../../platform/ids.ts";
import type { Services } from "../../services.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { storedBytesOf } from "../datasets/chunk-store.ts";
import { reservableBytes } from "../organizations/storage-limit.ts";
import type { UploadRow } from "../../intake/upload-claim.ts";
import { completeUpload, failUpload } from "../../intake/complete-upload.ts";
import type { UploadError } from "../../intake/complete-upload.ts";
import { readInlineRows, storeInlineRows } from "../../intake/inline-rows.ts";

export const INTAKE_QUEUE = "dataset-intake";
/** Whoever has more uploads than this in processing waits behind everybody in any case. */
const MOST_COUNTED_BEFORE = 1_000;

/** What a job of the queue says. */
export interface IntakeJob {
  organizationId: string;
  uploadId: string;
  /** Attempts that failed for a reason of ours. */
  failures: number;
}

export type UploadServices = Pick<
  Services,
  | "config"
  | "database"
  | "egress"
  | "freeSpace"
  | "limits"
  | "log"
  | "publicUrl"
  | "queue"
  | "readAhead"
  | "sealer"
  | "store"
>;

type CreateBody = Input<Operations["createDatasetUpload"]>["body"];
type Source = CreateBody["source"];

const HOUR_MS = 3_600_000;

/** The work is done before the transaction: rows are checked and compressed, a URL is judged. */
export async function prepareDatasetUpload(
  services: UploadServices,
  caller: OrganizationCaller,
  body: CreateBody,
): Promise<(tx: Transaction) => Promise<DatasetUpload>> {
  const { source } = body;
  await services.freeSpace.check(source.type === "upload" ? source.sizeBytes : undefined);
  switch (source.type) {
    case "inline":
      return prepareInline(services, caller, body, source);
    case "upload":
      checkAnnouncedSize(services, source);
      return async (tx) => {
        const expiresAt = new Date(Date.now() + services.config.ROWMILL_UPLOAD_EXPIRY_HOURS * HOUR_MS);
        const { filename, sizeBytes, sha256 } = source;
        const announced = JSON.stringify({ filename, sizeBytes, sha256 });
        const reservedBytes = await reserveContent(services, tx, caller, sizeBytes);
        const row = await insertUpload(tx, caller, body, {
          state: "awaiting_content",
          source: announced,
          expiresAt,
          reservedBytes,
        });
        return describeUpload(services, row);
      };
    case "url": {
      const judgement = judgeUrl(source.url);
      if (!judgement.accepted)
        throw new ApiError("source_url_not_allowed", judgement.message, {
          param: "source.url",
          extra: { reason: judgement.reason },
        });
      return async (tx) => {
        const datasetId = newUuid();
        const key = { organizationId: caller.organizationId, id: newUuid() };
        const sealedUrl = sealUrl(services.sealer, "dataset_uploads", key, judgement.href);
        const row = await insertUpload(tx, caller, body, {
          id: key.id,
          state: "processing",
          source: JSON.stringify({ sealedUrl }),
          datasetId,
          reservedBytes: await reserveContent(services, tx, caller, undefined),
        });
        await insertDataset(tx, row, datasetId);
        await enqueueIntake(services, tx, row);
        return describeUpload(services, row);
      };
    }
  }
}

async function prepareInline(
  services: UploadServices,
  caller: OrganizationCaller,
  body: CreateBody,
  source: Extract<Source, { type: "inline" }>,
): Promise<(tx: Transaction) => Promise<DatasetUpload>> {
  const rows = await readInlineRows(source.rows, {
    format: body.format ?? "json",
    onInvalidRow: body.onInvalidRow ?? "reject",
    maxRowBytes: services.config.ROWMILL_MAX_ROW_BYTES,
    maxRows: services.config.ROWMILL_MAX_DATASET_ROWS,
    chunkRows: services.config.ROWMILL_CHUNK_ROWS,
  });
  return async (tx) => {
    const datasetId = newUuid();
    if (rows.outcome === "accepted") await reserveContent(services, tx, caller, storedBytesOf(rows.chunks));
    const row = await insertUpload(tx, caller, body, {
      state: "processing",
      source: "{}",
      datasetId,
      bytesReceived: rows.outcome === "accepted" ? rows.result.sizeBytes : 0,
    });
    await insertDataset(tx, row, datasetId);
    const owner = { organizationId: row.organizationId, datasetId };
    const upload = { ...owner, uploadId: row.id };
    if (rows.outcome === "rejected")
      return describeUpload(services, await failUpload(tx, services.publicUrl(), upload, rows.errors));
    await storeInlineRows(tx, owner, rows.chunks);
    return describeUpload(services, await completeUpload(tx, services.publicUrl(), upload, rows.result));
  };
}

/** What is not announced may become as large as a dataset may be. */
const reserveContent = (
  services: UploadServices,
  tx: Transaction,
  caller: OrganizationCaller,
  bytes: number | undefined,
): Promise<number> =>
  reservableBytes(tx, services.limits, caller.organizationId, {
    bytes,
    maxBytes: services.config.ROWMILL_MAX_DATASET_BYTES,
    param: "source",
  });

function checkAnnouncedSize(services: UploadServices, source: Extract<Source, { type: "upload" }>): void {
  const limit = services.config.ROWMILL_MAX_DATASET_BYTES;
  if (source.sizeBytes !== undefined && source.sizeBytes > limit)
    throw new ApiError("payload_too_large", `A dataset may have at most ${limit} bytes.`, {
      param: "source.sizeBytes",
    });
}

async function insertUpload(
  tx: Transaction,
  caller: OrganizationCaller,
  body: CreateBody,
  more: {
    id?: string;
    state: "awaiting_content" | "processing";
    source: string;
    datasetId?: string;
    expiresAt?: Date;
    bytesReceived?: number;
    reservedBytes?: number;
  },
): Promise<UploadRow> {
  const id = more.id ?? newUuid();
  const now = new Date();
  const row = await tx
    .insertInto("datasetUploads")
    .values({
      ...more,
      organizationId: caller.organizationId,
      id,
      name: body.name,
      sourceType: body.source.type,
      format: body.format ?? null,
      csv: body.csv === undefined ? null : JSON.stringify(body.csv),
      onInvalidRow: body.onInvalidRow ?? "reject",
      metadata: JSON.stringify(body.metadata ?? {}),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId: caller.organizationId,
    type: "dataset_upload.created",
    targetType: "dataset_upload",
    targetId: formatId("datasetUpload", id),
    changes: { name: body.name, sourceType: body.source.type },
  });
  return row;
}

/** The dataset of an upload whose content is there, or is being fetched. */
export async function insertDataset(tx: Transaction, upload: UploadRow, datasetId: string): Promise<void> {
  const now = new Date();
  await tx
    .insertInto("datasets")
    .values({
      organizationId: upload.organizationId,
      id: datasetId,
      name: upload.name,
      state: "processing",
      uploadId: upload.id,
      metadata: JSON.stringify(upload.metadata),
      createdAt: now,
      updatedAt: now,
    })
    .execute();
}

export async function enqueueIntake(services: UploadServices, tx: Transaction, upload: UploadRow): Promise<void> {
  const job: IntakeJob = { organizationId: upload.organizationId, uploadId: upload.id, failures: 0 };
  // An organization's uploads take turns with those of others: the more of its own are before it, the later one comes.
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from dataset_uploads
       where organization_id = ${upload.organizationId} and state = 'processing' and id <> ${upload.id}
       limit ${MOST_COUNTED_BEFORE}) u`.execute(tx);
  const priority = -(rows[0]?.count ?? 0);
  await services.queue.enqueue(tx, INTAKE_QUEUE, job, { priority, group: upload.organizationId });
}

export async function listDatasetUploads(
  services: UploadServices,
  db: Queryable,
  caller: OrganizationCaller,
  page: Page,
): Promise<PageOf<DatasetUpload>> {
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("datasetUploads")
        .selectAll()
        .where("organizationId", "=", caller.organizationId)
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  return { data: rows.map((row) => describeUpload(services, row)), next };
}

export async function getDatasetUpload(
  services: UploadServices,
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
): Promise<DatasetUpload> {
  return describeUpload(services, await findUpload(db, caller.organizationId, id));
}

export async function findUpload(db: Queryable, organizationId: string, id: string): Promise<UploadRow> {
  const row = await db
    .selectFrom("datasetUploads")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw notFound("dataset upload");
  return row;
}

export async function cancelDatasetUpload(
  services: UploadServices,
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
): Promise<DatasetUpload> {
  const now = new Date();
  const row = await tx
    .updateTable("datasetUploads")
    .set({ state: "canceled", finishedAt: now, updatedAt: now })
    .where("organizationId", "=", caller.organizationId)
    .where("id", "=", id)
    .where("state", "=", "awaiting_content")
    .returningAll()
    .executeTakeFirst();
  if (!row) {
    const { state } = await findUpload(tx, caller.organizationId, id);
    throw invalidState(`Only an upload that awaits its content can be canceled; this one is \`${state}\`.`);
  }
  await recordAudit(tx, caller, {
    organizationId: caller.organizationId,
    type: "dataset_upload.canceled",
    targetType: "dataset_upload",
    targetId: formatId("datasetUpload", id),
  });
  return describeUpload(services, row);
}

export function describeUpload(services: Pick<UploadServices, "publicUrl" | "store">, row: UploadRow): DatasetUpload {
  const id = formatId("datasetUpload", row.id);
  return {
    id,
    name: row.name,
    state: row.state,
    sourceType: row.sourceType,
    format: row.format,
    onInvalidRow: row.onInvalidRow,
    datasetId: formatIdOrNull("dataset", row.datasetId),
    bytesReceived: row.bytesReceived,
    rowsAccepted: row.rowsAccepted,
    rowsRejected: row.rowsRejected,
    errors: row.errors as UploadError[], // written by `ends.ts`
    progress: { percent: percentOf(row) },
    ...(row.state === "awaiting_content" && row.expiresAt !== null
      ? {
          upload: {
            method: "PUT",
            url: `${services.publicUrl()}/v1/dataset-uploads/${id}/content`,
            ...(services.store.partials === undefined
              ? {}
              : { resumableUrl: `${services.publicUrl()}/v1/dataset-uploads/${id}/content/resumable` }),
            expiresAt: row.expiresAt.toISOString(),
          },
        }
      : {}),
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

/** By the bytes of the content; 100 means that the dataset is ready. */
function percentOf(row: UploadRow): number {
  if (row.state === "completed") return 100;
  if (row.bytesReceived === 0) return 0;
  return Math.min(99, Math.floor((100 * row.bytesRead) / row.bytesReceived));
}
