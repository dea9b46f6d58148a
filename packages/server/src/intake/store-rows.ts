/** What a reading yields, on its way into the database: chunk by chunk, with the progress, under the claim of the intake. */
import type { Statements } from "../platform/database/database.ts";
import { storedBytesOf } from "../resources/datasets/chunk-store.ts";
import type { StoredChunk } from "../resources/datasets/chunk-store.ts";
import { STORAGE_LIMIT_MESSAGE, isStorageExceeded } from "../resources/organizations/storage-limit.ts";
import { ChunkWriter, insertChunks } from "./chunk-writer.ts";
import type { ChunkGroup } from "./chunk-writer.ts";
import type { ReadResult } from "./complete-upload.ts";
import type { IntakeAttemptParts } from "./intake-parts.ts";
import { rejectFile } from "./readers/intake-rejected.ts";
import type { RowGroups, ReadSummary } from "./readers/read-dataset.ts";
import { deleteChunks, writeProgress, writeUnderClaim } from "./upload-claim.ts";
import type { Claim } from "./upload-claim.ts";

/** How often progress is written while no rows are stored. */
const PROGRESS_INTERVAL_MS = 1_000;

type StoreParts = Pick<IntakeAttemptParts, "database" | "freeSpace" | "limits">;

/**
 * Takes the rows of `groups` to their end and stores them as the chunks of the claim's dataset, which has none yet. Throws
 * what the reading throws, `IntakeRejected` at the limit of storage, `ClaimLostError`, and the signal's reason. Chunks that
 * were stored until then stay. In any case the reading has ended and nothing more is written.
 */
export async function storeRows(
  services: StoreParts,
  claim: Claim,
  groups: RowGroups,
  signal: AbortSignal,
): Promise<ReadResult> {
  const { database } = services;
  let bytesRead = 0;
  let rowsStored = 0;
  let reportedAt = performance.now();
  const store = async (group: ChunkGroup): Promise<void> => {
    signal.throwIfAborted();
    await services.freeSpace.wait(signal);
    const progress = { bytesRead, rowsAccepted: group.rowsStored };
    await writeUnderClaim(database, claim, progress, (client) => storeGroup(client, claim, group.chunks, services));
    ({ rowsStored } = group);
    reportedAt = performance.now();
  };
  let writer = new ChunkWriter(store);
  try {
    for (;;) {
      const step = await groups.next();
      if (step.done === true) return { ...step.value, ...(await writer.end()) };
      ({ bytesRead } = step.value);
      if (step.value.isVoid) {
        await writer.stop();
        rowsStored = 0;
        // Nobody shall read the old number while the chunks of a large dataset are deleted.
        await writeProgress(database.db, claim, { bytesRead, rowsAccepted: rowsStored });
        await deleteChunks(database, claim);
        writer = new ChunkWriter(store);
      }
      if (step.value.rowCount > 0) await writer.add(step.value.rowCount, step.value.body);
      if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue;
      reportedAt = performance.now();
      await writeProgress(database.db, claim, { bytesRead, rowsAccepted: rowsStored });
    }
  } finally {
    // However it ended: no process reads and nothing is being written any more.
    await groups.return?.({} as ReadSummary); // nobody sees this value
    await writer.settle();
  }
}

/** The sum of what the organization stores is locked last, for as short as can be. */
async function storeGroup(
  client: Statements,
  claim: Claim,
  chunks: readonly StoredChunk[],
  { limits }: StoreParts,
): Promise<void> {
  await insertChunks(client, claim, chunks);
  const bytes = storedBytesOf(chunks);
  for (const [table, id] of [
    ["datasets", claim.datasetId],
    ["dataset_uploads", claim.uploadId],
  ] as const)
    await client.query({
      name: `count_stored_bytes_of_${table}`,
      text: `update ${table} set stored_bytes = stored_bytes + $3 where organization_id = $1 and id = $2`,
      values: [claim.organizationId, id, bytes],
    });
  if (await isStorageExceeded(client, claim.organizationId, limits))
    rejectFile("storage_limit_reached", STORAGE_LIMIT_MESSAGE);
}
