/** What a run has counted: its rows, and what they have used. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Nullable, SafeCount, Usd, component } from "./schemas.ts";

export const RunRowCountsSchema = component(
  "RunRowCounts",
  Type.Object({
    total: SafeCount("Rows of the run; the other members always add up to it."),
    pending: SafeCount("Not begun."),
    running: SafeCount(
      "Begun and not finished, or in a batch at the provider. Workers report this twice a second; of a chunk that a worker has just taken, the rows count that it begins at once.",
    ),
    succeeded: SafeCount("Have an output."),
    failed: SafeCount("Have a failure."),
    canceled: SafeCount("Never finished, since the run was canceled."),
    skipped: SafeCount("Never finished, since the run failed or expired."),
  }),
);
export type RunRowCounts = Static<typeof RunRowCountsSchema>;

export const UsageSchema = component(
  "Usage",
  Type.Object({
    inputTokens: SafeCount("Tokens sent to models."),
    outputTokens: SafeCount("Tokens received from models."),
    requests: SafeCount("Calls to the outside."),
    attempts: SafeCount("Attempts at rows."),
    unpricedRequests: SafeCount("Calls whose price is not known."),
    costUsd: Nullable(
      Usd("What the calls cost by the prices of their connections; null when some price is not known."),
    ),
  }),
);
