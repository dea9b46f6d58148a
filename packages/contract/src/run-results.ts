/** What became of the rows of a run: the rows themselves, outputs, failures, and one result for each over all retry runs. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureClasses, failureCodeNames } from "./failures.ts";
import { operation } from "./operation.ts";
import { ListOf, booleanFilter, enumFilter, fromIndexFilter, idFilter } from "./pagination.ts";
import { RowUsageSchema } from "./row-usage.ts";
import { AnyObject, Enum, Id, Integer, Nullable, SafeCount, Timestamp, component } from "./schemas.ts";

export const runRowStates = ["pending", "running", "succeeded", "failed", "canceled", "skipped"] as const;
export type RunRowState = (typeof runRowStates)[number];
export const resultStates = ["succeeded", "failed", "canceled", "skipped", "pending"] as const;
export type ResultState = (typeof resultStates)[number];

const ErrorOfRow = Type.Object({
  code: Enum(failureCodeNames),
  message: Type.String({
    description:
      "That of the failure, which may have contents of the row; for a key without `results:read`, what the code means.",
  }),
});

export const RunRowSchema = component(
  "RunRow",
  Type.Object({
    datasetRowId: Id("row"),
    index: SafeCount("Position in the dataset, from 0."),
    state: Enum(runRowStates),
    attempts: SafeCount("Attempts made."),
    startedAt: Nullable(Timestamp()),
    finishedAt: Nullable(Timestamp()),
    durationMs: Nullable(Integer()),
    error: Nullable(ErrorOfRow),
  }),
);
export type RunRow = Static<typeof RunRowSchema>;

const outputMembers = {
  datasetRowId: Id("row"),
  index: SafeCount("Position in the dataset, from 0."),
  data: Type.Unknown({ description: "What the processor made of the row." }),
  attempts: SafeCount("Attempts made."),
  usage: Nullable(RowUsageSchema),
  producedAt: Timestamp(),
};
export const OutputSchema = component("Output", Type.Object(outputMembers));
export type Output = Static<typeof OutputSchema>;

const failureMembers = {
  datasetRowId: Id("row"),
  index: SafeCount("Position in the dataset, from 0."),
  code: Enum(failureCodeNames),
  class: Enum(failureClasses),
  retryable: Type.Boolean({ description: "Whether the row may succeed in a retry run with nothing changed." }),
  message: Type.String(),
  details: Nullable(AnyObject),
  attempts: SafeCount("Attempts made."),
  usage: Nullable(RowUsageSchema),
  failedAt: Timestamp(),
};
export const FailureSchema = component("Failure", Type.Object(failureMembers));
export type Failure = Static<typeof FailureSchema>;

export const ResolvedResultSchema = component(
  "ResolvedResult",
  Type.Object({
    datasetRowId: Id("row"),
    index: SafeCount("Position in the dataset, from 0."),
    resultState: Enum(resultStates),
    runId: Nullable(Id("run", "The run of the family whose result this is; null while pending.")),
    output: Type.Optional(
      Type.Object({
        data: Type.Unknown(),
        attempts: Integer(),
        usage: Nullable(RowUsageSchema),
        producedAt: Timestamp(),
      }),
    ),
    failure: Type.Optional(
      Type.Object({
        code: Enum(failureCodeNames),
        class: Enum(failureClasses),
        retryable: Type.Boolean(),
        message: Type.String(),
        details: Nullable(AnyObject),
        attempts: Integer(),
        usage: Nullable(RowUsageSchema),
        failedAt: Timestamp(),
      }),
    ),
  }),
);
export type ResolvedResult = Static<typeof ResolvedResultSchema>;

const params = { runId: "run" } as const;
const read = { by: "organization", scopes: ["runs:read"] } as const;
const readResults = { by: "organization", scopes: ["results:read"] } as const;

export const runResultOperations = {
  listRunRows: operation({
    method: "GET",
    path: "/v1/runs/{runId}/rows",
    tag: "Run results",
    summary: "List the rows of a run",
    access: read,
    idempotency: "none",
    params,
    filters: {
      state: enumFilter(runRowStates, "Rows in these states."),
      code: enumFilter(failureCodeNames, "Rows that have failed with these codes."),
      fromIndex: fromIndexFilter,
    },
    streams: true,
    response: { status: 200, schema: ListOf(RunRowSchema) },
    errors: ["not_found"],
  }),
  listOutputs: operation({
    method: "GET",
    path: "/v1/runs/{runId}/outputs",
    tag: "Run results",
    summary: "List the outputs of a run",
    access: readResults,
    idempotency: "none",
    params,
    filters: { datasetRowId: idFilter("row", "The output of this row."), fromIndex: fromIndexFilter },
    streams: true,
    response: { status: 200, schema: ListOf(OutputSchema) },
    errors: ["not_found"],
  }),
  listFailures: operation({
    method: "GET",
    path: "/v1/runs/{runId}/failures",
    tag: "Run results",
    summary: "List the failures of a run",
    access: readResults,
    idempotency: "none",
    params,
    filters: {
      code: enumFilter(failureCodeNames, "Failures with these codes."),
      retryable: booleanFilter("Failures that may, or may not, succeed with nothing changed."),
      fromIndex: fromIndexFilter,
    },
    streams: true,
    response: { status: 200, schema: ListOf(FailureSchema) },
    errors: ["not_found"],
  }),
  listResolvedResults: operation({
    method: "GET",
    path: "/v1/runs/{runId}/resolved-results",
    tag: "Run results",
    summary: "List one result per row over the family of a run",
    description:
      "Over all runs of the family up to this one: a row's first success, unless a later run that was asked for that row by " +
      "selection `all` or `rows` succeeded, then the newest of those; else what the newest run that has ended left of it (failed, canceled or skipped); else pending. A failure never hides an earlier success.",
    access: readResults,
    idempotency: "none",
    params,
    filters: { resultState: enumFilter(resultStates, "Results in these states."), fromIndex: fromIndexFilter },
    streams: true,
    response: { status: 200, schema: ListOf(ResolvedResultSchema) },
    errors: ["not_found"],
  }),
};
