/** Why a run waits, is paused, or was ended before all of its rows were: one table of reasons and one of errors. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Enum, component } from "./schemas.ts";

interface ReasonEntry {
  meaning: string;
  /** What usually stands behind it. */
  cause: string;
  action: string;
}

/** `stateReason` of runs. */
export const stateReasons = {
  waiting_for_capacity: {
    meaning: "The run waits because the organization has as many runs in progress as it may have.",
    cause: "Many runs were created at once, or those in progress are slow.",
    action: "Wait until another run ends, or cancel one that is not needed.",
  },
  by_user: {
    meaning: "A user has paused the run.",
    cause: "Somebody paused it in the console, by the command, by the API or by a tool of an agent.",
    action: "Resume it to continue, or cancel it.",
  },
  budget_exhausted: {
    meaning:
      "The budget of the run is used up: what is left does not cover what the next call may cost. Raise the budget and resume the run.",
    cause:
      "The budget was an estimate of the first rows, or later rows and retries cost more. Calls reserve the most that they can cost.",
    action: "Raise `budget.maxCostUsd` and resume the run, or cancel it; finished rows are kept.",
  },
  breaker_open: {
    meaning: "Nearly all of the first rows failed because of the job spec or its connection. The rest was not tried.",
    cause: "A wrong key, model, template or schema fails every row in the same way.",
    action:
      "Read the failures. If the connection was at fault, correct it and resume the run. If the job spec was, cancel the run, add a version, and retry with it.",
  },
  batch_refused: {
    meaning: "The provider refuses the batches of the run.",
    cause: "The account may not use batches, has too many in progress, or the provider does not accept the requests.",
    action: "Correct what `execution.problem` names and resume the run, or cancel it.",
  },
  organization_suspended: {
    meaning: "The organization is suspended. The run continues by itself when that ends.",
    cause: "The operator has suspended it.",
    action: "Ask the operator of the service.",
  },
  storage_limit_reached: {
    meaning: "The organization stores as much as it may. The run continues by itself when there is space.",
    cause: "Results of this run or of others filled what the operator allows.",
    action: "Delete datasets, runs or exports that are not needed, or ask the operator to raise the limit.",
  },
  insufficient_storage: {
    meaning: "The service has too little free space. The run continues by itself when there is enough.",
    cause: "The disk of the service is nearly full.",
    action: "Wait, or ask the operator of the service.",
  },
} as const satisfies Record<string, ReasonEntry>;
export type StateReason = keyof typeof stateReasons;
export const stateReasonNames = Object.keys(stateReasons) as StateReason[];

/** `error.code` of runs, beside the reasons of pauses. */
export const runErrors = {
  failure_policy: {
    meaning: "More rows failed than the failure policy of the run allows.",
    cause: "The rows are unlike those that the job spec was tested with, or a service was down for long.",
    action: "Read the failures, correct their cause, and retry the run; or change `failurePolicy`.",
  },
  budget_exceeded: {
    meaning: "The budget of the run was used up, and it says `onExceeded: cancel`.",
    cause: "Rows or retries cost more than the budget allowed.",
    action: "Retry the run with a higher `budget.maxCostUsd`; finished rows are kept.",
  },
  time_limit_exceeded: {
    meaning: "Too many rows hit a time limit of the service.",
    cause: "Code or patterns of the job spec need too much computation for rows of this kind.",
    action: "Make the code of the job spec faster, test it on some of these rows, and retry the run with that version.",
  },
  internal_error: {
    meaning: "An error of the service ended the run.",
    cause: "A defect of the service. Its log has the cause, by the id of the run.",
    action: "Retry the run. If it happens again, send the run's id to the operator.",
  },
} as const satisfies Record<string, ReasonEntry>;

export const nextActions = [
  "wait",
  "resume",
  "cancel",
  "raise_budget",
  "read_failures",
  "add_version",
  "retry",
  "create_again",
  "send_content",
  "upload_again",
  "export_again",
  "ask_operator",
] as const;

export const NextStepSchema = component(
  "NextStep",
  Type.Object(
    {
      action: Enum(nextActions),
      description: Type.String({ description: "What it does, as a sentence." }),
      method: Type.Optional(Enum(["GET", "POST", "PATCH", "PUT"])),
      path: Type.Optional(Type.String({ examples: ["/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz/retry"] })),
    },
    { description: "Something that can be done now. Method and path are absent where no request does it." },
  ),
);
export type NextStep = Static<typeof NextStepSchema>;
