/**
 * Whose turn an upload's intake is. Every attempt takes a new claim number; whatever it writes, it writes in a transaction
 * that first finds this number still on the upload. So an attempt that was believed dead writes nothing any more, and
 * what it had written is deleted by the next one.
 *
 *   attempt 1: claim 1 · chunks · chunks · (killed)
 *   attempt 2: claim 2 · delete chunks · chunks · … · complete
 */
import { sql, statementsOf } from "../platform/database/database.ts";
import type { OrganizationDatabase, Statements, Transaction } from "../platform/database/database.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";

/** A second of work at most, so that no transaction grows with the dataset. */
const DELETED_CHUNKS_AT_ONCE = 1_000;

export interface Claim {
  organizationId: string;
  uploadId: string;
  datasetId: string;
  claimNo: number;
}

export interface Progress {
  bytesRead: number;
  rowsAccepted: number;
}

/** Another attempt has the upload: whatever this one still does is void. */
export class ClaimLostError extends Error {
  override name = "ClaimLostError";
}

/** Undefined: there is nothing to do. */
export async function claimUpload(
  database: OrganizationDatabase,
  organizationId: string,
  uploadId: string,
): Promise<{ upload: UploadRow; claim: Claim } | undefined> {
  const upload = await database.db
    .updateTable("datasetUploads")
    .set((eb) => ({
      claimNo: eb("claimNo", "+", 1),
      bytesRead: 0,
      rowsAccepted: 0,
      rowsRejected: 0,
      updatedAt: new Date(),
    }))
    .where("organizationId", "=", organizationId)
    .where("id", "=", uploadId)
    .where("state", "=", "processing")
    .returningAll()
    .executeTakeFirst();
  if (!upload) return undefined;
  if (upload.datasetId === null) throw new Error("an upload is in intake without a dataset");
  return { upload, claim: { organizationId, uploadId, datasetId: upload.datasetId, claimNo: upload.claimNo } };
}

/** Holds the claim until the transaction ends; throws `ClaimLostError`. */
export async function proveClaim(tx: Transaction, claim: Claim): Promise<void> {
  const held = await tx
    .selectFrom("datasetUploads")
    .select("id")
    .where("organizationId", "=", claim.organizationId)
    .where("id", "=", claim.uploadId)
    .where("claimNo", "=", claim.claimNo)
    .where("state", "=", "processing")
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!held) throw new ClaimLostError();
}

/** One statement, which is at once the proof and the progress; `work` is in the same transaction. */
export async function writeUnderClaim(
  database: OrganizationDatabase,
  claim: Claim,
  progress: Progress,
  work: (client: Statements) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    const client = statementsOf(tx);
    await writeProgress(client, claim, progress);
    await work(client);
  });
}

export async function writeProgress(client: Statements, claim: Claim, progress: Progress): Promise<void> {
  const { rowCount } = await client.query({
    name: "write_intake_progress",
    text: `update dataset_uploads set bytes_read = $4, rows_accepted = $5, updated_at = now()
            where organization_id = $1 and id = $2 and claim_no = $3 and state = 'processing'`,
    values: [claim.organizationId, claim.uploadId, claim.claimNo, progress.bytesRead, progress.rowsAccepted],
  });
  if (rowCount === 0) throw new ClaimLostError();
}

/** Of a content that the service has fetched itself. */
export async function writeBytesReceived(client: Statements, claim: Claim, bytesReceived: number): Promise<void> {
  const { rowCount } = await client.query({
    name: "write_bytes_received",
    text: `update dataset_uploads set bytes_received = $4, updated_at = now()
            where organization_id = $1 and id = $2 and claim_no = $3 and state = 'processing'`,
    values: [claim.organizationId, claim.uploadId, claim.claimNo, bytesReceived],
  });
  if (rowCount === 0) throw new ClaimLostError();
}

/** What an earlier attempt, or this one before it failed, has stored. */
export async function deleteChunks(database: OrganizationDatabase, claim: Claim): Promise<void> {
  for (;;) {
    const isDone = await database.transaction(async (tx) => {
      await proveClaim(tx, claim);
      const { numAffectedRows = 0n } = await sql`
        delete from dataset_chunks where dataset_id = ${claim.datasetId} and chunk_no in (
          select chunk_no from dataset_chunks where dataset_id = ${claim.datasetId}
           order by chunk_no limit ${DELETED_CHUNKS_AT_ONCE})`.execute(tx);
      const isDone = numAffectedRows < BigInt(DELETED_CHUNKS_AT_ONCE);
      if (isDone) {
        for (const [table, id] of [
          ["datasets", claim.datasetId],
          ["datasetUploads", claim.uploadId],
        ] as const)
          await tx
            .updateTable(table)
            .set({ storedBytes: 0 })
            .where("organizationId", "=", claim.organizationId)
            .where("id", "=", id)
            .execute();
      }
      return isDone;
    });
    if (isDone) return;
  }
}
