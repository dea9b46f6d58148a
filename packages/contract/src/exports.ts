import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, idFilter } from "./pagination.ts";
import { NextStepSchema } from "./run-reasons.ts";
import { Closed, Enum, Id, Metadata, Nullable, ONE_DELIMITER, SafeCount, Timestamp, component } from "./schemas.ts";
import { waitSecondsFor } from "./wait.ts";

export const exportTypes = ["outputs", "failures", "resolved_results", "rows"] as const;
export type ExportType = (typeof exportTypes)[number];
export const exportFormats = ["jsonl", "csv", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];
export const exportCompressions = ["none", "gzip", "zstd"] as const;
export type ExportCompression = (typeof exportCompressions)[number];
export const exportLayouts = ["nested", "flat"] as const;
export type ExportLayout = (typeof exportLayouts)[number];
export const exportStatuses = ["queued", "running", "ready", "expired", "failed", "canceled"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

export const ExportSchema = component(
  "Export",
  Type.Object({
    id: Id("export"),
    runId: Id("run"),
    type: Enum(exportTypes),
    format: Enum(exportFormats),
    layout: Enum(exportLayouts),
    compression: Enum(exportCompressions),
    includeInput: Type.Boolean(),
    columns: Nullable(Type.Array(Type.String())),
    delimiter: Nullable(Type.String({ description: "Between the cells of a CSV file; null for other formats." })),
    byteOrderMark: Type.Boolean({ description: "Whether a CSV file begins with the byte order mark of UTF-8." }),
    formulaGuard: Type.Boolean({
      description: "Whether cells that a spreadsheet would run as a formula get a leading `'`.",
    }),
    status: Enum(exportStatuses),
    statusMessage: Nullable(
      Type.String({ description: "What the export waits for, or why it has no file, as a sentence; null when ready." }),
    ),
    nextSteps: Type.Array(NextStepSchema, { description: "What can be done now; empty when ready." }),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    rowCount: Nullable(SafeCount("Rows in the file; while it is written, those that it has so far.")),
    guardedCells: Nullable(
      SafeCount("Cells that the formula guard changed; null without `formulaGuard`, and until the file is ready."),
    ),
    sizeBytes: Nullable(SafeCount("Bytes of the file.")),
    sha256: Nullable(Type.String({ description: "SHA-256 of the file's bytes." })),
    downloadUrl: Nullable(Type.String({ description: "Only while the export is ready." })),
    expiresAt: Nullable(Timestamp("When the file is deleted.")),
    metadata: Metadata,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    finishedAt: Nullable(Timestamp()),
  }),
);
export type Export = Static<typeof ExportSchema>;

const filters = {
  status: enumFilter(exportStatuses, "Exports in these states."),
  type: enumFilter(exportTypes, "Exports of these types."),
  format: enumFilter(exportFormats, "Exports in these formats."),
};
const read = { by: "organization", scopes: ["exports:read"] } as const;
const write = { by: "organization", scopes: ["exports:write"] } as const;

export const exportOperations = {
  createExport: operation({
    method: "POST",
    path: "/v1/runs/{runId}/exports",
    tag: "Exports",
    summary: "Create a self-starting export",
    description:
      "With `type: resolved_results` and `layout: flat` the file is a table with one line for each row of the run's scope, also " +
      "for failed, pending, canceled and skipped rows: the columns of the input, the fields of the output under their own " +
      "names, `row_state` and `failure_code`. An output field whose name, in any case of letters, is that of an input column, " +
      "of `row_state` or of `failure_code` gets the prefix `output_`; an input column called `row_state` or `failure_code` " +
      "gets the prefix `input_`. An output that is not an object is in the column `output`. In JSONL each line has all columns.\n\n" +
      "With `layout: nested` a JSONL line is the list item of that type; in CSV and Parquet its members are columns, objects " +
      "opened one level (`data.label`, `input.city`; in `resolved_results` `output.data.label`), deeper values as JSON text.\n\n" +
      "Rows are in dataset order; the same content gives the same bytes. In CSV texts are quoted, numbers, `true` and `false` " +
      "are not, null is an empty cell. A Parquet column has the type that the contract or the job spec's output schema " +
      "declares, else the one its values have: `BOOLEAN`, `BIGINT`, `DOUBLE` or `VARCHAR`. No value loses information: a column of " +
      "several kinds of values, with an integer beyond ±(2^53 - 1) or a number that a `DOUBLE` does not keep, is `VARCHAR` with " +
      "the exact texts. The times of the contract, such as `producedAt`, are `TIMESTAMPTZ` (UTC); strings of yours stay " +
      "strings. Of two Parquet columns whose names differ only in case the second gets `_2`. If the run has not ended, " +
      "the file has everything that is finished when the export starts, and rows that finish while it is written may be in it.\n\n" +
      "With `includeInput` or `layout: flat` the key needs `datasets:read`, too, as does the key that downloads a file with inputs.",
    access: write,
    idempotency: "required",
    params: { runId: "run" },
    body: Closed({
      type: Enum(exportTypes),
      format: Enum(exportFormats),
      compression: Type.Optional(
        Enum(exportCompressions, {
          description:
            "Of the whole file (`none`). A Parquet file is compressed inside, page by page, and stays a Parquet file: `zstd` " +
            "(its default), `gzip`, or `none` for uncompressed pages.",
        }),
      ),
      layout: Type.Optional(
        Enum(exportLayouts, {
          description:
            "`nested` (default), or `flat`: a table of input, output and state of each row, for `resolved_results`.",
        }),
      ),
      includeInput: Type.Optional(
        Type.Boolean({
          description:
            "Adds each row's input, under `input` if the layout is `nested`. Default: `true` for `flat`, else `false`.",
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 1100, examples: ["data.label"] }), {
          minItems: 1,
          maxItems: 2000,
          uniqueItems: true,
          description:
            "The columns of the file in this order, such as `index`, `data.label`, `input.city`, or `city`, `label`, `row_state` " +
            "with `layout: flat`. Not for a nested JSONL file, which has no columns. A name that cannot be a column is refused; one that only the rows could " +
            "have, and no row has, ends the export as `failed` with `unknown_column`. If absent: the columns of the contract, the job " +
            "spec's output schema and the dataset, and all others that rows have.",
        }),
      ),
      delimiter: Type.Optional(
        Type.String({
          ...ONE_DELIMITER,
          description:
            "CSV only: between the cells, `,` by default. One ASCII character that is no quote and no line end, as an upload takes it; " +
            "Excel opens `;` where the decimal sign of the system is a comma. With one that may stand in a number or in `true`, all values are quoted.",
        }),
      ),
      byteOrderMark: Type.Optional(
        Type.Boolean({
          description:
            "CSV only: the file begins with the byte order mark of UTF-8, without which Excel reads other letters than ASCII wrongly (default `false`).",
        }),
      ),
      formulaGuard: Type.Optional(
        Type.Boolean({
          description:
            "CSV only: a cell that a spreadsheet would run as a formula gets a leading `'` (default `false`, since it changes " +
            "data such as `+49 171`). `guardedCells` counts them.",
        }),
      ),
      spreadsheet: Type.Optional(
        Type.Boolean({ description: "CSV only: the file is for a spreadsheet. `true` is `formulaGuard: true`." }),
      ),
      metadata: Type.Optional(Metadata),
    }),
    bodyScopes: [
      { at: "/includeInput", equals: true, scopes: ["datasets:read"] },
      { at: "/layout", equals: "flat", scopes: ["datasets:read"] },
    ],
    response: { status: 201, schema: ExportSchema },
    location: "/v1/exports/{id}",
    errors: ["not_found", "limit_reached", "insufficient_storage"],
  }),
  listRunExports: operation({
    method: "GET",
    path: "/v1/runs/{runId}/exports",
    tag: "Exports",
    summary: "List the exports of a run",
    access: read,
    idempotency: "none",
    params: { runId: "run" },
    filters,
    response: { status: 200, schema: ListOf(ExportSchema) },
    errors: ["not_found"],
  }),
  listExports: operation({
    method: "GET",
    path: "/v1/exports",
    tag: "Exports",
    summary: "List exports",
    access: read,
    idempotency: "none",
    filters: { runId: idFilter("run", "Exports of this run."), ...filters },
    response: { status: 200, schema: ListOf(ExportSchema) },
    errors: [],
  }),
  getExport: operation({
    method: "GET",
    path: "/v1/exports/{exportId}",
    tag: "Exports",
    summary: "Read an export",
    access: read,
    idempotency: "none",
    params: { exportId: "export" },
    query: Closed({ waitSeconds: waitSecondsFor("the export to end") }),
    response: { status: 200, schema: ExportSchema },
    errors: ["not_found"],
  }),
  cancelExport: operation({
    method: "POST",
    path: "/v1/exports/{exportId}/cancel",
    tag: "Exports",
    summary: "Cancel an export that is not finished",
    access: write,
    idempotency: "honoured",
    params: { exportId: "export" },
    response: { status: 200, schema: ExportSchema },
    errors: ["not_found", "invalid_state"],
  }),
  downloadExport: operation({
    method: "GET",
    path: "/v1/exports/{exportId}/download",
    tag: "Exports",
    summary: "Download an export's file",
    description:
      "A single `Range` works, with `If-Range`; `ETag` is the SHA-256. A compressed file is delivered as it is stored. A file with " +
      "the rows' inputs needs `datasets:read`, too. Follow redirects: where the operator has chosen so, the response is 307 and leads " +
      "to the object store, with a URL that is good for a minute.",
    access: { by: "organization", scopes: ["exports:read", "results:read"] },
    idempotency: "none",
    params: { exportId: "export" },
    plain: true,
    response: { status: 200, contentType: "application/octet-stream", description: "The file." },
    errors: ["not_found", "invalid_state", "export_expired", "range_not_satisfiable"],
  }),
};
