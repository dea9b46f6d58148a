/**
 * The intake of one upload: its file is read row by row in a process of its own, and stored chunk by chunk. An attempt
 * begins at the beginning, whatever the one before has left (`upload-claim.ts`); so it may be killed at any time, and begun twice.
 * The first may find its file read in part, since that was begun while it arrived (`read-ahead.ts`).
 */
import type { Job } from "../platform/queue/queue.ts";
import { MAX_STORE_WAITS, STORE_AWAY_PAUSE_SECONDS, StoreUnavailableError } from "../platform/storage/storage.ts";
import { ClaimLostError, claimUpload, deleteChunks, proveClaim } from "./upload-claim.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { Claim } from "./upload-claim.ts";
import { deleteContent } from "./content.ts";
import { intakeQueueOf } from "./enqueue-intake.ts";
import type { IntakeJob } from "./enqueue-intake.ts";
import type { IntakeAttemptParts } from "./intake-parts.ts";
import { completeUpload, failUpload } from "./complete-upload.ts";
import type { UploadRefusal } from "../resources/dataset-uploads/dataset-uploads.ts";
import { readContent } from "./read-content.ts";
import { IntakeRejected } from "./readers/read-dataset.ts";
import { ContentLostError, DownloadFailedError } from "./staged-file.ts";
import { storeRows } from "./store-rows.ts";

/** Before a failure of ours is taken for final: a full disk may pass in these five minutes. */
const RETRY_AFTER_SECONDS = [1, 10, 60, 240];
/** An upload that was being read this often when its process ended, most likely crashes it. */
const MAX_CLAIMS = 50;

export async function performIntake(services: IntakeAttemptParts, job: Job<IntakeJob>): Promise<void> {
  const { organizationId, uploadId, failures, storeWaits = 0 } = job.data;
  const claimed = await claimUpload(services.database, organizationId, uploadId);
  if (!claimed) return;
  const { upload, claim } = claimed;
  const signal = AbortSignal.any([job.signal, job.stopping]);
  try {
    if (claim.claimNo > 1) await deleteChunks(services.database, claim);
    const refusal =
      claim.claimNo - storeWaits > MAX_CLAIMS
        ? OUR_FAULT
        : await refusalOf(services, upload, () => takeIn(services, upload, claim, signal));
    if (refusal !== undefined) await endFailed(services, upload, claim, refusal);
  } catch (error) {
    if (error instanceof ClaimLostError) return;
    // Begun again by the next process, or by the process that has the job now.
    if (signal.aborted) throw error;
    if (error instanceof StoreUnavailableError && storeWaits < MAX_STORE_WAITS) {
      services.log.warn({ err: error, organizationId, uploadId }, "an intake waits for the store");
      return await repeatLater(services, upload, { ...job.data, storeWaits: storeWaits + 1 }, STORE_AWAY_PAUSE_SECONDS);
    }
    services.log.error({ err: error, organizationId, uploadId, failures: failures + 1 }, "an intake failed");
    const startAfterSeconds = RETRY_AFTER_SECONDS[failures];
    if (startAfterSeconds === undefined) return await endFailed(services, upload, claim, OUR_FAULT);
    await repeatLater(services, upload, { ...job.data, failures: failures + 1 }, startAfterSeconds);
  }
}

async function repeatLater(
  { database, queue }: IntakeAttemptParts,
  upload: UploadRow,
  job: IntakeJob,
  startAfterSeconds: number,
): Promise<void> {
  await database.transaction((tx) => queue.enqueue(tx, intakeQueueOf(upload), job, { startAfterSeconds }));
}

/** What is wrong with the content, where that is why it was not taken in. */
async function refusalOf(
  { log }: Pick<IntakeAttemptParts, "log">,
  { organizationId, id }: UploadRow,
  attempt: () => Promise<void>,
): Promise<UploadRefusal | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof IntakeRejected) return error;
    if (error instanceof ContentLostError) {
      // Nothing of the customer's: somebody, or something, has deleted it from the store.
      log.error({ err: error, organizationId, uploadId: id }, "the content of an upload is lost");
      return { errors: [{ line: null, code: "internal_error", message: error.message }] };
    }
    if (error instanceof DownloadFailedError)
      return { errors: [{ line: null, code: "download_failed", message: error.message }] };
    throw error;
  }
}

const OUR_FAULT: UploadRefusal = {
  errors: [
    {
      line: null,
      code: "internal_error",
      message: "The service could not read the content. The reason is in its log; try again later.",
    },
  ],
};

async function takeIn(
  services: IntakeAttemptParts,
  upload: UploadRow,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { storageKey } = upload;
  const begun = storageKey === null ? undefined : services.readAhead?.take(storageKey, claim, signal);
  const result = await storeRows(services, claim, begun ?? readContent(services, upload, claim, signal), signal);
  await services.database.transaction(async (tx) => {
    await proveClaim(tx, claim);
    await completeUpload(tx, claim, result);
  });
  if (storageKey !== null) await deleteContent(services, storageKey);
}

async function endFailed(
  services: IntakeAttemptParts,
  upload: UploadRow,
  claim: Claim,
  refusal: UploadRefusal,
): Promise<void> {
  try {
    await deleteChunks(services.database, claim);
    await services.database.transaction(async (tx) => {
      await proveClaim(tx, claim);
      await failUpload(tx, claim, refusal);
    });
  } catch (error) {
    if (error instanceof ClaimLostError) return;
    throw error;
  }
  if (upload.storageKey !== null) await deleteContent(services, upload.storageKey);
}
