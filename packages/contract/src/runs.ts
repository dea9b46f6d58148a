import { Type } from "typebox";
import type { Static } from "typebox";
import { FailurePolicySchema } from "./job-spec-policies.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, idFilter, metadataFilter, nameFilter, timestampFilter } from "./pagination.ts";
import { RunRowCountsSchema, UsageSchema } from "./run-counts.ts";
import { dryRun, estimated } from "./run-estimates.ts";
import { RunExecutionSchema } from "./run-execution.ts";
import { BudgetSchema, runOptions } from "./run-options.ts";
import { NextStepSchema, stateReasonNames } from "./run-reasons.ts";
import { ScopeSchema, SelectionSchema } from "./run-rows.ts";
import {
  Closed,
  Enum,
  Id,
  IdReference,
  Integer,
  Metadata,
  Name,
  Nullable,
  Timestamp,
  VersionNumber,
  component,
} from "./schemas.ts";
import { waitSecondsFor } from "./wait.ts";

export const runStates = [
  "queued",
  "running",
  "paused",
  "canceling",
  "succeeded",
  "partially_succeeded",
  "failed",
  "canceled",
  "expired",
] as const;
export type RunState = (typeof runStates)[number];
export const terminalRunStates = ["succeeded", "partially_succeeded", "failed", "canceled", "expired"] as const;
export type TerminalRunState = (typeof terminalRunStates)[number];
export const isTerminal = (state: RunState): state is TerminalRunState =>
  (terminalRunStates as readonly string[]).includes(state);

export const StartedBy = Nullable(
  Id(
    "apiKey",
    "The key that the run was started with; of a retry run, the key of the retry. It stays when the key is revoked. Null where it is not known.",
  ),
);

export const RunSchema = component(
  "Run",
  Type.Object({
    id: Id("run"),
    name: Nullable(Type.String()),
    state: Enum(runStates),
    stateReason: Nullable(Enum(stateReasonNames, { description: "Why the run waits or is paused." })),
    stateReasonMessage: Nullable(Type.String({ description: "The meaning of `stateReason`, as a sentence." })),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String() },
        {
          description:
            "Why the service has paused the run, or ended it before all rows were tried. Of a run that its breaker has paused, the message quotes one of the failures.",
        },
      ),
    ),
    nextSteps: Type.Array(NextStepSchema, {
      description: "What can be done about a run that waits, is paused, or has ended with rows that did not succeed.",
    }),
    datasetId: Id("dataset"),
    jobSpecId: Id("jobSpec"),
    jobSpecVersion: VersionNumber(),
    scope: ScopeSchema,
    priority: Integer(),
    concurrency: Nullable(Integer()),
    failurePolicy: Nullable(FailurePolicySchema),
    budget: Nullable(BudgetSchema),
    execution: RunExecutionSchema,
    deadlineAt: Nullable(Timestamp()),
    rows: RunRowCountsSchema,
    progress: Type.Object({
      percent: Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          "Share of the rows that have succeeded or failed. 100 only when the run has ended, and none was canceled or skipped.",
      }),
      rowsPerSecond: Nullable(Type.Number({ description: "Mean since the start; null before the first row." })),
      etaSeconds: Nullable(Integer({ description: "Null when unknown or ended." })),
    }),
    usage: UsageSchema,
    parentRunId: Nullable(Id("run")),
    rootRunId: Id("run"),
    retryNumber: Integer(),
    selection: Nullable(SelectionSchema),
    apiKeyId: StartedBy,
    metadata: Metadata,
    createdAt: Timestamp(),
    startedAt: Nullable(Timestamp()),
    finishedAt: Nullable(Timestamp()),
    updatedAt: Timestamp(),
  }),
);
export type Run = Static<typeof RunSchema>;

const params = { runId: "run" } as const;
const read = { by: "organization", scopes: ["runs:read"] } as const;
const write = { by: "organization", scopes: ["runs:write"] } as const;

export const runOperations = {
  createRun: operation({
    method: "POST",
    path: "/v1/runs",
    tag: "Runs",
    summary: "Create a run from a dataset and a job spec",
    description:
      "A `budget` needs prices: while a model that the job spec may ask has none, it is refused (400, `param: budget`). A dry run " +
      "takes an `Idempotency-Key` of its own: that of the run would be one key for two bodies. A scope of type `filter` needs " +
      "`datasets:read`, too: how many rows pass a filter shows what is in them. With a key that lacks it, a dry run does not look rows up in the " +
      "cache.",
    access: write,
    idempotency: "required",
    body: Closed({
      datasetId: IdReference("dataset", "An existing dataset."),
      jobSpecId: IdReference("jobSpec", "An existing job spec."),
      jobSpecVersion: Type.Optional(VersionNumber({ description: "The latest if absent." })),
      scope: ScopeSchema,
      ...runOptions,
      dryRun,
    }),
    bodyScopes: [{ at: "/scope/type", equals: "filter", scopes: ["datasets:read"] }],
    response: { status: 201, schema: RunSchema },
    alternative: estimated,
    location: "/v1/runs/{id}",
    errors: [
      "not_found",
      "dataset_not_ready",
      "invalid_state",
      "job_spec_invalid",
      "scope_invalid",
      "limit_reached",
      "insufficient_storage",
    ],
  }),
  listRuns: operation({
    method: "GET",
    path: "/v1/runs",
    tag: "Runs",
    summary: "List runs",
    access: read,
    idempotency: "none",
    filters: {
      state: enumFilter(runStates, "Runs in these states."),
      datasetId: idFilter("dataset", "Runs over this dataset."),
      jobSpecId: idFilter("jobSpec", "Runs of this job spec."),
      apiKeyId: idFilter("apiKey", "Runs that were started with this key, also where it is revoked."),
      name: nameFilter("Runs"),
      metadata: metadataFilter("Runs"),
      createdAfter: timestampFilter("Runs created at or after this time."),
      createdBefore: timestampFilter("Runs created before this time."),
    },
    response: { status: 200, schema: ListOf(RunSchema) },
    errors: [],
  }),
  getRun: operation({
    method: "GET",
    path: "/v1/runs/{runId}",
    tag: "Runs",
    summary: "Read a run",
    access: read,
    idempotency: "none",
    params,
    query: Closed({
      waitSeconds: waitSecondsFor(
        "the run to end or to pause (a pause that a budget with `onExceeded: cancel` ends by itself is waited through)",
      ),
    }),
    response: { status: 200, schema: RunSchema },
    errors: ["not_found"],
  }),
  updateRun: operation({
    method: "PATCH",
    path: "/v1/runs/{runId}",
    tag: "Runs",
    summary: "Change a run",
    description: "Name and metadata always; priority, concurrency, failure policy and budget until the run has ended.",
    access: write,
    idempotency: "none",
    params,
    body: Closed({
      name: Type.Optional(Nullable(Name("New name.", "First hundred customers"))),
      metadata: Type.Optional(Metadata),
      priority: runOptions.priority,
      concurrency: runOptions.concurrency,
      failurePolicy: Type.Optional(Nullable(FailurePolicySchema)),
      budget: Type.Optional(Nullable(BudgetSchema)),
    }),
    response: { status: 200, schema: RunSchema },
    errors: ["not_found", "invalid_state"],
  }),
  deleteRun: operation({
    method: "DELETE",
    path: "/v1/runs/{runId}",
    tag: "Runs",
    summary: "Delete an ended run and its results",
    access: write,
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found", "invalid_state", "resource_in_use"],
  }),
};
