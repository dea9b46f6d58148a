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
  Timestamp,
  VersionNumber,
  component,
} from "./schemas.ts";
import {
  CachePolicySchema,
  Concurrency,
  Dedupe,
  ExecutionSchema,
  FailurePolicySchema,
  RetryPolicySchema,
} from "./job-spec-policies.ts";

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
const schemasAt = [["inputSchema"], ["outputSchema"], ["processor", "outputSchema"]];
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
    bodySchemasAt: schemasAt,
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
    description: "No new runs, retry runs and versions, for good; runs in progress continue, and it can still be read.",
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
    bodySchemasAt: schemasAt,
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
        Type.Array(AnyObject, {
          minItems: 1,
          maxItems: MAX_TEST_ROWS,
          description: "Rows to try. Either these or `datasetId`.",
        }),
      ),
      datasetId: Type.Optional(IdReference("dataset", "The dataset whose first `count` rows are tried.")),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TEST_ROWS, description: "5 if absent." })),
      jobSpecVersion: Type.Optional(VersionNumber()),
      details: Type.Optional(
        Type.Boolean({
          description: "Whether each row shows its calls: the rendered request and the raw response (false).",
        }),
      ),
    }),
    bodyRowsAt: ["rows"],
    bodyScopes: [{ at: "/datasetId", scopes: ["datasets:read"] }],
    response: { status: 200, schema: JobSpecTestResultSchema },
    errors: ["not_found", "dataset_not_ready", "job_spec_invalid"],
  }),
};
