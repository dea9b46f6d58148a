/** What somebody can do about a run that waits, is paused, or has ended without all of its rows: the likeliest first. */
import type { NextStep, StateReason } from "@rowmill/contract/run-reasons";
import type { RunState } from "@rowmill/contract/runs";

export interface StoppedRun {
  /** As clients know it. */
  id: string;
  jobSpecId: string;
  state: RunState;
  stateReason: StateReason | null;
  /** Rows that have a failure, and rows that have no result. */
  failed: number;
  unfinished: number;
  /** The job spec is archived: it takes no versions and no runs, retry runs included. */
  isArchived: boolean;
}

export function nextStepsOf(run: StoppedRun): NextStep[] {
  if (run.stateReason !== null) return stepsBecause(stepsWith(run), run.isArchived)[run.stateReason];
  const hasEnded = ["partially_succeeded", "failed", "canceled", "expired"].includes(run.state);
  if (!hasEnded || run.failed + run.unfinished === 0) return [];
  const steps = stepsWith(run);
  const again = run.isArchived ? steps.createAgain : steps.retry;
  return run.failed === 0 ? [again] : [steps.readFailures, again];
}

const stepsWith = ({ id, jobSpecId }: StoppedRun) =>
  ({
    raiseBudget: {
      action: "raise_budget",
      description: "Sets a higher `budget.maxCostUsd`; resume the run afterwards.",
      method: "PATCH",
      path: `/v1/runs/${id}`,
    },
    resume: {
      action: "resume",
      description: "Goes on with the rows that have no result.",
      method: "POST",
      path: `/v1/runs/${id}/resume`,
    },
    cancel: {
      action: "cancel",
      description: "Ends the run; finished rows are kept.",
      method: "POST",
      path: `/v1/runs/${id}/cancel`,
    },
    retry: {
      action: "retry",
      description: "Makes a new run of the rows that have not succeeded; finished rows are kept.",
      method: "POST",
      path: `/v1/runs/${id}/retry`,
    },
    createAgain: {
      action: "create_again",
      description:
        "The job spec is archived, so the run cannot be retried: makes another job spec with its definition, for a new run over the rows.",
      method: "POST",
      path: "/v1/job-specs",
    },
    readFailures: {
      action: "read_failures",
      description: "Lists why rows failed, by cause, with an example of each.",
      method: "GET",
      path: `/v1/runs/${id}/failure-groups`,
    },
    addVersion: {
      action: "add_version",
      description: "Corrects the job spec: a retry run with this `jobSpecVersion` uses it.",
      method: "POST",
      path: `/v1/job-specs/${jobSpecId}/versions`,
    },
  }) satisfies Record<string, NextStep>;

/** Of a run that waits or is paused. */
const stepsBecause = (
  { raiseBudget, resume, cancel, readFailures, addVersion }: ReturnType<typeof stepsWith>,
  isArchived: boolean,
): Record<StateReason, NextStep[]> => ({
  waiting_for_capacity: [
    { action: "wait", description: "The run starts by itself when another run of the organization ends." },
    cancel,
  ],
  by_user: [resume, cancel],
  budget_exhausted: [raiseBudget, resume, cancel],
  breaker_open: [
    readFailures,
    { ...resume, description: "After the connection was corrected: goes on with the rows that have no result." },
    ...(isArchived
      ? [cancel]
      : [
          {
            ...cancel,
            description: "If the job spec is at fault: ends the run, so that it can be retried with a new version.",
          },
          addVersion,
        ]),
  ],
  batch_refused: [resume, cancel],
  organization_suspended: [{ action: "ask_operator", description: "Only the operator can end the suspension." }],
  storage_limit_reached: [
    { action: "ask_operator", description: "Raises the limit. Deleting datasets, runs or exports makes room, too." },
    cancel,
  ],
  insufficient_storage: [{ action: "wait", description: "The run goes on by itself when there is room." }, cancel],
});
