/**
 * Batches of rows at a model provider, as they are kept. A batch has one job in a queue, which runs one pass of it, and is
 * sent again for the next pass until the batch is over.
 *
 *   preparing ──submitted to the provider──▶ submitted ──its responses recorded──▶ ended
 *       │                                        │
 *       └──────────── refused, abandoned ────────┴──▶ failed      run ended, or nothing to send ──▶ canceled
 *
 * A chunk in a batch is `submitted`, with the batch's id, and claimed by no lane:
 *
 *   pending ──▶ submitted ──all rows have a result──▶ done
 *      ▲            └──else──▶ pending, in_real_time: lanes take it as any other chunk
 *      └──── the batch was not sent after all, or its run has ended
 *
 * Every pass takes a new `turn_no`, and what a pass writes proves in its transaction that no later one has begun. Only what the
 * provider calls a batch is recorded by the first process that learns it: it stays true. See docs/decisions/0009-provider-batches.md.
 */
import { sql } from "kysely";
import type { Selectable, Updateable } from "kysely";
import type { OrganizationDatabase, Queryable, Transaction } from "../../platform/database/database.ts";
import { fencedClaims } from "../../platform/database/fenced-claim.ts";
import type { ClaimKey } from "../../platform/database/fenced-claim.ts";
import type { ProviderBatchesTable } from "../../platform/database/run-tables.ts";
import { isRow, isRowOf } from "../../platform/database/row-key.ts";
import { newUuid } from "../../platform/ids.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { RunRecord } from "./runs.ts";
import { sharedMs, sharedNow } from "../../platform/shared-time.ts";

export const BATCH_QUEUE = "provider-batch";

export interface BatchJob {
  organizationId: string;
  batchId: string;
  /** The last pass before this one; when there was a later one, this job is superfluous. */
  turnNo: number;
}

export type BatchRecord = Selectable<ProviderBatchesTable>;

export async function insertBatch(
  tx: Transaction,
  run: Pick<RunRecord, "organizationId" | "id">,
  model: { connectionId: string; model: string },
  queue: Queue,
): Promise<string> {
  const id = newUuid();
  const { organizationId } = run;
  await tx
    .insertInto("providerBatches")
    .values({ organizationId, id, runId: run.id, ...model, nextTurnAt: sharedNow() })
    .execute();
  await enqueueBatch(tx, { organizationId, id, turnNo: 0 }, 0, queue);
  return id;
}

export async function enqueueBatch(
  tx: Transaction,
  { organizationId, id, turnNo }: Pick<BatchRecord, "organizationId" | "id" | "turnNo">,
  startAfterSeconds: number,
  queue: Queue,
): Promise<void> {
  const job: BatchJob = { organizationId, batchId: id, turnNo };
  await queue.enqueue(tx, BATCH_QUEUE, job, startAfterSeconds > 0 ? { startAfterSeconds } : {});
}

const claims = fencedClaims("providerBatches", { number: "turnNo", isOpen: sql`finished_at is null` });

const keyOf = ({ organizationId, id, turnNo }: BatchRecord): ClaimKey => ({ organizationId, id, no: turnNo });

/** Undefined: the batch is over, or another job has its pass. A job whose worker died begins its pass again. */
export const beginBatchPass = (
  { db }: Pick<OrganizationDatabase, "db">,
  jobId: string,
  { organizationId, batchId, turnNo }: BatchJob,
): Promise<BatchRecord | undefined> =>
  claims.take(
    db,
    { organizationId, id: batchId },
    sql`finished_at is null and (turn_no = ${turnNo} or turn_job = ${jobId})`,
    { turnJob: jobId, nextTurnAt: null },
  );

/** Whether the pass is still the batch's last one; then nobody begins another before the transaction has ended. */
export const lockPass = (tx: Transaction, batch: BatchRecord): Promise<boolean> => claims.prove(tx, keyOf(batch));

/** False: another pass has begun, and nothing was written. */
export const updateBatch = (
  db: Queryable,
  batch: BatchRecord,
  set: Updateable<ProviderBatchesTable>,
): Promise<boolean> => claims.update(db, keyOf(batch), set);

/** The next pass comes after this many seconds, in a job of its own. */
export async function endBatchPass(
  database: OrganizationDatabase,
  batch: BatchRecord,
  { inSeconds, set }: { inSeconds: number; set?: Updateable<ProviderBatchesTable> | undefined },
  queue: Queue,
): Promise<void> {
  await database.transaction(async (tx) => {
    const nextTurnAt = new Date(sharedMs() + inSeconds * 1_000);
    if (await updateBatch(tx, batch, { ...set, nextTurnAt, turnJob: null }))
      await enqueueBatch(tx, batch, inSeconds, queue);
  });
}

/** What the provider calls the batch, recorded by any process that learns it. */
export async function noteSubmitted(
  database: OrganizationDatabase,
  batch: BatchRecord,
  providerBatchId: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx
      .updateTable("providerBatches")
      .set({ providerBatchId, state: "submitted", submittedAt: sharedNow(), polls: 0, failures: 0, error: null })
      .where(isRow(batch, batch.id))
      .where("providerBatchId", "is", null)
      .where("finishedAt", "is", null)
      .execute();
    // What was wrong before is not wrong any more.
    await tx
      .updateTable("runs")
      .set({ batchProblem: null })
      .where(isRowOf("runs", batch, batch.runId))
      .where("batchProblem", "is not", null)
      .where("realTimeSince", "is", null)
      .execute();
  });
}

/** Releases chunks of the batch: all, or those named. */
export async function releaseChunks(
  tx: Transaction,
  batch: Pick<BatchRecord, "id" | "runId">,
  to: "batches" | "real_time",
  chunkNos?: readonly number[],
): Promise<void> {
  await tx
    .updateTable("runChunks")
    .set((eb) => ({
      state: "pending",
      batchId: null,
      claimNo: eb("claimNo", "+", 1),
      ...(to === "real_time" ? { inRealTime: true } : {}),
    }))
    .where("runId", "=", batch.runId)
    .where("state", "=", "submitted")
    .where("batchId", "=", batch.id)
    .$if(chunkNos !== undefined, (q) => q.where(sql<boolean>`chunk_no = any(${chunkNos}::int[])`))
    .execute();
}

/** The run has ended: its batches are canceled at their providers, at once where a worker is free. */
export async function cancelBatches(
  tx: Transaction,
  run: Pick<RunRecord, "organizationId" | "id">,
  queue: Queue,
): Promise<void> {
  const open = await tx
    .updateTable("providerBatches")
    .set({ cancelRequestedAt: sql<Date>`coalesce(cancel_requested_at, now())` })
    .where("organizationId", "=", run.organizationId)
    .where("runId", "=", run.id)
    .where("finishedAt", "is", null)
    .returning(["organizationId", "id", "turnNo"])
    .execute();
  for (const batch of open) await enqueueBatch(tx, batch, 0, queue);
}
