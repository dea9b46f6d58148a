/** How the rows of a run reach the model. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Enum, Integer, Nullable, Timestamp, component } from "./schemas.ts";

/** Why rows of a run are not, or no longer, sent in batches. */
export const batchProblemCodes = ["unsupported", "refused", "deadline_near"] as const;
export type BatchProblemCode = (typeof batchProblemCodes)[number];

export const RunExecutionSchema = component(
  "RunExecution",
  Type.Object(
    {
      mode: Enum(["realtime", "provider_batch"]),
      maxWaitSeconds: Nullable(
        Integer({ description: "Longest time that a row waits for its batch; null in real time." }),
      ),
      realTimeSince: Nullable(
        Timestamp("No more batches are made since then: rows without a result continue in real time."),
      ),
      problem: Nullable(
        Type.Object(
          { code: Enum(batchProblemCodes), message: Type.String() },
          {
            description:
              "The last thing that was wrong with batches. `unsupported`: the provider has none, and the run continues in real time. `refused`: it refuses them, and the run is paused (`stateReason: batch_refused`). `deadline_near`: the rest of the time is kept for real time.",
          },
        ),
      ),
    },
    { description: "How the rows are brought to the model." },
  ),
);
export type RunExecution = Static<typeof RunExecutionSchema>;
