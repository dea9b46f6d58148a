/** How the content of an upload comes to a worker: its dataset and its queued job, in one transaction. */
import { sql } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/database.ts";
import { placeInLine } from "../platform/queue/jobs.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { sharedNow } from "../platform/shared-time.ts";

/** Of contents that the service has. */
export const INTAKE_QUEUE = "dataset-intake";
/** Of contents that are fetched from a URL first: a slow source may take an hour, for which nobody else's content waits. */
export const DOWNLOAD_QUEUE = "dataset-download";
/** An organization with more uploads than this in processing waits behind everybody in any case. */
const MOST_COUNTED_BEFORE = 1_000;

/** What a job of the queue says. */
export interface IntakeJob {
  organizationId: string;
  uploadId: string;
  /** Attempts that failed for a reason of ours. */
  failures: number;
  /** Attempts that found the store away. */
  storeWaits?: number;
}

/** The dataset of an upload whose content is there, or is being fetched. */
export async function insertDataset(tx: Transaction, upload: UploadRow, datasetId: string): Promise<void> {
  const now = sharedNow();
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

export const intakeQueueOf = ({ sourceType }: Pick<UploadRow, "sourceType">): string =>
  sourceType === "url" ? DOWNLOAD_QUEUE : INTAKE_QUEUE;

export async function enqueueIntake(
  tx: Transaction,
  upload: UploadRow,
  services: Pick<IntakeParts, "queue">,
): Promise<void> {
  const job: IntakeJob = { organizationId: upload.organizationId, uploadId: upload.id, failures: 0 };
  // An organization's uploads alternate with those of others: the more of its own are before it, the later one comes.
  const before = sql<number>`(
    select count(*) from (
      select from dataset_uploads
       where organization_id = ${upload.organizationId} and state = 'processing' and id <> ${upload.id}
         and (source_type = 'url') = ${upload.sourceType === "url"}
       limit ${MOST_COUNTED_BEFORE}) u)`;
  const queue = intakeQueueOf(upload);
  const priority = await placeInLine(tx, queue, before);
  await services.queue.enqueue(tx, queue, job, { priority });
}
