/** Ends of batches: what is left of their chunks, of the money that was set aside, and of their run. */
import { sql } from "kysely";
import type { BatchProblemCode } from "@rowmill/contract/run-execution";
import type { Transaction } from "../../platform/database/database.ts";
import { isRow, isRowOf } from "../../platform/database/row-key.ts";
import { finishRunIfDone } from "../../resources/runs/finish-run.ts";
import { countLanes, enqueueLane, findRunningRun, laneCount } from "../../resources/runs/lanes.ts";
import type { LaneParts } from "../lanes/prepared-runs.ts";
import { BUDGET_EXHAUSTED, letRunGoOn, pauseRunBecause } from "../../resources/runs/run-actions.ts";
import { settleBatch } from "../../resources/runs/run-budgets.ts";
import { cancelIfOverBudget } from "../policies/run-policies.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { lockPass, releaseChunks } from "../../resources/runs/provider-batch-records.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import { goRealTime } from "../lanes/open-batches.ts";
import { storableJson } from "../../platform/text.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** `stateReason` of a run whose batches the provider refuses. */
export const BATCH_REFUSED = "batch_refused";

export interface BatchEnd {
  state: "ended" | "failed" | "canceled";
  /** Where chunks go that are still in the batch. */
  rest: "batches" | "real_time";
  error?: { code: string; message: string } | undefined;
  /** What the run says of it. */
  problem?: { code: BatchProblemCode; message: string } | undefined;
}

/** Nothing happens where another pass has begun. */
export async function closeBatch(parts: LaneParts, batch: BatchRecord, end: BatchEnd): Promise<void> {
  const { organizationId, runId } = batch;
  const isClosed = await parts.database.transaction(async (tx) => {
    // The run before its chunks and the batch: see "The order of locks" in `docs/architecture.md`.
    const run = await lockRunOf(tx, batch);
    if (!(await lockPass(tx, batch))) return false;
    await releaseChunks(tx, batch, end.rest);
    await settleBatch(tx, { organizationId, id: runId }, batch.id, 0n, true);
    await tx
      .updateTable("providerBatches")
      .set({
        state: end.state,
        finishedAt: sharedNow(),
        nextTurnAt: null,
        turnJob: null,
        reservedUsd: "0",
        ...(end.error === undefined ? {} : { error: storableJson(end.error) }),
      })
      .where(isRow({ organizationId }, batch.id))
      .execute();
    if (run !== undefined && run.finishedAt === null) {
      await applyProblem(tx, run, end.problem);
      await fillLanes(tx, organizationId, runId, parts);
    }
    // Its run was deleted while the batch was being canceled.
    if (run === undefined) await tx.deleteFrom("providerBatches").where(isRow({ organizationId }, batch.id)).execute();
    return true;
  });
  if (!isClosed) return;
  await finishRunIfDone(parts.database, organizationId, runId, parts);
  await followBudget(parts, batch);
}

/** Locked; undefined: it was deleted and purged. */
export async function lockRunOf(tx: Transaction, batch: BatchRecord): Promise<RunRecord | undefined> {
  return tx
    .selectFrom("runs")
    .selectAll()
    .where(isRowOf("runs", batch, batch.runId))
    .forUpdate()
    .executeTakeFirst();
}

async function applyProblem(tx: Transaction, run: RunRecord, problem: BatchEnd["problem"]): Promise<void> {
  if (problem === undefined) return;
  const { code, message } = problem;
  if (code !== "refused") return goRealTime(tx, run, code, message);
  await tx
    .updateTable("runs")
    .set({ batchProblem: storableJson(problem), updatedAt: sharedNow() })
    .where(isRowOf("runs", run, run.id))
    .execute();
  await pauseRunBecause(tx, run, BATCH_REFUSED, message);
}

/** Lanes end when there is nothing to claim; now there may be. They open the next batches as well. The run is locked. */
export async function fillLanes(
  tx: Transaction,
  organizationId: string,
  runId: string,
  parts: LaneParts,
): Promise<void> {
  const run = await findRunningRun(tx, organizationId, runId);
  if (run === undefined) return;
  const { rows } = await sql`
    select 1 from run_chunks where run_id = ${runId} and state = 'pending' limit 1`.execute(tx);
  if (rows.length === 0) return;
  for (let lanes = await countLanes(tx, run); lanes < laneCount(run); lanes++)
    await enqueueLane(tx, run, { lane: lanes }, parts.queue);
}

/**
 * A run was paused since all of its money was spent, or set aside for batches. What this one did not need may be enough to go
 * on; if nothing is left, `onExceeded: cancel` ends it now that nothing of it is under way.
 */
async function followBudget(parts: LaneParts, batch: BatchRecord): Promise<void> {
  const { organizationId, runId } = batch;
  const goesOn = await parts.database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRowOf("runs", { organizationId }, runId))
      .where("state", "=", "paused")
      .where("stateReason", "=", BUDGET_EXHAUSTED)
      .forUpdate()
      .executeTakeFirst();
    if (run === undefined) return true;
    const budget = await tx
      .selectFrom("runBudgets")
      .select("exhaustedAtUsd")
      .where("runId", "=", runId)
      .executeTakeFirst();
    // One that had nothing set aside frees nothing.
    if (budget?.exhaustedAtUsd !== null || Number(batch.reservedUsd) === 0) return false;
    await letRunGoOn(tx, run, parts);
    return true;
  });
  if (!goesOn) await cancelIfOverBudget(parts.database, { organizationId, id: runId }, parts);
}
