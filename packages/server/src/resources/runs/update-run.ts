/** Changes of a run that has been made: what it is called, and how its work is done from now on. */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import { isTerminal } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { invalidState } from "../../platform/http/errors.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { findJobSpecVersion } from "../job-specs/job-specs.ts";
import { checkBudgetPrices } from "./budget-prices.ts";
import type { RequestParts } from "./create-run.ts";
import { enqueueLanes, laneCount, startLaneGeneration } from "./lanes.ts";
import { BUDGET_EXHAUSTED, isBeingCanceled, pauseMessage, recordPause } from "./run-actions.ts";
import { openBudget } from "./run-budgets.ts";
import { json } from "../resource.ts";
import { changeRun, findRun, lockRun, showRun } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

/** Finds out whether a new budget could be kept. */
export const prepareUpdate: PrepareFunction<"updateRun", RequestParts> = async (
  db,
  caller,
  { params: { runId: id }, body },
  { queue, processors },
) => {
  if (body.budget !== undefined && body.budget !== null) {
    const { organizationId, jobSpecId, jobSpecVersion } = await findRun(db, caller, id);
    await checkBudgetPrices(processors, await findJobSpecVersion(db, organizationId, jobSpecId, jobSpecVersion));
  }
  return (tx) => updateRun(tx, caller, id, body, queue);
};

/** Lanes follow the run's concurrency by themselves; another number of lanes makes new ones. */
async function updateRun(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  body: Input<Operations["updateRun"]>["body"],
  queue: Queue,
): Promise<Run> {
  const run = await lockRun(tx, caller, id);
  const changesWork =
    body.priority !== undefined ||
    body.concurrency !== undefined ||
    body.failurePolicy !== undefined ||
    body.budget !== undefined;
  if (changesWork && isTerminal(run.state))
    throw invalidState(`The run is ${run.state}: only its name and metadata can still change.`);
  // It was to be canceled with the last of its calls in flight, and stays now until somebody resumes it.
  const lasts = isBeingCanceled(run) && body.budget !== undefined && body.budget?.onExceeded !== "cancel";
  const row = await changeRun(tx, caller, id, {
    name: body.name,
    metadata: json(body.metadata),
    priority: body.priority,
    concurrency: body.concurrency,
    failurePolicy: json(body.failurePolicy),
    budget: json(body.budget),
    ...(lasts && run.budget !== null
      ? { error: json({ code: BUDGET_EXHAUSTED, message: pauseMessage(run.budget) }) }
      : {}),
  });
  if (lasts) await recordPause(tx, row, BUDGET_EXHAUSTED);
  // A running budget counts by itself, calls that are not recorded yet included.
  if (row.budget !== null && run.budget === null) await openBudget(tx, row);
  if (laneCount(row) !== laneCount(run) && hasLanes(row))
    await enqueueLanes(tx, await startLaneGeneration(tx, row), queue);
  await recordAudit(tx, caller, "run.updated", id, body);
  return showRun(tx, row);
}

/** A queued run with a reason waits for capacity and gets its lanes later. */
const hasLanes = (run: RunRecord): boolean =>
  run.state === "running" || (run.state === "queued" && run.stateReason === null);
