/** What a run is created with beside its dataset, job spec and scope. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Concurrency, ExecutionSchema, FailurePolicySchema } from "./job-spec-policies.ts";
import { Closed, Enum, Metadata, Name, Timestamp, Usd, component } from "./schemas.ts";

export const BudgetSchema = component(
  "Budget",
  Closed(
    {
      maxCostUsd: Usd("Most that the run may spend, in US dollars."),
      onExceeded: Type.Optional(
        Enum(["pause", "cancel"], { description: "What the run does before a call that might exceed it (`pause`)." }),
      ),
    },
    {
      description:
        "The most that a call may cost is reserved before it, and settled after it. Without `parameters.maxOutputTokens`, calls under a budget are limited to 4096 tokens of output. Needs a price for every model that may be asked; requests of `http` without a price count as free.",
    },
  ),
);
export type Budget = Static<typeof BudgetSchema>;

export const runOptions = {
  name: Type.Optional(Name("What people call the run.", "First hundred customers")),
  priority: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: "Among the runs of the organization, 5 is served first (3)." }),
  ),
  concurrency: Type.Optional(Concurrency),
  failurePolicy: Type.Optional(FailurePolicySchema),
  budget: Type.Optional(BudgetSchema),
  execution: Type.Optional(ExecutionSchema),
  deadlineAt: Type.Optional(Timestamp("A run that is not ended by then expires.")),
  metadata: Type.Optional(Metadata),
};
