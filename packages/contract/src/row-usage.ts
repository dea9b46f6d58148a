/** What was used for one row: tokens, calls, money. */
import { Type } from "typebox";
import { failureCodeNames } from "./failures.ts";
import { Enum, Id, Integer } from "./schemas.ts";

export const RowCallSchema = Type.Object(
  {
    connectionId: Type.Optional(Id("connection")),
    model: Type.Optional(Type.String({ description: "As the job spec names it." })),
    reportedModel: Type.Optional(Type.String({ description: "As the provider reported it." })),
    requestId: Type.Optional(Type.String({ description: "The provider's own name for the request." })),
    inputTokens: Type.Optional(Integer()),
    outputTokens: Type.Optional(Integer()),
    costUsd: Type.Optional(Type.String({ description: "Absent where no price is known." })),
    costAssumed: Type.Optional(
      Type.Literal(true, {
        description:
          "The other side has not reported what the call used, such as where its response was lost: `costUsd` is the most that it may have cost.",
      }),
    ),
    code: Type.Optional(Enum(failureCodeNames, { description: "Why the call gave no output." })),
  },
  { description: "One call to the outside, whatever came of it." },
);

export const RowUsageSchema = Type.Object({
  inputTokens: Type.Optional(Integer()),
  outputTokens: Type.Optional(Integer()),
  requests: Type.Optional(Integer()),
  costUsd: Type.Optional(Type.String({ description: "Of the calls whose price is known." })),
  unpricedRequests: Type.Optional(Integer({ description: "Calls whose price is not known." })),
  cached: Type.Optional(Type.Literal(true, { description: "The result was there already: nothing was called." })),
  calls: Type.Optional(Type.Array(RowCallSchema, { description: "The last 20 calls, failed attempts included." })),
  // Behind the others: an export has a column for each.
  assumedCostUsd: Type.Optional(
    Type.String({ description: "The part of `costUsd` that is assumed: of calls with `costAssumed`." }),
  ),
});
