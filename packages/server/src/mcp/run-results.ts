/** A run, as tools and tasks describe it to a model. */
import { isTerminal } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import { resultOf } from "./tool-results.ts";
import type { ToolResult } from "./tool-results.ts";
import { plural } from "../platform/plural.ts";

/** Nothing in it was written by anybody else. */
export function summaryOf({ id, state, stateReason, rows, usage, budget, progress }: Run): string {
  const counts = `${rows.succeeded} succeeded, ${rows.failed} failed, ${rows.pending + rows.running} open of ${plural(rows.total, "row")}`;
  const cost = usage.costUsd === null ? "cost unknown" : `$${usage.costUsd} spent`;
  const limit = budget === null ? "no budget" : `budget $${budget.maxCostUsd}`;
  const reason = stateReason === null ? "" : ` (${stateReason})`;
  const left =
    isTerminal(state) || progress.etaSeconds === null
      ? ""
      : ` About ${plural(progress.etaSeconds, "second is", "seconds are")} left.`;
  return `Run ${id} is ${state}${reason}: ${counts}; ${cost}, ${limit}.${left}`;
}

/** The tool that does what the API names as a next step; what has none is for a person, or done by waiting. */
const toolsOfSteps: Partial<Record<Run["nextSteps"][number]["action"], string>> = {
  wait: "wait_for_run",
  resume: "control_run",
  cancel: "control_run",
  raise_budget: "control_run",
  read_failures: "inspect_failures",
  add_version: "write_spec",
  retry: "retry_run",
  create_again: "write_spec",
};

export function describeRun(run: Run): ToolResult {
  const { error, nextSteps } = run;
  return resultOf(summaryOf(run), [
    ...(error === null ? [] : [{ error }]),
    ...nextSteps.map(({ action, description }) => ({ nextStep: action, tool: toolsOfSteps[action], description })),
  ]);
}
