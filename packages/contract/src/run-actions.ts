/** What is done with a run that exists: cancel, pause, resume, retry; and the family that retries make. */
import { Type } from "typebox";
import { operation } from "./operation.ts";
import { RunRowCountsSchema } from "./run-counts.ts";
import { dryRun, estimated } from "./run-estimates.ts";
import { runOptions } from "./run-options.ts";
import { SelectionSchema } from "./run-rows.ts";
import { RunSchema, StartedBy, runStates } from "./runs.ts";
import { Closed, Enum, Id, Integer, Nullable, VersionNumber, component } from "./schemas.ts";

const LineageSchema = component(
  "Lineage",
  Type.Object({
    rootRunId: Id("run"),
    runs: Type.Array(
      Type.Object({
        id: Id("run"),
        parentRunId: Nullable(Id("run")),
        retryNumber: Integer(),
        selection: Nullable(SelectionSchema),
        state: Enum(runStates),
        rows: RunRowCountsSchema,
        apiKeyId: StartedBy,
      }),
    ),
  }),
);

const params = { runId: "run" } as const;
const read = { by: "organization", scopes: ["runs:read"] } as const;
const write = { by: "organization", scopes: ["runs:write"] } as const;

export const runActionOperations = {
  cancelRun: operation({
    method: "POST",
    path: "/v1/runs/{runId}/cancel",
    tag: "Runs",
    summary: "Cancel a run",
    description:
      "Rows in flight are abandoned, finished rows are kept. Canceling a run that is being canceled, or was, changes nothing.",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: RunSchema },
    errors: ["not_found", "invalid_state"],
  }),
  pauseRun: operation({
    method: "POST",
    path: "/v1/runs/{runId}/pause",
    tag: "Runs",
    summary: "Pause a run",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: RunSchema },
    errors: ["not_found", "invalid_state"],
  }),
  resumeRun: operation({
    method: "POST",
    path: "/v1/runs/{runId}/resume",
    tag: "Runs",
    summary: "Resume a paused run",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: RunSchema },
    errors: ["not_found", "invalid_state", "budget_exceeded"],
  }),
  retryRun: operation({
    method: "POST",
    path: "/v1/runs/{runId}/retry",
    tag: "Runs",
    summary: "Create a retry run with lineage",
    description:
      "A new run over the rows of this one that `selection` names (`unfinished` if absent). A row that has succeeded anywhere " +
      "in the family is chosen only by `rows` and `all`. A row that another retry run has not finished yet is chosen, too: both " +
      "process it, and both are paid. `GET /v1/runs/{runId}/lineage` has the states of all runs of the family.",
    access: write,
    idempotency: "required",
    params,
    body: Closed({
      selection: Type.Optional(SelectionSchema),
      jobSpecVersion: Type.Optional(VersionNumber({ description: "The parent's if absent." })),
      ...runOptions,
      dryRun,
    }),
    bodyOptional: true,
    response: { status: 201, schema: RunSchema },
    alternative: estimated,
    location: "/v1/runs/{id}",
    errors: [
      "not_found",
      "invalid_state",
      "job_spec_invalid",
      "nothing_to_retry",
      "scope_invalid",
      "limit_reached",
      "insufficient_storage",
    ],
  }),
  getRunLineage: operation({
    method: "GET",
    path: "/v1/runs/{runId}/lineage",
    tag: "Runs",
    summary: "Read the family of a run",
    access: read,
    idempotency: "none",
    params,
    response: { status: 200, schema: LineageSchema },
    errors: ["not_found"],
  }),
};
