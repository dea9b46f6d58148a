/** Every limit that a customer meets: where its value comes from, why it is there, and what happens beyond it. */
import type { settings } from "@rowmill/server/config";

export type Unit = "bytes" | "seconds" | "milliseconds" | "hours" | "days" | "characters" | "count";

export interface Limit {
  what: string;
  /** A constant of the sources (a path from `packages/` and a name), a setting, or a value of a schema. */
  value: readonly [path: string, name: string] | keyof typeof settings | number;
  unit: Unit;
  why: string;
  /** An error, a failure code, or what else happens. */
  beyond: string;
}

export interface LimitGroup {
  title: string;
  limits: readonly Limit[];
}

const S = "server/src/";
const C = "contract/src/";

export const limitsOfInput: readonly LimitGroup[] = [
  {
    title: "Requests",
    limits: [
      {
        what: "Body of a request",
        value: [`${S}platform/http/serve.ts`, "DEFAULT_BODY_BYTES"],
        unit: "bytes",
        why: "A body is kept in memory. Send rows as a file.",
        beyond: "413 `payload_too_large`",
      },
      {
        what: "Body with inline rows",
        value: [`${C}dataset-uploads.ts`, "INLINE_BODY_BYTES"],
        unit: "bytes",
        why: "As above.",
        beyond: "413 `payload_too_large`",
      },
      {
        what: "Depth of JSON",
        value: [`${S}platform/http/json-body.ts`, "MAX_DEPTH"],
        unit: "count",
        why: "Readers of JSON overflow on deeper text.",
        beyond: "400 `invalid_json`",
      },
      {
        what: "Address and headers of a request",
        value: 16 * 1024,
        unit: "bytes",
        why: "They are read before anything is known of the sender.",
        beyond: "431 `invalid_request`, the connection is closed",
      },
      {
        what: "Time to send the headers",
        value: [`${S}app.ts`, "HEADERS_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "A client that sends nothing holds a connection.",
        beyond: "408 `invalid_request`, the connection is closed",
      },
      {
        what: "Time to send a body of JSON",
        value: [`${S}app.ts`, "BODY_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "As above. Files may take any time while bytes arrive.",
        beyond: "The connection is closed",
      },
      {
        what: "Pause within the content of an upload",
        value: [`${S}app.ts`, "CONNECTION_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "A client that has gone holds a connection, and its upload.",
        beyond:
          "408 `invalid_request`, the connection is closed. `datasets.upload` of the clients sends spaces between `rows`",
      },
      {
        what: "Items of a page (`limit`)",
        value: [`${C}pagination.ts`, "MAX_LIMIT"],
        unit: "count",
        why: "A page is built in memory. Larger reads stream as NDJSON.",
        beyond: "400 `invalid_limit`",
      },
      {
        what: "Metadata filters of a list",
        value: [`${C}pagination.ts`, "MAX_METADATA_FILTERS"],
        unit: "count",
        why: "Each is looked up for each item.",
        beyond: "400 `invalid_parameter`",
      },
      {
        what: "`waitSeconds` of a run, an upload, an export or a bulk action",
        value: [`${C}wait.ts`, "MAX_WAIT_SECONDS"],
        unit: "seconds",
        why: "Below the usual timeouts of proxies.",
        beyond: "400 `invalid_parameter`",
      },
      {
        what: "Reads with `waitSeconds` of a key at once in one process",
        value: [`${S}platform/http/waiting-reads.ts`, "MAX_WAITS_PER_KEY"],
        unit: "count",
        why: "One key must not take the places of all.",
        beyond: "The read responds at once; ask again",
      },
      {
        what: "Life of an `Idempotency-Key`",
        value: "ROWMILL_IDEMPOTENCY_RETENTION_HOURS",
        unit: "hours",
        why: "Responses are stored for repeats.",
        beyond: "The same key is a new request",
      },
      {
        what: "Requests per minute of an organization",
        value: "ROWMILL_RATE_LIMIT_PER_MINUTE",
        unit: "count",
        why: "One tenant must not slow down others.",
        beyond: "429 `rate_limited`",
      },
      {
        what: "Requests at once after a quiet time",
        value: "ROWMILL_RATE_LIMIT_BURST",
        unit: "count",
        why: "As above.",
        beyond: "429 `rate_limited`",
      },
      {
        what: "Requests per minute of an address without a valid key",
        value: [`${S}platform/rate-limits/address-limit.ts`, "PER_MINUTE"],
        unit: "count",
        why: "Nobody should guess keys.",
        beyond: "429 `rate_limited`",
      },
      {
        what: "Open streams of a key in one process",
        value: [`${S}platform/http/open-requests.ts`, "MAX_STREAMS_PER_KEY"],
        unit: "count",
        why: "A stream holds memory as long as it is open.",
        beyond: "429 `rate_limited`",
      },
      {
        what: "Uploads, downloads, streams and waiting reads of all organizations in one process; one of them has up to three quarters of what others leave",
        value: "ROWMILL_MAX_REQUESTS_AT_ONCE",
        unit: "count",
        why: "One tenant must not keep others out.",
        beyond: "429 `rate_limited`; 503 where all are taken",
      },
      {
        what: "Length of an event stream",
        value: [`${S}platform/http/server-sent-events.ts`, "MAX_STREAM_MS"],
        unit: "milliseconds",
        why: "Connections move to processes that were started later.",
        beyond: "The stream ends; continue with `Last-Event-ID`",
      },
    ],
  },
  {
    title: "Data in",
    limits: [
      {
        what: "Bytes of a dataset, unpacked",
        value: "ROWMILL_MAX_DATASET_BYTES",
        unit: "bytes",
        why: "Disk.",
        beyond: "upload error `decompression_limit`, 413 `payload_too_large`",
      },
      {
        what: "Rows of a dataset",
        value: "ROWMILL_MAX_DATASET_ROWS",
        unit: "count",
        why: "Positions of rows have eight hexadecimal digits in their ids.",
        beyond: "upload error `decompression_limit`",
      },
      {
        what: "Bytes of a row",
        value: "ROWMILL_MAX_ROW_BYTES",
        unit: "bytes",
        why: "A row is kept in memory.",
        beyond: "upload error `row_too_large`",
      },
      {
        what: "Inline rows",
        value: [`${C}dataset-uploads.ts`, "MAX_INLINE_ROWS"],
        unit: "count",
        why: "The body is kept in memory.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "Columns",
        value: [`${S}resources/datasets/dataset-columns.ts`, "MAX_COLUMNS"],
        unit: "count",
        why: "Each column has statistics.",
        beyond: "upload error `too_many_columns`; further members of JSON rows stay in the rows and are no columns",
      },
      {
        what: "Bytes of the name of a column",
        value: [`${S}resources/datasets/dataset-columns.ts`, "MAX_COLUMN_NAME_BYTES"],
        unit: "bytes",
        why: "It would be repeated in every row.",
        beyond: "The upload fails; such a member of a JSON row is no column",
      },
      {
        what: "Depth of a row",
        value: [`${S}intake/readers/json-row.ts`, "MAX_DEPTH"],
        unit: "count",
        why: "Readers of JSON overflow on deeper text.",
        beyond: "upload error `invalid_json_line`",
      },
      {
        what: "Unpacked bytes for one byte of a compressed file",
        value: [`${S}intake/readers/source-file.ts`, "MAX_RATIO"],
        unit: "count",
        why: "A small file must not fill the disk.",
        beyond: "upload error `decompression_limit`",
      },
      {
        what: "Life of an upload without its content",
        value: "ROWMILL_UPLOAD_EXPIRY_HOURS",
        unit: "hours",
        why: "It reserves space.",
        beyond: "The upload is `expired`",
      },
      {
        what: "Time to download a dataset from a URL",
        value: [`${S}intake/staged-file.ts`, "DOWNLOAD_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "Download from a slower source yourself, and upload the file.",
        beyond: "upload error `download_failed`",
      },
      {
        what: "Listed errors of an upload",
        value: [`${S}intake/readers/intake-rejected.ts`, "MAX_LISTED_ERRORS"],
        unit: "count",
        why: "Enough to see what is wrong.",
        beyond: "Counted in `rowsRejected`",
      },
    ],
  },
  {
    title: "Job specs",
    limits: [
      {
        what: "Code of `transform`",
        value: [`${S}processors/transform/transform-limits.ts`, "MAX_CODE_BYTES"],
        unit: "bytes",
        why: "More is a library.",
        beyond: "422 `job_spec_invalid`",
      },
      {
        what: "A JSON Schema",
        value: [`${S}platform/json-schema/schema-limits.ts`, "MAX_SCHEMA_BYTES"],
        unit: "bytes",
        why: "Schemas are compiled to code.",
        beyond: "422 `schema_invalid`",
      },
      {
        what: "Subschemas",
        value: [`${S}platform/json-schema/schema-limits.ts`, "MAX_SUBSCHEMAS"],
        unit: "count",
        why: "As above.",
        beyond: "422 `schema_invalid`",
      },
      {
        what: "Alternatives in one `oneOf`, `anyOf` or `allOf`",
        value: [`${S}platform/json-schema/schema-limits.ts`, "MAX_ARMS"],
        unit: "count",
        why: "Each is tried. For constants use `enum`.",
        beyond: "422 `schema_invalid`",
      },
      {
        what: "Text of a prompt",
        value: [`${C}processors/llm-processor.ts`, "MAX_PROMPT_LENGTH"],
        unit: "characters",
        why: "More is a document, and belongs into the dataset.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "Filters in a template tag",
        value: [`${S}processors/templates/parse.ts`, "MAX_FILTERS"],
        unit: "count",
        why: "There are two.",
        beyond: "422 `job_spec_invalid`",
      },
      {
        what: "An expression (CEL)",
        value: [`${S}platform/conditions/condition-limits.ts`, "MAX_SOURCE_BYTES"],
        unit: "bytes",
        why: "More is a program.",
        beyond: "422 `condition_invalid`, 422 `scope_invalid`",
      },
      {
        what: "Depth of an expression (CEL)",
        value: [`${S}platform/conditions/condition-limits.ts`, "MAX_DEPTH"],
        unit: "count",
        why: "Parsing is recursive.",
        beyond: "422 `condition_invalid`, 422 `scope_invalid`",
      },
      {
        what: "Rows of a test",
        value: [`${C}job-specs.ts`, "MAX_TEST_ROWS"],
        unit: "count",
        why: "The response waits for them.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "Time of a test",
        value: [`${S}resources/job-specs/test-job-spec.ts`, "TEST_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "A client waits for it.",
        beyond: "failure `row_timeout`",
      },
      {
        what: "Connections of an organization",
        value: [`${S}resources/connections/connections.ts`, "MAX_CONNECTIONS"],
        unit: "count",
        why: "One is meant for many job specs.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Prices of models in a connection",
        value: [`${C}connection-prices.ts`, "MAX_PRICED_MODELS"],
        unit: "count",
        why: "A price list that a person keeps.",
        beyond: "400 `invalid_request`",
      },
    ],
  },
];
