/** Cancel, pause, resume. Each is one transaction under the run's lock; lanes see the new state within a second. */
import type { AuditEventType } from "@rowmill/contract/audit-events";
import type { Budget } from "@rowmill/contract/run-options";
import type { StateReason } from "@rowmill/contract/run-reasons";
import type { Run } from "@rowmill/contract/runs";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, invalidState } from "../../platform/http/errors.ts";
import { formatId } from "../../platform/ids.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { RETRY_WITH_HIGHER_BUDGET } from "./error-advice.ts";
import { startWaitingRuns } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { endRun, hasClaimedChunk } from "./finish-run.ts";
import { WAITING_FOR_CAPACITY, enqueueLanes, startLaneGeneration } from "./lanes.ts";
import { notifyRun } from "./run-changes.ts";
import { isBudgetExhausted } from "./run-budgets.ts";
import { recordRunState, runData } from "./run-events.ts";
import { findRun, lockRun, showRun } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

/** `stateReason` of a run whose next call might have exceeded its budget. */
export const BUDGET_EXHAUSTED = "budget_exhausted";
/** `error.code` of a run that its budget cancels, or has canceled. */
export const BUDGET_EXCEEDED = "budget_exceeded";
/** `stateReason` of a run that a person has paused. */
const PAUSED_BY_USER = "by_user";

/** Finished rows are kept. Canceling twice changes nothing. */
export async function cancelRun(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  parts: RunParts,
): Promise<Run> {
  const run = await lockRun(tx, caller, id);
  if (run.state === "canceling" || run.state === "canceled") return showRun(tx, run);
  if (run.finishedAt !== null) throw invalidState(`The run is ${run.state}: it cannot be canceled any more.`);
  await audit(tx, caller, "run.cancel_requested", id);
  if (await hasClaimedChunk(tx, id)) {
    await setState(tx, run, "canceling", null);
    await notifyRun(tx, id);
  } else {
    await endRun(tx, run, "canceled", null, parts);
  }
  return showRun(tx, await findRun(tx, caller, id));
}

export async function pauseRun(tx: Transaction, caller: OrganizationCaller, id: string): Promise<Run> {
  const run = await lockRun(tx, caller, id);
  if (run.state === "paused") return showRun(tx, run);
  if (run.state !== "queued" && run.state !== "running")
    throw invalidState(`The run is ${run.state}: only a queued or running run can be paused.`);
  await audit(tx, caller, "run.paused", id);
  await pauseRunBecause(tx, run, PAUSED_BY_USER);
  return showRun(tx, await findRun(tx, caller, id));
}

/** A run that had not started returns to the queue, any other continues. */
export async function resumeRun(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  parts: RunParts,
): Promise<Run> {
  const run = await lockRun(tx, caller, id);
  if (run.state === "queued" || run.state === "running") return showRun(tx, run);
  if (run.state !== "paused") throw invalidState(`The run is ${run.state}: only a paused run can be resumed.`);
  if (run.stateReason === BUDGET_EXHAUSTED && (await isBudgetExhausted(tx, run)))
    throw new ApiError(
      "budget_exceeded",
      `The budget of ${run.budget?.maxCostUsd ?? ""} USD is used up: raise \`budget.maxCostUsd\` first (PATCH /v1/runs/${formatId("run", id)}).`,
      { param: "budget.maxCostUsd" },
    );
  await audit(tx, caller, "run.resumed", id);
  await letRunGoOn(tx, run, parts);
  return showRun(tx, await findRun(tx, caller, id));
}

/** `run` is locked and paused. */
export async function letRunGoOn(tx: Transaction, run: RunRecord, parts: RunParts): Promise<void> {
  const isStarted = run.startedAt !== null;
  await setState(tx, run, isStarted ? "running" : "queued", isStarted ? null : WAITING_FOR_CAPACITY);
  if (!isBeingCanceled(run))
    await recordRunState(tx, run, { type: "run.resumed", data: runData(run, isStarted ? "running" : "queued") });
  // Lanes of before the pause may still be on their way: they end when they see the new generation.
  const renewed = await startLaneGeneration(tx, run);
  if (isStarted) await enqueueLanes(tx, renewed, parts.queue);
  else await startWaitingRuns(tx, run.organizationId, parts);
}

/**
 * `run` is locked. Claimed chunks are released as soon as their lanes notice. `message` says what the reason is in this case;
 * it is the run's error until the run continues.
 */
export async function pauseRunBecause(
  tx: Transaction,
  run: RunRecord,
  reason: StateReason,
  message?: string,
): Promise<void> {
  if (run.state !== "running" && run.state !== "queued") return;
  await setState(tx, run, "paused", reason, message === undefined ? null : { code: reason, message });
  await recordPause(tx, run, reason);
  await notifyRun(tx, run.id);
}

export const recordPause = (tx: Transaction, run: RunRecord, reason: StateReason): Promise<void> =>
  recordRunState(tx, run, { type: "run.paused", data: { ...runData(run, "paused"), reason } });

/**
 * `run` is locked, and its budget cancels it: nothing of it begins any more, and it ends with the last of its calls in flight, which
 * are paid for. Until then it is paused without an event, since nobody has to act. Its error distinguishes it from a pause that lasts.
 */
export async function pauseUntilCanceled(tx: Transaction, run: RunRecord, message: string): Promise<void> {
  await setState(tx, run, "paused", BUDGET_EXHAUSTED, { code: BUDGET_EXCEEDED, message });
  await notifyRun(tx, run.id);
}

/** Of a run that waits for a larger budget. */
export const pauseMessage = ({ maxCostUsd }: Budget): string =>
  `The budget of ${maxCostUsd} USD is used up: what is left does not cover what the next call may cost. ` +
  "Raise `budget.maxCostUsd` and resume the run.";

/** Of a run that its budget cancels. */
export const cancelMessage = ({ maxCostUsd }: Budget): string =>
  `The budget of ${maxCostUsd} USD is used up. ${RETRY_WITH_HIGHER_BUDGET}`;

export const isBeingCanceled = ({ state, error }: RunRecord): boolean =>
  state === "paused" && error?.code === BUDGET_EXCEEDED;

async function setState(
  tx: Transaction,
  run: RunRecord,
  state: "queued" | "running" | "paused" | "canceling",
  stateReason: StateReason | null,
  error: { code: string; message: string } | null = null,
): Promise<void> {
  await tx
    .updateTable("runs")
    .set({ state, stateReason, error: error === null ? null : JSON.stringify(error), updatedAt: sql<Date>`now()` })
    .where(isRowOf("runs", run, run.id))
    .execute();
}

async function audit(tx: Transaction, caller: OrganizationCaller, type: AuditEventType, id: string): Promise<void> {
  await recordAudit(tx, caller, type, id);
}
