/** The content of an upload as rows: brought into a file, and read from its beginning. */
import { rm, stat } from "node:fs/promises";
import { writeProgress } from "./upload-claim.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { Claim } from "./upload-claim.ts";
import type { IntakeAttemptParts } from "./intake-parts.ts";
import { readDataset } from "./readers/read-dataset.ts";
import type { RowGroups } from "./readers/read-dataset.ts";
import { makeIntakeDirectory } from "./intake-directories.ts";
import { createSemaphore } from "../platform/semaphore.ts";
import { readerOptions } from "./reader-options.ts";
import { stageContent } from "./staged-file.ts";

/** Of this process, beside those that the service had: a reader takes a processor to itself, and downloads need none. */
const DOWNLOADED_READ_AT_ONCE = 2;
const withReader = createSemaphore(DOWNLOADED_READ_AT_ONCE);

/** As `readDataset`; when it has ended, nothing of it is left in files. */
export async function* readContent(
  services: IntakeAttemptParts,
  upload: UploadRow,
  claim: Claim,
  signal: AbortSignal,
): RowGroups {
  const { config, database, spareReaders } = services;
  // Until the content is in a file, it is there.
  spareReaders?.prepare();
  const directory = await makeIntakeDirectory(config.ROWMILL_DATA_DIR, claim);
  try {
    const file = await stageContent(services, upload, directory, signal);
    const options = { ...readerOptions(config, upload, file, directory, spareReaders), signal };
    if (upload.sourceType !== "url") return yield* readDataset(options);
    await writeProgress(database.db, claim, { bytesReceived: (await stat(file.path)).size });
    const leave = await enterReading(signal);
    try {
      return yield* readDataset(options);
    } finally {
      leave();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Waits until few enough of the downloaded contents are being read. Returns what lets the next one in. */
async function enterReading(signal: AbortSignal): Promise<() => void> {
  const entered = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  void withReader(() => {
    entered.resolve();
    return left.promise;
  });
  const abort = (): void => {
    entered.reject(signal.reason);
    left.resolve();
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await entered.promise;
  } catch (error) {
    left.resolve();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return left.resolve;
}
