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
import type { IntakeErrorCode } from "@rowmill/contract/intake-errors";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Selectable } from "kysely";
import type { DatasetUploadsTable } from "../../platform/database/data-tables.ts";
import { sql } from "../../platform/database/database.ts";
import { invalidState } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId, formatIdOrNull } from "../../platform/ids.ts";
import type { Services } from "../../services.ts";
import { resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { readAfterEnd } from "../wait-for-end.ts";
import type { EndWaitParts } from "../wait-for-end.ts";
import { nextStepsOf, stateMessageOf } from "./upload-next-steps.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export type UploadRow = Selectable<DatasetUploadsTable>;

export interface UploadError {
  line: number | null;
  code: IntakeErrorCode;
  message: string;
  /** Absent in uploads of earlier versions, and where no row is to blame. */
  text?: string;
}

/** Why an upload makes no dataset. */
export interface UploadRefusal {
  errors: UploadError[];
  /** Each error is of a single row: without these, the rest may be read. */
  isSkippable?: boolean;
}

/** What the API object of an upload needs beside its row. */
export type UploadParts = Pick<Services, "publicUrl">;

const uploads = resource("datasetUploads", { noun: "dataset upload", large: ["source", "errors", "metadata"] });

export const { find: findUpload, updateIf: updateUploadIf } = uploads;

export const listDatasetUploads: OperationFunction<"listDatasetUploads", UploadParts> = async (
  db,
  caller,
  { page },
  parts,
) => {
  const { rows, next } = await uploads.list(db, caller, page);
  return { data: rows.map((row) => describeUpload(parts, row)), next };
};

const getDatasetUpload: OperationFunction<"getDatasetUpload", UploadParts & EndWaitParts> = async (
  db,
  caller,
  { params: { datasetUploadId: id }, query: { waitSeconds } },
  parts,
) => {
  const find = (): Promise<UploadRow> => findUpload(db, caller, id);
  return describeUpload(parts, await readAfterEnd(db, caller, { table: "datasetUploads", waitSeconds, find }, parts));
};

export const cancelDatasetUpload: OperationFunction<"cancelDatasetUpload", UploadParts> = async (
  tx,
  caller,
  { params },
  parts,
) => {
  const id = params.datasetUploadId;
  const row = await uploads.updateIf(tx, caller, id, sql`state = 'awaiting_content'`, {
    state: "canceled",
    finishedAt: sharedNow(),
  });
  if (!row) {
    const { state } = await findUpload(tx, caller, id);
    throw invalidState(`Only an upload that awaits its content can be canceled; this one is \`${state}\`.`);
  }
  await recordAudit(tx, caller, "dataset_upload.canceled", id);
  return describeUpload(parts, row);
};

export function describeUpload(services: UploadParts, row: UploadRow): DatasetUpload {
  const id = formatId("datasetUpload", row.id);
  const errors = row.errors as UploadError[]; // written by `intake/complete-upload.ts`
  const shown = { id, state: row.state, error: errors[0], isSkippable: row.isSkippable };
  return {
    id,
    name: row.name,
    state: row.state,
    stateMessage: stateMessageOf(shown),
    nextSteps: nextStepsOf(shown),
    sourceType: row.sourceType,
    format: row.format,
    onInvalidRow: row.onInvalidRow,
    datasetId: formatIdOrNull("dataset", row.datasetId),
    bytesReceived: row.bytesReceived,
    rowsAccepted: row.rowsAccepted,
    rowsRejected: row.rowsRejected,
    errors: errors.map(({ line, code, message, text = null }) => ({ line, code, message, text })),
    skippable: row.isSkippable,
    progress: { percent: percentOf(row) },
    ...(row.state === "awaiting_content" && row.expiresAt !== null
      ? {
          upload: {
            method: "PUT",
            url: `${services.publicUrl()}/v1/dataset-uploads/${id}/content`,
            resumableUrl: `${services.publicUrl()}/v1/dataset-uploads/${id}/content/resumable`,
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

export const datasetUploadOperations = { listDatasetUploads, getDatasetUpload, cancelDatasetUpload };
