/** The content of an upload as rows: brought into a file, and read from its beginning. */
import { rm, stat } from "node:fs/promises";
import { writeProgress } from "./upload-claim.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { Claim } from "./upload-claim.ts";
import type { IntakeAttemptParts } from "./intake-parts.ts";
import { readDataset } from "./readers/read-dataset.ts";
import type { RowGroups } from "./readers/read-dataset.ts";
import { makeIntakeDirectory } from "./intake-directories.ts";
import { readerOptions } from "./reader-options.ts";
import { stageContent } from "./staged-file.ts";

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
    if (upload.sourceType === "url")
      await writeProgress(database.db, claim, { bytesReceived: (await stat(file.path)).size });
    return yield* readDataset(options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
