/**
 * Ends of runs. Terminal states never change: every end goes through `endRun`, which holds the run's row, adds the counters
 * up for good, records its event, and lets waiting runs begin.
 */
import { isTerminal } from "@rowmill/contract/runs";
import type { TerminalRunState } from "@rowmill/contract/runs";
import { sql } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Queryable, Transaction } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { startWaitingRuns } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { brokenPolicy, failurePolicyError } from "./failure-policy.ts";
import { cancelBatches } from "./provider-batch-records.ts";
import { hasNotEnded } from "./lanes.ts";
import { makeRangeChunks } from "./range-chunks.ts";
import { settleEndedRun } from "./result-bytes.ts";
import { notifyRun } from "./run-changes.ts";
import { EVENTS_OF_END, recordRunEnd } from "./run-events.ts";
import { countRuns, findRunIfThere, lockRun, noCounts } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import type { RunCounts } from "./show-run.ts";
import { storableJson } from "../../platform/text.ts";

/** What `finishRunIfDone` has found: where it is `ended`, nothing is left to do for anybody. */
export type FoundRun = "ended" | "paused" | "open";

/** Ends the run if nothing of it is left to do. Called after every turn that found no chunk, and by the sweep. */
export async function finishRunIfDone(
  database: OrganizationDatabase,
  organizationId: string,
  runId: string,
  parts: RunParts,
): Promise<FoundRun> {
  // Looked at without a lock first: most turns end while other lanes still work, or when one of them has ended the run.
  const seen = await findRunIfThere(database.db, { organizationId }, runId);
  if (seen === undefined || seen.finishedAt !== null) return "ended";
  const open = await findOpenChunk(database.db, runId);
  if (seen.state !== "canceling" && (seen.state !== "running" || open !== undefined)) return foundOf(seen);
  return database.transaction(async (tx): Promise<FoundRun> => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRowOf("runs", { organizationId }, runId))
      .where(hasNotEnded)
      .$if(open === undefined, (q) => q.forUpdate())
      .executeTakeFirst();
    if (!run) return "ended";
    if (run.state === "canceling") {
      if (await hasClaimedChunk(tx, runId)) return "open";
      await endRun(tx, await lockRun(tx, { organizationId }, runId), "canceled", null, parts);
      return "ended";
    }
    if (run.state !== "running" || open !== undefined) return foundOf(run);
    await endDoneRun(tx, run, parts);
    return "ended";
  });
}

const foundOf = ({ state }: RunRecord): FoundRun => (state === "paused" ? "paused" : "open");

/** `run` is locked, and no chunk of it is open. */
async function endDoneRun(tx: Transaction, run: RunRecord, parts: RunParts): Promise<void> {
  const counts = (await countRuns(tx, [run.id])).get(run.id) ?? { ...noCounts, running: 0 };
  const { succeeded, failed } = counts;
  if (succeeded + failed !== run.rowTotal)
    throw new Error(`run ${run.id} has ${run.rowTotal} rows, but its chunks count ${succeeded + failed}`);
  // One without chunks may be left, of a run that went on in real time: it is canceled at once, and not at its next pass.
  if (run.execution?.mode === "provider_batch") await cancelBatches(tx, run, parts.queue);
  const broken = brokenPolicy(run, succeeded, failed);
  if (broken !== undefined) return endCounted(tx, run, "failed", failurePolicyError(broken), counts, parts);
  const state = failed === 0 ? "succeeded" : succeeded === 0 ? "failed" : "partially_succeeded";
  await endCounted(tx, run, state, null, counts, parts);
}

/** `run` is locked and not ended. Rows without a result are canceled or skipped from here on, by the run's state. */
export async function endRun(
  tx: Transaction,
  run: RunRecord,
  state: TerminalRunState,
  error: { code: string; message: string } | null,
  parts: RunParts,
): Promise<void> {
  if (isTerminal(run.state)) return;
  // Claimed chunks are released first: a running commit is waited for and counted, a later one finds its claim gone.
  await tx
    .updateTable("runChunks")
    .set((eb) => ({ state: "pending", claimedBy: null, batchId: null, claimNo: eb("claimNo", "+", 1) }))
    .where("runId", "=", run.id)
    .where("state", "in", ["running", "submitted"])
    .execute();
  // One that never started: its rows are listed, and chosen by a retry, as those of any other run.
  await makeRangeChunks(tx, run);
  if (run.execution?.mode === "provider_batch") await cancelBatches(tx, run, parts.queue);
  const counts = (await countRuns(tx, [run.id])).get(run.id) ?? { ...noCounts, running: 0 };
  await endCounted(tx, run, state, error, counts, parts);
}

/** No chunk of the run is claimed any more, and `counts` are its last. */
async function endCounted(
  tx: Transaction,
  run: RunRecord,
  state: TerminalRunState,
  error: { code: string; message: string } | null,
  counts: RunCounts,
  parts: RunParts,
): Promise<void> {
  const { running: _running, countedAt: _countedAt, ...final } = counts;
  const { eventSequence } = await tx
    .updateTable("runs")
    .set((eb) => ({
      state,
      chunksMade: true,
      stateReason: null,
      error: error === null ? null : storableJson(error),
      finalCounts: JSON.stringify(final),
      // By the clock of the database, and never before its start: the API made the run, by a clock that may be ahead.
      finishedAt: sql<Date>`greatest(now(), coalesce(started_at, created_at))`,
      updatedAt: sql<Date>`now()`,
      eventSequence: eb("eventSequence", "+", EVENTS_OF_END),
    }))
    .where(isRowOf("runs", run, run.id))
    .returning("eventSequence")
    .executeTakeFirstOrThrow();
  await recordRunEnd(tx, { ...run, eventSequence }, state);
  await notifyRun(tx, run.id);
  await startWaitingRuns(tx, run.organizationId, parts);
  await settleEndedRun(tx, run.organizationId, run.id);
}

/**
 * `addUsage` adds to the usage of a chunk, and returns whether it is there: of a run that was deleted it is not. Where the run has ended, it
 * was counted before, and is counted again.
 */
export async function recountEndedRun(
  tx: Transaction,
  run: { organizationId: string; id: string },
  addUsage: () => Promise<boolean>,
): Promise<void> {
  const locked = await tx
    .selectFrom("runs")
    .select("finishedAt")
    .where(isRowOf("runs", run, run.id))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!(await addUsage()) || locked === undefined || locked.finishedAt === null) return;
  const counts = (await countRuns(tx, [run.id])).get(run.id);
  if (counts === undefined) return;
  const { running: _running, countedAt: _countedAt, ...final } = counts;
  await tx
    .updateTable("runs")
    .set({ finalCounts: JSON.stringify(final), updatedAt: sql<Date>`now()` })
    .where(isRowOf("runs", run, run.id))
    .execute();
  await notifyRun(tx, run.id);
}

async function findOpenChunk(db: Queryable, runId: string) {
  return db
    .selectFrom("runChunks")
    .select("chunkNo")
    .where("runId", "=", runId)
    .where("state", "!=", "done")
    .limit(1)
    .executeTakeFirst();
}

/** With `atProviders`, those in batches, too. */
export async function hasClaimedChunk(tx: Transaction, runId: string, atProviders?: "atProviders"): Promise<boolean> {
  const row = await tx
    .selectFrom("runChunks")
    .select("chunkNo")
    .where("runId", "=", runId)
    .where("state", "in", atProviders === undefined ? ["running"] : ["running", "submitted"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
