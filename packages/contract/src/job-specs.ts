import { Type } from "typebox";
import type { Static } from "typebox";
import { JobSpecTestResultSchema } from "./job-spec-tests.ts";
import { operation } from "./operation.ts";
import { ListOf, metadataFilter, nameFilter } from "./pagination.ts";
import { ProcessorSchema } from "./processors.ts";
import {
  AnyObject,
  Closed,
  Description,
  Enum,
  Id,
  IdReference,
  Integer,
  JsonSchema,
  Metadata,
  Name,
  Nullable,
  OneOf,
  Timestamp,
  VersionNumber,
  component,
} from "./schemas.ts";

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

/** What a version fixes. */
const definition = {
  processor: ProcessorSchema,
  inputSchema: Type.Optional(JsonSchema),
  outputSchema: Type.Optional(JsonSchema),
  retry: Type.Optional(RetryPolicySchema),
  timeoutSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3600, description: "Longest time for one row, all attempts included." }),
  ),
  concurrency: Type.Optional(Concurrency),
  failurePolicy: Type.Optional(FailurePolicySchema),
  cache: Type.Optional(CachePolicySchema),
  dedupe: Type.Optional(Dedupe),
  execution: Type.Optional(ExecutionSchema),
};
const shownDefinition = {
  processor: AnyObject,
  inputSchema: Nullable(JsonSchema),
  outputSchema: Nullable(JsonSchema),
  retry: Nullable(RetryPolicySchema),
  timeoutSeconds: Nullable(Integer()),
  concurrency: Nullable(Integer()),
  failurePolicy: Nullable(FailurePolicySchema),
  cache: Nullable(CachePolicySchema),
  dedupe: Dedupe,
  execution: Nullable(ExecutionSchema),
};

export const jobSpecWarnings = ["template_without_row", "single_brace_reference"] as const;

const JobSpecWarningSchema = component(
  "JobSpecWarning",
  Type.Object({
    path: Type.String({ description: "JSON pointer into the body of the request." }),
    code: Enum(jobSpecWarnings),
    message: Type.String(),
  }),
);
export type JobSpecWarning = Static<typeof JobSpecWarningSchema>;

const warnings = Type.Optional(
  Type.Array(JobSpecWarningSchema, {
    description:
      "What is accepted, and most likely a mistake: templates that name no field of the row, or in single braces. Only in the response that creates it, and only if there are any.",
  }),
);

export const JobSpecSchema = component(
  "JobSpec",
  Type.Object(
    {
      id: Id("jobSpec"),
      name: Type.String(),
      description: Nullable(Type.String()),
      latestVersion: VersionNumber(),
      ...shownDefinition,
      metadata: Metadata,
      warnings,
      archivedAt: Nullable(Timestamp()),
      createdAt: Timestamp(),
      updatedAt: Timestamp(),
    },
    { description: "A job spec with the definition of its latest version." },
  ),
);
export type JobSpec = Static<typeof JobSpecSchema>;

export const JobSpecVersionSchema = component(
  "JobSpecVersion",
  Type.Object({
    id: Id("jobSpecVersion"),
    jobSpecId: Id("jobSpec"),
    version: VersionNumber(),
    ...shownDefinition,
    warnings,
    createdAt: Timestamp(),
  }),
);
export type JobSpecVersion = Static<typeof JobSpecVersionSchema>;

const params = { jobSpecId: "jobSpec" } as const;
const read = { by: "organization", scopes: ["job_specs:read"] } as const;
const write = { by: "organization", scopes: ["job_specs:write"] } as const;

export const MAX_TEST_ROWS = 20;

export const jobSpecOperations = {
  createJobSpec: operation({
    method: "POST",
    path: "/v1/job-specs",
    tag: "Job specs",
    summary: "Create a reusable job spec",
    description:
      "Makes the job spec and its version 1. The processor is checked now: code must compile, schemas must be valid. " +
      "`warnings` has what is accepted, and most likely a mistake.",
    access: write,
    idempotency: "required",
    body: Closed({
      name: Name("What the job spec is called.", "Label reviews"),
      description: Type.Optional(Description),
      ...definition,
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 201, schema: JobSpecSchema },
    location: "/v1/job-specs/{id}",
    errors: ["job_spec_invalid", "schema_invalid"],
  }),
  listJobSpecs: operation({
    method: "GET",
    path: "/v1/job-specs",
    tag: "Job specs",
    summary: "List job specs",
    description: "Archived job specs are left out.",
    access: read,
    idempotency: "none",
    filters: { name: nameFilter("Job specs"), metadata: metadataFilter("Job specs") },
    response: { status: 200, schema: ListOf(JobSpecSchema) },
    errors: [],
  }),
  getJobSpec: operation({
    method: "GET",
    path: "/v1/job-specs/{jobSpecId}",
    tag: "Job specs",
    summary: "Read a job spec",
    access: read,
    idempotency: "none",
    params,
    response: { status: 200, schema: JobSpecSchema },
    errors: ["not_found"],
  }),
  updateJobSpec: operation({
    method: "PATCH",
    path: "/v1/job-specs/{jobSpecId}",
    tag: "Job specs",
    summary: "Change a job spec's name, description or metadata",
    description: "What a run does is changed by a new version.",
    access: write,
    idempotency: "none",
    params,
    body: Closed({
      name: Type.Optional(Name("New name.", "Label reviews, second try")),
      description: Type.Optional(Nullable(Description)),
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 200, schema: JobSpecSchema },
    errors: ["not_found"],
  }),
  archiveJobSpec: operation({
    method: "DELETE",
    path: "/v1/job-specs/{jobSpecId}",
    tag: "Job specs",
    summary: "Archive a job spec",
    description: "No new runs; runs that refer to it continue, and it can still be read.",
    access: write,
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found"],
  }),
  createJobSpecVersion: operation({
    method: "POST",
    path: "/v1/job-specs/{jobSpecId}/versions",
    tag: "Job specs",
    summary: "Add a version",
    description: "A version never changes. New runs use the latest one unless they name another.",
    access: write,
    idempotency: "honoured",
    params,
    body: Closed(definition),
    response: { status: 201, schema: JobSpecVersionSchema },
    location: "/v1/job-specs/{jobSpecId}/versions/{version}",
    errors: ["not_found", "job_spec_invalid", "schema_invalid", "invalid_state"],
  }),
  listJobSpecVersions: operation({
    method: "GET",
    path: "/v1/job-specs/{jobSpecId}/versions",
    tag: "Job specs",
    summary: "List the versions of a job spec",
    access: read,
    idempotency: "none",
    params,
    filters: {},
    response: { status: 200, schema: ListOf(JobSpecVersionSchema) },
    errors: ["not_found"],
  }),
  getJobSpecVersion: operation({
    method: "GET",
    path: "/v1/job-specs/{jobSpecId}/versions/{version}",
    tag: "Job specs",
    summary: "Read one version",
    access: read,
    idempotency: "none",
    params: { jobSpecId: "jobSpec", version: "number" },
    response: { status: 200, schema: JobSpecVersionSchema },
    errors: ["not_found"],
  }),
  testJobSpec: operation({
    method: "POST",
    path: "/v1/job-specs/{jobSpecId}/test",
    tag: "Job specs",
    summary: "Try a job spec on a few rows, without a run",
    description:
      "All rows at once, each in one attempt, with the same processor, schemas and failures as in a run; nothing is kept, and what " +
      "models and services are called for is paid. Rows that are not finished after 60 seconds are `row_timeout` failures. With " +
      "`datasetId` the key needs `datasets:read`, too: outputs and failures show what is in the rows.",
    access: write,
    idempotency: "honoured",
    params,
    body: Closed({
      rows: Type.Optional(
        Type.Array(AnyObject, { minItems: 1, maxItems: MAX_TEST_ROWS, description: "Rows to try, or" }),
      ),
      datasetId: Type.Optional(IdReference("dataset", "the dataset whose first `count` rows are tried.")),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TEST_ROWS, description: "5 if absent." })),
      jobSpecVersion: Type.Optional(VersionNumber()),
      details: Type.Optional(
        Type.Boolean({
          description: "Whether each row shows its calls: the rendered request and the raw response (false).",
        }),
      ),
    }),
    bodyScopes: [{ at: "/datasetId", scopes: ["datasets:read"] }],
    response: { status: 200, schema: JobSpecTestResultSchema },
    errors: ["not_found", "dataset_not_ready", "job_spec_invalid"],
  }),
};
