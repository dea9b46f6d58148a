/** What the rows of an organization's runs and tests of job specs have used, and what it cost. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf, choiceFilter, dateFilter, idFilter } from "./pagination.ts";
import { Id, Nullable, SafeCount, Usd, component } from "./schemas.ts";

export const usageGroupings = ["day", "run", "api_key", "job_spec", "model"] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

/** Days that one request is about: what is added up is bounded by them. */
export const MAX_USAGE_DAYS = 366;
export const DEFAULT_USAGE_DAYS = 30;

export const UsageGroupSchema = component(
  "UsageGroup",
  Type.Object({
    day: Type.Optional(
      Type.String({ format: "date", description: "Day (UTC); of `groupBy=day`.", examples: ["2026-11-20"] }),
    ),
    runId: Type.Optional(
      Nullable(
        Id(
          "run",
          "Of `groupBy=run`. The run may have been deleted: what it has cost stays. Null: all tests of job specs together.",
        ),
      ),
    ),
    apiKeyId: Type.Optional(
      Nullable(Id("apiKey", "The key that made the runs and tests; of `groupBy=api_key`. Null where it is not known.")),
    ),
    jobSpecId: Type.Optional(Id("jobSpec", "Of `groupBy=job_spec`.")),
    model: Type.Optional(
      Nullable(
        Type.String({
          description:
            "Of `groupBy=model`: the model that the version of the job spec names first; calls to its fallbacks count with it. Null: job specs that call no model.",
          examples: ["gpt-5-mini"],
        }),
      ),
    ),
    rows: SafeCount("Rows that have ended, and for which something was called."),
    attempts: SafeCount("Attempts at rows."),
    requests: SafeCount("Calls to the outside."),
    inputTokens: SafeCount("Tokens sent to models."),
    outputTokens: SafeCount("Tokens received from models."),
    unpricedRequests: SafeCount("Calls whose price is not known."),
    costUsd: Nullable(
      Usd("What the calls cost by the prices of their connections; null when some price is not known."),
    ),
    pricedCostUsd: Usd("What the calls with a known price cost: the least that all of them have cost."),
    tests: Type.Object(
      {
        requests: SafeCount("Calls to the outside."),
        costUsd: Nullable(Usd("What these calls cost; null when some price is not known.")),
      },
      { description: "The part that tests of job specs have used; it is contained in the other members." },
    ),
  }),
);
export type UsageGroup = Static<typeof UsageGroupSchema>;

export const usageOperations = {
  listUsage: operation({
    method: "GET",
    path: "/v1/usage",
    tag: "Usage",
    summary: "List what was used and what it cost, by day, run, API key, job spec or model",
    description:
      "Of the calls that runs and tests of job specs have made to models and services; `tests` is the part of the tests. A call " +
      "belongs to the day (UTC) on which the result of its row was recorded, or its test ended. Days come newest first, other groups the most expensive first, and by " +
      "their calls where costs are equal. Days and groups without calls are left out. While runs continue, sums grow, and a group " +
      "may move between pages. What a deleted run has cost stays.",
    access: { by: "organization", scopes: ["organization:read"] },
    idempotency: "none",
    filters: {
      from: dateFilter(`First day (UTC); ${DEFAULT_USAGE_DAYS} days up to \`to\` if absent.`),
      to: dateFilter(`Last day (UTC), at most ${MAX_USAGE_DAYS} days with the first; today if absent.`),
      groupBy: choiceFilter(usageGroupings, "What is added up together; `day` if absent."),
      runId: idFilter("run", "Usage of this run."),
      apiKeyId: idFilter("apiKey", "Usage of runs and tests that were made with this key."),
      jobSpecId: idFilter("jobSpec", "Usage of runs and tests of this job spec."),
    },
    response: { status: 200, schema: ListOf(UsageGroupSchema) },
    errors: [],
  }),
};
