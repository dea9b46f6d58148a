/**
 * Ends of runs. Terminal states never change: every end goes through `endRun`, which holds the run's row, adds the counters
 * up for good, records its event, and lets waiting runs begin.
 */
import { isTerminal } from "@rowmill/contract/runs";
import type { TerminalRunState } from "@rowmill/contract/runs";
import type { OrganizationDatabase, Queryable, Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { startWaitingRuns } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { brokenPolicy, failurePolicyError } from "./failure-policy.ts";
import { cancelBatches } from "./provider-batch-records.ts";
import { makeRangeChunks } from "./range-chunks.ts";
import { settleEndedRun } from "./result-bytes.ts";
import { notifyRun } from "./run-changes.ts";
import { recordRunEnd } from "./run-events.ts";
import { countRuns, lockRun, noCounts } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import { storableJson } from "../../platform/text.ts";

/** Ends the run if nothing of it is left to do. Called after every turn that found no chunk, and by the sweep. */
export async function finishRunIfDone(
  database: OrganizationDatabase,
  organizationId: string,
  runId: string,
  parts: RunParts,
): Promise<void> {
  // Looked at without a lock first: most turns end while other lanes still work.
  const open = await findOpenChunk(database.db, runId);
  await database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRow({ organizationId }, runId))
      .where("finishedAt", "is", null)
      .$if(open === undefined, (q) => q.forUpdate())
      .executeTakeFirst();
    if (!run) return;
    if (run.state === "canceling") {
      if (!(await hasClaimedChunk(tx, runId)))
        await endRun(tx, await lockRun(tx, { organizationId }, runId), "canceled", null, parts);
      return;
    }
    if (run.state !== "running" || open !== undefined) return;
    const counts = (await countRuns(tx, [runId])).get(runId);
    const succeeded = counts?.succeeded ?? 0;
    const failed = counts?.failed ?? 0;
    if (succeeded + failed !== run.rowTotal)
      throw new Error(`run ${runId} has ${run.rowTotal} rows, but its chunks count ${succeeded + failed}`);
    const broken = brokenPolicy(run, succeeded, failed);
    if (broken !== undefined) return endRun(tx, run, "failed", failurePolicyError(broken), parts);
    await endRun(tx, run, failed === 0 ? "succeeded" : succeeded === 0 ? "failed" : "partially_succeeded", null, parts);
  });
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
  const counts = (await countRuns(tx, [run.id])).get(run.id);
  const { running: _running, ...final } = counts ?? { ...noCounts, running: 0 };
  const now = new Date();
  await tx
    .updateTable("runs")
    .set({
      state,
      chunksMade: true,
      stateReason: null,
      error: error === null ? null : storableJson(error),
      finalCounts: JSON.stringify(final),
      finishedAt: now,
      updatedAt: now,
    })
    .where(isRow(run, run.id))
    .execute();
  await recordRunEnd(tx, run, state);
  await notifyRun(tx, run.id);
  await startWaitingRuns(tx, run.organizationId, parts);
  await settleEndedRun(tx, run.organizationId, run.id);
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
