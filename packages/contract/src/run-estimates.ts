/** Dry runs: what a run would take and cost. Nothing is made, called or paid. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureCodeNames } from "./failures.ts";
import { jobSpecWarnings } from "./job-specs.ts";
import { Enum, Id, Nullable, SafeCount, Usd, component } from "./schemas.ts";

/** Enough that a mean is known to a few percent where rows are alike, and rendered within a second. */
export const MAX_SAMPLED_ROWS = 200;
/** A person reads the first ones; what is wrong with a row is mostly wrong with many. */
export const MAX_ESTIMATE_PROBLEMS = 20;

/** What would make the estimate narrower, or the run cheaper to try. */
export const estimateSuggestions = ["cap_output_tokens", "sample_first"] as const;

export const estimateBases = ["earlier_results", "limits", "no_calls"] as const;

const Counts = (description: string) =>
  Type.Object(
    { low: SafeCount("At least."), expected: SafeCount("Most likely."), high: SafeCount("At most.") },
    { description },
  );

export const RunEstimateSchema = component(
  "RunEstimate",
  Type.Object(
    {
      dryRun: Type.Literal(true),
      rows: SafeCount("Rows that the run would have."),
      estimate: Type.Object({
        basis: Enum(estimateBases, {
          description:
            "Where the number and length of outputs come from: `earlier_results` of the same version of the job spec (20 or more), " +
            "else the `limits` of the processor, which makes a wide range; `no_calls`: the processor calls nobody.",
        }),
        sampledRows: SafeCount("Rows that were rendered, spread evenly over those of the run."),
        failingSampledRows: SafeCount("Those among them that would fail before anything is called."),
        cachedSampledRows: Type.Optional(
          SafeCount(
            "Sampled rows whose outputs the cache has: nothing is called for them, unless an output does not fit the `outputSchema` of the job spec. " +
              "Absent: outputs of the job spec are not taken from a cache, or the key lacks `datasets:read`.",
          ),
        ),
        requests: Counts(
          "Calls to the outside; repair attempts and further attempts are in `high`, or in earlier results.",
        ),
        inputTokens: Counts("Tokens sent to models."),
        outputTokens: Counts("Tokens received from models."),
        costUsd: Nullable(
          Type.Object(
            { low: Usd("At least."), expected: Usd("Most likely."), high: Usd("At most.") },
            { description: "By the prices that hold now; null when the price of the job spec's model is not known." },
          ),
        ),
        unpricedModels: Type.Array(Type.Object({ connectionId: Id("connection"), model: Type.String() }), {
          description: "Models of the job spec, fallbacks included, whose price is not known.",
        }),
        durationSeconds: Nullable(
          Type.Object(
            { low: SafeCount("At least."), expected: SafeCount("Most likely."), high: SafeCount("At most.") },
            {
              description:
                "What the rate limit of the connection makes it take when nothing else uses the connection; null without a rate limit.",
            },
          ),
        ),
      }),
      problems: Type.Array(
        Type.Object({
          datasetRowId: Nullable(Id("row", "Null: it is about all rows.")),
          index: Nullable(SafeCount("Position in the dataset, from 0; null: it is about all rows.")),
          code: Enum([...failureCodeNames, ...jobSpecWarnings]),
          message: Type.String({
            description:
              "About a row, for a key without `datasets:read`: what the code means, and not the row's own words.",
          }),
        }),
        {
          maxItems: MAX_ESTIMATE_PROBLEMS,
          description:
            "What is wrong with the templates for all rows, and sampled rows that would fail before anything is called; the first of them.",
        },
      ),
      suggestions: Type.Array(Type.Object({ code: Enum(estimateSuggestions), message: Type.String() }), {
        description: "What to do about an estimate that spans far, before the run is created.",
      }),
    },
    {
      description:
        "`low` and `high` contain the error of the sample (95 %) and what is unknown about outputs. What the cache has of the sampled rows is taken off; what equal rows save is not.",
    },
  ),
);
export type RunEstimate = Static<typeof RunEstimateSchema>;

/** A member of what creates a run. */
export const dryRun = Type.Optional(
  Type.Boolean({
    description:
      "Creates no run, and returns 200 with what it would take and cost: some rows are rendered, nothing is called.",
  }),
);
/** The response to it. */
export const estimated = {
  when: "dryRun",
  status: 200,
  schema: RunEstimateSchema,
  description: "With `dryRun`: what the run would take and cost. There is no run.",
} as const;
