/** What a version of a job spec says about attempts, failures, the cache, duplicates, the way of execution, and rows in flight. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Closed, Enum, OneOf, component } from "./schemas.ts";

export const RetryPolicySchema = component(
  "RetryPolicy",
  Closed(
    {
      maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: "Attempts in all (4)." })),
      initialDelayMs: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 600_000, description: "Before the second attempt (1000)." }),
      ),
      multiplier: Type.Optional(Type.Number({ minimum: 1, maximum: 10, description: "Growth of the delay (2)." })),
      maxDelayMs: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 3_600_000, description: "Longest delay (60000)." }),
      ),
    },
    { description: "How often a run itself tries a row again after a transient or system failure, with full jitter." },
  ),
);
export type RetryPolicy = Static<typeof RetryPolicySchema>;

export const FailurePolicySchema = component(
  "FailurePolicy",
  Closed(
    {
      maxFailedRows: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
      maxFailedPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      minEvaluatedRows: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description: "Finished rows before the percentage counts (100).",
        }),
      ),
    },
    { description: "Ends the run as `failed` when more rows fail than this. Without one, every row is tried." },
  ),
);
export type FailurePolicy = Static<typeof FailurePolicySchema>;

export const CachePolicySchema = component(
  "CachePolicy",
  Closed(
    {
      mode: Enum(["read_write", "off"]),
      ttlSeconds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 366 * 86_400, description: "How long an output is used again (30 days)." }),
      ),
    },
    {
      description:
        "Whether an output is taken from an earlier row of the organization that asked the same: same connection, model and rendered request. Such an output has `usage.cached` and costs nothing.",
    },
  ),
);
export type CachePolicy = Static<typeof CachePolicySchema>;

export const Dedupe = Enum(["none", "exact"], {
  description:
    "`exact`: rows of a run with the same content are processed once, and the others get the same result with `usage.cached`.",
});

/** Providers complete a batch within a day, and cancel what is older. */
export const DEFAULT_MAX_WAIT_SECONDS = 86_400;

export const ExecutionSchema = component(
  "Execution",
  OneOf("mode", [
    Closed({ mode: Type.Literal("realtime") }, { description: "A call for every row." }),
    Closed(
      {
        mode: Type.Literal("provider_batch"),
        maxWaitSeconds: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 7 * 86_400,
            description: "Longest time that a row waits for its batch (86400); then it continues in real time.",
          }),
        ),
      },
      {
        description:
          "Rows are sent to the provider in files, which it processes within a day at a lower price. For `llm` only. Rows for which the provider returns nothing, or that need another request, continue in real time.",
      },
    ),
  ]),
);
export type Execution = Static<typeof ExecutionSchema>;

/** Rows in flight at once within a run, for processors that wait for others. */
export const Concurrency = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: "Most rows of a run in flight at once.",
});
