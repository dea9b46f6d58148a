/** The two ends of an intake, each in the transaction of its caller. */
import type { Column } from "@rowmill/contract/datasets";
import type { DatasetFormat } from "@rowmill/contract/dataset-uploads";
import { sql } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/database.ts";
import { isRow } from "../platform/database/row-key.ts";
import { formatId } from "../platform/ids.ts";
import { recordEvent } from "../resources/events/events.ts";
import type { UploadError, UploadRefusal, UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import { storableJson } from "../platform/text.ts";

export interface ReadResult {
  format: DatasetFormat;
  rowCount: number;
  chunkCount: number;
  /** Of the rows as JSON lines, each ended by LF. */
  sizeBytes: number;
  sha256: string;
  rowsRejected: number;
  /** Rows that were left out. */
  errors: UploadError[];
  columns: Column[];
}

interface UploadOfDataset {
  organizationId: string;
  uploadId: string;
  datasetId: string;
}

/** By the clock of the database. The API made the upload, by a clock that may be ahead. */
const FINISHES_AT = sql<Date>`greatest(now(), created_at)`;

/** From here on the dataset can be read. */
export async function completeUpload(tx: Transaction, upload: UploadOfDataset, result: ReadResult): Promise<UploadRow> {
  await tx
    .updateTable("datasets")
    .set({
      state: "ready",
      rowCount: result.rowCount,
      chunkCount: result.chunkCount,
      sizeBytes: result.sizeBytes,
      columns: storableJson(result.columns),
      contentSha256: result.sha256,
      updatedAt: sql<Date>`now()`,
    })
    .where(isRow(upload, upload.datasetId))
    .execute();
  const row = await tx
    .updateTable("datasetUploads")
    .set((eb) => ({
      state: "completed",
      format: result.format,
      bytesRead: eb.ref("bytesReceived"),
      rowsAccepted: result.rowCount,
      rowsRejected: result.rowsRejected,
      errors: storableJson(result.errors),
      storageKey: null,
      finishedAt: FINISHES_AT,
      updatedAt: sql<Date>`now()`,
    }))
    .where(isRow(upload, upload.uploadId))
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordDatasetEvent(tx, upload, "ready");
  return row;
}

/** The dataset stays as a record that there was to be one; its rows are to be deleted before. */
export async function failUpload(
  tx: Transaction,
  upload: UploadOfDataset,
  { errors, isSkippable = false }: UploadRefusal,
): Promise<UploadRow> {
  await tx
    .updateTable("datasets")
    .set({ state: "failed", updatedAt: sql<Date>`now()` })
    .where(isRow(upload, upload.datasetId))
    .execute();
  const row = await tx
    .updateTable("datasetUploads")
    .set({
      state: "failed",
      rowsAccepted: 0,
      errors: storableJson(errors),
      isSkippable,
      storageKey: null,
      finishedAt: FINISHES_AT,
      updatedAt: sql<Date>`now()`,
    })
    .where(isRow(upload, upload.uploadId))
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordDatasetEvent(tx, upload, "failed");
  return row;
}

async function recordDatasetEvent(tx: Transaction, upload: UploadOfDataset, state: "ready" | "failed"): Promise<void> {
  const { organizationId } = upload;
  const id = formatId("dataset", upload.datasetId);
  const dataset = { object: "dataset", id, url: `/v1/datasets/${id}` } as const;
  await recordEvent(
    tx,
    state === "ready"
      ? { organizationId, type: "dataset.ready", data: { ...dataset, state } }
      : { organizationId, type: "dataset.failed", data: { ...dataset, state } },
  );
}
