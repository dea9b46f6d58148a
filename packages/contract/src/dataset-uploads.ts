import { Type } from "typebox";
import type { Static } from "typebox";
import { intakeErrorCodes } from "./intake-errors.ts";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import { NextStepSchema } from "./run-reasons.ts";
import {
  AnyObject,
  Closed,
  Enum,
  Id,
  Integer,
  Metadata,
  Name,
  Nullable,
  ONE_DELIMITER,
  OneOf,
  SafeCount,
  Timestamp,
  component,
} from "./schemas.ts";
import { waitSecondsFor } from "./wait.ts";

export const datasetFormats = ["jsonl", "json", "csv", "tsv", "parquet"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];
export const datasetUploadStates = [
  "awaiting_content",
  "processing",
  "completed",
  "failed",
  "expired",
  "canceled",
] as const;
export type DatasetUploadState = (typeof datasetUploadStates)[number];

/** More rows than this belong into a file: the body of a request is kept in memory. */
export const MAX_INLINE_ROWS = 10_000;
const INLINE_BODY_BYTES = 16 * 1024 * 1024;

export const DatasetUploadSchema = component(
  "DatasetUpload",
  Type.Object({
    id: Id("datasetUpload"),
    name: Type.String(),
    state: Enum(datasetUploadStates),
    stateMessage: Nullable(
      Type.String({
        description: "What the upload waits for, or why it made no dataset, as a sentence; null when completed.",
      }),
    ),
    nextSteps: Type.Array(NextStepSchema, { description: "What can be done now; empty when completed." }),
    sourceType: Enum(["inline", "upload", "url"]),
    format: Nullable(Enum(datasetFormats, { description: "Null until it is found out from the content." })),
    onInvalidRow: Enum(["reject", "skip"]),
    datasetId: Nullable(Id("dataset")),
    bytesReceived: SafeCount("Bytes of content received."),
    rowsAccepted: SafeCount("Rows taken into the dataset so far."),
    rowsRejected: SafeCount("Rows left out so far."),
    errors: Type.Array(
      Type.Object({
        line: Nullable(Integer({ description: "Line of the file, from 1; null when no line is to blame." })),
        code: Enum(intakeErrorCodes),
        message: Type.String(),
        text: Nullable(
          Type.String({
            description:
              "The row as it stands in the content, at most 300 characters from its beginning; null when no row is to blame, " +
              "and after the dataset was deleted. What is not valid text in it is replaced.",
          }),
        ),
      }),
      { description: "The first 100 errors." },
    ),
    skippable: Type.Boolean({
      description:
        "Whether each error of a failed upload is of a single row: the same content with `onInvalidRow: skip` makes a dataset of the other rows, if any of them is valid.",
    }),
    progress: Type.Object({ percent: Type.Number({ minimum: 0, maximum: 100 }) }),
    upload: Type.Optional(
      Type.Object(
        {
          method: Type.Literal("PUT"),
          url: Type.String(),
          resumableUrl: Type.Optional(
            Type.String({
              description: "The same in pieces, by the tus protocol: resumable after a broken connection.",
            }),
          ),
          expiresAt: Timestamp(),
        },
        { description: "Where to send the content; only while it is awaited." },
      ),
    ),
    metadata: Metadata,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    finishedAt: Nullable(Timestamp()),
  }),
);
export type DatasetUpload = Static<typeof DatasetUploadSchema>;

export const csvEncodings = ["utf-8", "windows-1252", "iso-8859-1", "utf-16"] as const;

const source = OneOf("type", [
  Closed({
    type: Type.Literal("inline"),
    rows: Type.Array(AnyObject, { minItems: 1, maxItems: MAX_INLINE_ROWS, description: "JSON objects, one a row." }),
  }),
  Closed({
    type: Type.Literal("upload"),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    sizeBytes: Type.Optional(Integer({ description: "Checked against what arrives." })),
    sha256: Type.Optional(
      Type.String({
        pattern: "^[0-9a-f]{64}$",
        description: "Checked against what arrives.",
        "x-hint": "Send the SHA-256 of the file as 64 lowercase hexadecimal digits, as `sha256sum` prints it.",
      }),
    ),
  }),
  Closed({
    type: Type.Literal("url"),
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "Public HTTPS URL, presigned or not: it is stored encrypted, and never returned.",
      examples: ["https://files.example.com/customers.csv"],
    }),
  }),
]);

const params = { datasetUploadId: "datasetUpload" } as const;

export const datasetUploadOperations = {
  createDatasetUpload: operation({
    method: "POST",
    path: "/v1/dataset-uploads",
    tag: "Dataset uploads",
    summary: "Create a dataset upload session and enqueue intake",
    description:
      "`inline` rows are taken at once; for `upload`, stream the file to `upload.url`; `url` is fetched by the service. " +
      "Read the upload, with `waitSeconds`, until its state is `completed` or `failed`. A session reserves `source.sizeBytes` of what the organization " +
      "may store; without it, or for a `url`, as many bytes as a dataset may have or the organization has left. What is not used " +
      "is free again when the content is there, or when the session expires or is canceled. Over the limit: 409 `limit_reached`.",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "required",
    body: Closed({
      name: Name("Name of the upload and of the dataset it makes.", "Customers"),
      format: Type.Optional(
        Enum(datasetFormats, { description: "Found out from the name and the content if absent." }),
      ),
      source,
      csv: Type.Optional(
        Closed({
          delimiter: Type.Optional(
            Type.String({
              ...ONE_DELIMITER,
              description:
                "One ASCII character that is no quote and no line end. If absent, that of a first line such as `sep=;`, as Excel writes it, or else found out. Such a line is not a row.",
            }),
          ),
          header: Type.Optional(Type.Boolean({ description: "Whether the first line names the columns (true)." })),
          encoding: Type.Optional(
            Enum(csvEncodings, {
              description:
                "Of the text. If absent, UTF-8, or UTF-16 where the file begins with a byte order mark or can be nothing else. `utf-16` without a mark is read in the order of bytes that its line ends show. `iso-8859-1` (Latin-1) is read as `windows-1252`.",
            }),
          ),
        }),
      ),
      onInvalidRow: Type.Optional(
        Enum(["reject", "skip"], {
          description: "`reject` (default): one invalid row fails the upload. `skip`: it is left out and counted.",
        }),
      ),
      metadata: Type.Optional(Metadata),
    }),
    bodyLimitBytes: INLINE_BODY_BYTES,
    bodyRowsAt: ["source", "rows"],
    response: { status: 201, schema: DatasetUploadSchema },
    location: "/v1/dataset-uploads/{id}",
    errors: ["payload_too_large", "source_url_not_allowed", "limit_reached", "insufficient_storage"],
  }),
  listDatasetUploads: operation({
    method: "GET",
    path: "/v1/dataset-uploads",
    tag: "Dataset uploads",
    summary: "List dataset uploads",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    filters: {},
    response: { status: 200, schema: ListOf(DatasetUploadSchema) },
    errors: [],
  }),
  getDatasetUpload: operation({
    method: "GET",
    path: "/v1/dataset-uploads/{datasetUploadId}",
    tag: "Dataset uploads",
    summary: "Read a dataset upload",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    params,
    query: Closed({ waitSeconds: waitSecondsFor("the upload to end") }),
    response: { status: 200, schema: DatasetUploadSchema },
    errors: ["not_found"],
  }),
  putDatasetUploadContent: operation({
    method: "PUT",
    path: "/v1/dataset-uploads/{datasetUploadId}/content",
    tag: "Dataset uploads",
    summary: "Stream the content of a dataset upload",
    description:
      "The file itself as the body, of any size up to the dataset limit. A broken transfer leaves the session as it was: send again.",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    plain: true,
    response: { status: 200, schema: DatasetUploadSchema },
    errors: [
      "not_found",
      "invalid_state",
      "limit_reached",
      "payload_too_large",
      "unsupported_media_type",
      "insufficient_storage",
    ],
  }),
  getResumableUploadSupport: operation({
    method: "OPTIONS",
    path: "/v1/dataset-uploads/{datasetUploadId}/content/resumable",
    tag: "Dataset uploads",
    summary: "Say what is supported of the tus protocol",
    description: "The headers `Tus-Version`, `Tus-Extension` and `Tus-Max-Size` of the response say it.",
    access: { by: "public" },
    idempotency: "none",
    params,
    plain: true,
    response: { status: 204 },
    errors: ["not_found"],
  }),
  beginResumableContent: operation({
    method: "POST",
    path: "/v1/dataset-uploads/{datasetUploadId}/content/resumable",
    tag: "Dataset uploads",
    summary: "Restart the content of a dataset upload, to send it in pieces",
    description:
      "Creation of the tus protocol 1.0.0, with `Upload-Length` or `Upload-Defer-Length: 1`; `Location` is the same URL. " +
      "Not needed where the session says `sizeBytes`: then send with `PATCH` from offset 0.",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    plain: true,
    response: { status: 201, description: "Begun; `Location` is where to send the content." },
    location: "/v1/dataset-uploads/{datasetUploadId}/content/resumable",
    errors: [
      "limit_reached",
      "insufficient_storage",
      "invalid_request",
      "idempotency_key_invalid",
      "not_found",
      "invalid_state",
      "upload_in_progress",
      "precondition_failed",
      "payload_too_large",
    ],
  }),
  getResumableContentOffset: operation({
    method: "GET",
    path: "/v1/dataset-uploads/{datasetUploadId}/content/resumable",
    tag: "Dataset uploads",
    summary: "Read how much of the content has arrived",
    description:
      "Of the tus protocol 1.0.0, which asks by `HEAD`: the headers `Upload-Offset` and `Upload-Length` say the same.",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    plain: true,
    response: {
      status: 200,
      schema: Type.Object({
        offsetBytes: SafeCount("Bytes that were received and stored: the offset to resume at."),
        sizeBytes: Nullable(SafeCount("Bytes of the whole content; null until it is said.")),
      }),
    },
    errors: ["not_found", "invalid_state", "upload_in_progress", "precondition_failed"],
  }),
  appendResumableContent: operation({
    method: "PATCH",
    path: "/v1/dataset-uploads/{datasetUploadId}/content/resumable",
    tag: "Dataset uploads",
    summary: "Send more of the content of a dataset upload",
    description:
      "Of the tus protocol 1.0.0: the bytes from `Upload-Offset` on. What arrives is kept, whatever happens to the connection. " +
      "After the last byte the session continues as after `PUT`: read it to see its state.",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    plain: true,
    response: { status: 204, description: "`Upload-Offset` says where to go on." },
    errors: [
      "limit_reached",
      "insufficient_storage",
      "invalid_request",
      "not_found",
      "invalid_state",
      "upload_offset_mismatch",
      "upload_in_progress",
      "precondition_failed",
      "payload_too_large",
      "unsupported_media_type",
    ],
  }),
  cancelDatasetUpload: operation({
    method: "POST",
    path: "/v1/dataset-uploads/{datasetUploadId}/cancel",
    tag: "Dataset uploads",
    summary: "Cancel a dataset upload that awaits its content",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "honoured",
    params,
    response: { status: 200, schema: DatasetUploadSchema },
    errors: ["not_found", "invalid_state"],
  }),
};
