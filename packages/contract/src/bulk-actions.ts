/** One action on many things: everything that matches a filter, or a list of ids. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { exportFormats, exportStatuses, exportTypes } from "./exports.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter } from "./pagination.ts";
import { SelectionSchema } from "./run-rows.ts";
import { runOptions } from "./run-options.ts";
import { runStates } from "./runs.ts";
import {
  Closed,
  Enum,
  Id,
  IdReference,
  Integer,
  Metadata,
  Nullable,
  SafeCount,
  Timestamp,
  component,
} from "./schemas.ts";
import type { Scope } from "./scopes.ts";
import { waitSecondsFor } from "./wait.ts";

export const bulkResources = ["runs", "datasets", "exports"] as const;
export type BulkResource = (typeof bulkResources)[number];
export const bulkActionNames = ["cancel", "pause", "resume", "retry", "delete"] as const;
export type BulkActionName = (typeof bulkActionNames)[number];
/** What can be done to the things of each kind. */
export const actionsOn = {
  runs: bulkActionNames,
  datasets: ["delete"],
  exports: ["delete"],
} as const satisfies Record<BulkResource, readonly BulkActionName[]>;

export const bulkActionStates = ["queued", "running", "completed", "aborted", "failed"] as const;
export type BulkActionState = (typeof bulkActionStates)[number];

/** What a key needs to see a bulk action on these things. */
export const scopesToReadBulk = {
  runs: "runs:read",
  datasets: "datasets:read",
  exports: "exports:read",
} as const satisfies Record<BulkResource, Scope>;
export const scopesToWriteBulk = {
  runs: "runs:write",
  datasets: "datasets:write",
  exports: "exports:write",
} as const satisfies Record<BulkResource, Scope>;

/** An inline list of ids has its place in one request; what is more is chosen by a filter. */
export const MAX_BULK_IDS = 10_000;
/** Things of one action: they are written down in the transaction that creates it. */
export const MAX_BULK_TARGETS = 100_000;

const Several = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Optional(Type.Array(Enum(values), { minItems: 1, uniqueItems: true, description }));
const filterText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: ["nightly"] }));

const BulkFilterSchema = component(
  "BulkActionFilter",
  Closed(
    {
      state: Several(runStates, "Runs in these states."),
      datasetId: Type.Optional(IdReference("dataset", "Runs over this dataset.")),
      jobSpecId: Type.Optional(IdReference("jobSpec", "Runs of this job spec.")),
      apiKeyId: Type.Optional(IdReference("apiKey", "Runs that were started with this key.")),
      name: filterText("Runs or datasets whose name begins with this; the case of A to Z does not count."),
      metadata: Type.Optional(Metadata),
      createdAfter: Type.Optional(Timestamp("Runs created at or after this time.")),
      createdBefore: Type.Optional(Timestamp("Runs created before this time.")),
      runId: Type.Optional(IdReference("run", "Exports of this run.")),
      status: Several(exportStatuses, "Exports in these states."),
      type: Several(exportTypes, "Exports of these types."),
      format: Several(exportFormats, "Exports in these formats."),
    },
    {
      description:
        "The filters of the list of these things, with several values as an array; all of them must hold. At least one: an empty filter " +
        "is refused, so that nobody deletes everything by a mistake.",
    },
  ),
);
export type BulkFilter = Static<typeof BulkFilterSchema>;

const ReasonSchema = Type.Object({
  outcome: Enum(["skipped", "failed"] as const),
  code: Type.String({
    description: "An error code, as the single operation would respond.",
    examples: ["invalid_state"],
  }),
  message: Type.String({ description: "The message of the first one." }),
  count: SafeCount("Things with this code."),
  ids: Type.Array(Type.String(), { description: "Up to 20 of them." }),
});

export const BulkActionSchema = component(
  "BulkAction",
  Type.Object({
    id: Id("bulkAction"),
    resource: Enum(bulkResources),
    action: Enum(bulkActionNames),
    filter: Nullable(BulkFilterSchema),
    state: Enum(bulkActionStates),
    total: SafeCount("Things that the action is about; fixed when it is created."),
    done: SafeCount("Things on which the action was done."),
    skipped: SafeCount("Things on which it could not be done in their state; `reasons` says why."),
    failed: SafeCount("Things at which it failed."),
    reasons: Type.Array(ReasonSchema, { description: "Why things were skipped or failed, by code." }),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String() },
        { description: "Why the action ended early (`failed`)." },
      ),
    ),
    apiKeyId: Id("apiKey", "The key that created the action, with whose scopes it is done."),
    createdAt: Timestamp(),
    startedAt: Nullable(Timestamp()),
    finishedAt: Nullable(Timestamp()),
    updatedAt: Timestamp(),
  }),
);
export type BulkAction = Static<typeof BulkActionSchema>;

const BulkActionCountSchema = component(
  "BulkActionCount",
  Type.Object({
    resource: Enum(bulkResources),
    action: Enum(bulkActionNames),
    total: SafeCount("Things that the action would be about now."),
    states: Type.Array(Type.Object({ state: Type.String(), count: Integer() }), {
      description: "How many of them are in which state (of exports: `status`).",
    }),
  }),
);
export type BulkActionCount = Static<typeof BulkActionCountSchema>;

const params = { bulkActionId: "bulkAction" } as const;
const bySort = "The key needs the scope for what the action is about: `runs:read`, `datasets:read` or `exports:read`.";

export const bulkActionOperations = {
  createBulkAction: operation({
    method: "POST",
    path: "/v1/bulk-actions",
    tag: "Bulk actions",
    summary: "Do one action on everything that matches a filter, or on a list of ids",
    description:
      "`dryRun` counts first, and makes nothing. What the action is about is fixed when it is created. It is then done on one thing after the other, " +
      "each in a transaction of its own and once, also when processes die; things whose state does not allow it are skipped. Scopes are " +
      "those of the single operation: `runs:write`, `datasets:write` or `exports:write`. Its work ends as `failed` when the key is " +
      `revoked or loses the scope. At most ${MAX_BULK_TARGETS} things in one action. Deleting an export deletes its file, as if its time were over.`,
    access: { by: "organization", scopes: [] },
    idempotency: "required",
    body: Closed({
      resource: Type.Optional(
        Enum(bulkResources, { description: "What the action is about (`runs`). Datasets and exports can be deleted." }),
      ),
      action: Enum(bulkActionNames),
      filter: Type.Optional(BulkFilterSchema),
      ids: Type.Optional(
        Type.Array(Type.String({ maxLength: 200, examples: ["run_01jd3v8m7qe6t9yb4c2xk5w0hz"] }), {
          minItems: 1,
          maxItems: MAX_BULK_IDS,
          uniqueItems: true,
          description: "In place of `filter`: the things themselves.",
          examples: [["run_01jd3v8m7qe6t9yb4c2xk5w0hz"]],
        }),
      ),
      retry: Type.Optional(
        Closed(
          { selection: Type.Optional(SelectionSchema), ...runOptions },
          { description: "Of `action: retry`: what each retry run gets, as in `POST /v1/runs/{runId}/retry`." },
        ),
      ),
      dryRun: Type.Optional(Type.Boolean({ description: "Only counts, and responds 200." })),
    }),
    bodyScopes: [
      { at: "/resource", equals: "runs", orAbsent: true, scopes: ["runs:write"] },
      { at: "/resource", equals: "datasets", scopes: ["datasets:write"] },
      { at: "/resource", equals: "exports", scopes: ["exports:write"] },
    ],
    response: { status: 201, schema: BulkActionSchema },
    alternative: {
      when: "dryRun",
      status: 200,
      schema: BulkActionCountSchema,
      description: "With `dryRun`: the exact count. Nothing is made.",
    },
    location: "/v1/bulk-actions/{id}",
    errors: ["not_found", "limit_reached"],
  }),
  listBulkActions: operation({
    method: "GET",
    path: "/v1/bulk-actions",
    tag: "Bulk actions",
    summary: "List bulk actions",
    description: bySort,
    access: { by: "organization", scopes: [] },
    idempotency: "none",
    filters: {
      resource: enumFilter(bulkResources, "Actions on these things."),
      state: enumFilter(bulkActionStates, "Actions in these states."),
    },
    response: { status: 200, schema: ListOf(BulkActionSchema) },
    errors: [],
  }),
  getBulkAction: operation({
    method: "GET",
    path: "/v1/bulk-actions/{bulkActionId}",
    tag: "Bulk actions",
    summary: "Read a bulk action and its progress",
    description: bySort,
    access: { by: "organization", scopes: [] },
    idempotency: "none",
    params,
    query: Closed({ waitSeconds: waitSecondsFor("the bulk action to end") }),
    response: { status: 200, schema: BulkActionSchema },
    errors: ["not_found"],
  }),
  abortBulkAction: operation({
    method: "POST",
    path: "/v1/bulk-actions/{bulkActionId}/abort",
    tag: "Bulk actions",
    summary: "Abort a bulk action",
    description:
      "What was done stays done; nothing more is begun. Aborting one that is aborted changes nothing. Needs the scopes of its creation.",
    access: { by: "organization", scopes: [] },
    idempotency: "honoured",
    params,
    response: { status: 200, schema: BulkActionSchema },
    errors: ["not_found", "invalid_state"],
  }),
};
