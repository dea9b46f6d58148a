/** Creates an upload: its rows are in the request, its content follows, or it is fetched from a URL. */
import type { Operations } from "@rowmill/contract";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Input } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../platform/auth/caller.ts";
import type { Transaction } from "../platform/database/database.ts";
import { checkUrl } from "../platform/egress/check-url.ts";
import { ApiError } from "../platform/http/errors.ts";
import type { PrepareFunction } from "../platform/http/handlers.ts";
import { newUuid } from "../platform/ids.ts";
import { sealUrl } from "../platform/secrets/bearer-urls.ts";
import { recordAudit } from "../resources/audit-events/audit-events.ts";
import { describeUpload } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import { storedBytesOf } from "../resources/datasets/chunk-store.ts";
import { checkDeclaredUploads, reservableBytes } from "../resources/organizations/storage-limit.ts";
import { completeUpload, failUpload } from "./complete-upload.ts";
import { enqueueIntake, insertDataset } from "./enqueue-intake.ts";
import { readInlineRows, storeInlineRows } from "./inline-rows.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { sharedMs, sharedNow } from "../platform/shared-time.ts";

type CreateBody = Input<Operations["createDatasetUpload"]>["body"];
type Source = CreateBody["source"];

const HOUR_MS = 3_600_000;

/** The work is done before the transaction: rows are checked and compressed, a URL is checked. */
export const prepareDatasetUpload: PrepareFunction<"createDatasetUpload", IntakeParts> = async (
  _db,
  caller,
  { body },
  services,
) => {
  const { source } = body;
  await services.freeSpace.check(source.type === "upload" ? source.sizeBytes : undefined);
  switch (source.type) {
    case "inline":
      return prepareInline(caller, body, source, services);
    case "upload": {
      checkAnnouncedSize(services, source);
      const roomBytes = await services.freeSpace.readRoom();
      services.spareReaders?.prepare();
      return async (tx) => {
        const expiresAt = new Date(sharedMs() + services.config.ROWMILL_UPLOAD_EXPIRY_HOURS * HOUR_MS);
        const { filename, sizeBytes, sha256 } = source;
        const announced = JSON.stringify({ filename, sizeBytes, sha256 });
        const reservedBytes = await reserveContent(tx, caller, sizeBytes, services);
        if (sizeBytes !== undefined) await checkDeclaredUploads(tx, roomBytes, sizeBytes);
        const row = await insertUpload(tx, caller, body, {
          state: "awaiting_content",
          source: announced,
          expiresAt,
          reservedBytes,
        });
        return describeUpload(services, row);
      };
    }
    case "url": {
      const checked = checkUrl(source.url);
      if (!checked.accepted)
        throw new ApiError("source_url_not_allowed", checked.message, {
          param: "source.url",
          extra: { reason: checked.reason },
        });
      return async (tx) => {
        const datasetId = newUuid();
        const key = { organizationId: caller.organizationId, id: newUuid() };
        const sealedUrl = sealUrl(services.sealer, "dataset_uploads", key, checked.href);
        const row = await insertUpload(tx, caller, body, {
          id: key.id,
          state: "processing",
          source: JSON.stringify({ sealedUrl }),
          datasetId,
          reservedBytes: await reserveContent(tx, caller, undefined, services),
        });
        await insertDataset(tx, row, datasetId);
        await enqueueIntake(tx, row, services);
        return describeUpload(services, row);
      };
    }
  }
};

async function prepareInline(
  caller: OrganizationCaller,
  body: CreateBody,
  source: Extract<Source, { type: "inline" }>,
  services: IntakeParts,
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
    if (rows.outcome === "accepted") await reserveContent(tx, caller, storedBytesOf(rows.chunks), services);
    const row = await insertUpload(tx, caller, body, {
      state: "processing",
      source: "{}",
      datasetId,
      bytesReceived: rows.outcome === "accepted" ? rows.result.sizeBytes : 0,
    });
    await insertDataset(tx, row, datasetId);
    const owner = { organizationId: row.organizationId, datasetId };
    const upload = { ...owner, uploadId: row.id };
    if (rows.outcome === "rejected") return describeUpload(services, await failUpload(tx, upload, rows));
    await storeInlineRows(tx, owner, rows.chunks);
    return describeUpload(services, await completeUpload(tx, upload, rows.result));
  };
}

/** What is not announced may become as large as a dataset may be. */
const reserveContent = (
  tx: Transaction,
  caller: OrganizationCaller,
  bytes: number | undefined,
  services: IntakeParts,
): Promise<number> =>
  reservableBytes(
    tx,
    caller.organizationId,
    {
      bytes,
      maxBytes: services.config.ROWMILL_MAX_DATASET_BYTES,
      param: "source",
    },
    services.limits,
  );

function checkAnnouncedSize(services: IntakeParts, source: Extract<Source, { type: "upload" }>): void {
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
  const now = sharedNow();
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
  await recordAudit(tx, caller, "dataset_upload.created", id, { name: body.name, sourceType: body.source.type });
  return row;
}
