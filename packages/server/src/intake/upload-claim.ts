/**
 * Which process works on an upload's intake. Every attempt takes a new claim number; whatever it writes, it writes in a transaction
 * that first finds this number still on the upload. So an attempt that was believed dead writes nothing any more, and
 * what it had written is deleted by the next one.
 *
 *   attempt 1: claim 1 · chunks · chunks · (killed)
 *   attempt 2: claim 2 · delete chunks · chunks · … · complete
 */
import { sql, statementsOf } from "../platform/database/database.ts";
import type { OrganizationDatabase, Queryable, Statements, Transaction } from "../platform/database/database.ts";
import { fencedClaims } from "../platform/database/fenced-claim.ts";
import type { ClaimKey } from "../platform/database/fenced-claim.ts";
import { isRow } from "../platform/database/row-key.ts";
import { repeatGroups } from "../platform/database/in-groups.ts";
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

const claims = fencedClaims("datasetUploads", { number: "claimNo", isOpen: sql`state = 'processing'` });

const keyOf = ({ organizationId, uploadId, claimNo }: Claim): ClaimKey => ({
  organizationId,
  id: uploadId,
  no: claimNo,
});

/** Undefined: there is nothing to do. */
export async function claimUpload(
  { db }: Pick<OrganizationDatabase, "db">,
  organizationId: string,
  uploadId: string,
): Promise<{ upload: UploadRow; claim: Claim } | undefined> {
  const nothingRead = { bytesRead: 0, rowsAccepted: 0, rowsRejected: 0, updatedAt: sql`now()` };
  const key = { organizationId, id: uploadId };
  // The queue gives the job to one worker; one that has it again, or after another, takes over.
  const upload = await claims.take(db, key, sql`state = 'processing'`, nothingRead);
  if (!upload) return undefined;
  if (upload.datasetId === null) throw new Error("an upload is in intake without a dataset");
  return { upload, claim: { organizationId, uploadId, datasetId: upload.datasetId, claimNo: upload.claimNo } };
}

/** Keeps the claim until the transaction ends; throws `ClaimLostError`. */
export async function proveClaim(tx: Transaction, claim: Claim): Promise<void> {
  if (!(await claims.prove(tx, keyOf(claim)))) throw new ClaimLostError();
}

/** The proof and the progress are one statement; `work` is in the same transaction. */
export async function writeUnderClaim(
  database: OrganizationDatabase,
  claim: Claim,
  progress: Progress,
  work: (client: Statements) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await writeProgress(tx, claim, progress);
    await work(statementsOf(tx));
  });
}

/** `bytesReceived`: of a content that the service has fetched itself. */
export async function writeProgress(
  db: Queryable,
  claim: Claim,
  progress: Progress | { bytesReceived: number },
): Promise<void> {
  if (!(await claims.update(db, keyOf(claim), { ...progress, updatedAt: sql`now()` }))) throw new ClaimLostError();
}

/** What an earlier attempt, or this one before it failed, has stored. */
export async function deleteChunks(database: OrganizationDatabase, claim: Claim): Promise<void> {
  await repeatGroups(DELETED_CHUNKS_AT_ONCE, () =>
    database.transaction(async (tx) => {
      await proveClaim(tx, claim);
      const { numAffectedRows = 0n } = await sql`
        delete from dataset_chunks where dataset_id = ${claim.datasetId} and chunk_no in (
          select chunk_no from dataset_chunks where dataset_id = ${claim.datasetId}
           order by chunk_no limit ${DELETED_CHUNKS_AT_ONCE})`.execute(tx);
      if (numAffectedRows < BigInt(DELETED_CHUNKS_AT_ONCE)) {
        for (const [table, id] of [
          ["datasets", claim.datasetId],
          ["datasetUploads", claim.uploadId],
        ] as const)
          await tx.updateTable(table).set({ storedBytes: 0 }).where(isRow(claim, id)).execute();
      }
      return Number(numAffectedRows);
    }),
  );
}
