import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf, fromIndexFilter, metadataFilter, nameFilter } from "./pagination.ts";
import {
  AnyObject,
  Closed,
  Description,
  Enum,
  Id,
  Metadata,
  Name,
  Nullable,
  SafeCount,
  Timestamp,
  component,
} from "./schemas.ts";

export const datasetStates = ["processing", "ready", "failed"] as const;
export const columnTypes = [
  "integer",
  "number",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "string",
  "object",
  "array",
  "mixed",
] as const;

const ColumnSchema = component(
  "Column",
  Type.Object({
    name: Type.String(),
    type: Enum(columnTypes, {
      description: "`decimal` values are kept as strings, since a JSON number would not give them back.",
    }),
    nullCount: SafeCount("Rows in which the column is null or absent."),
    min: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    max: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  }),
);
export type Column = Static<typeof ColumnSchema>;

export const DatasetSchema = component(
  "Dataset",
  Type.Object({
    id: Id("dataset"),
    name: Type.String(),
    description: Nullable(Type.String()),
    state: Enum(datasetStates),
    rowCount: SafeCount("Rows; 0 until the dataset is ready."),
    sizeBytes: SafeCount("Bytes of the rows as JSON lines."),
    columns: Type.Array(ColumnSchema),
    contentSha256: Nullable(Type.String({ description: "SHA-256 of the rows as JSON lines, each ended by LF." })),
    uploadId: Id("datasetUpload"),
    metadata: Metadata,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);
export type Dataset = Static<typeof DatasetSchema>;

export const DatasetRowSchema = component(
  "DatasetRow",
  Type.Object({ id: Id("row"), index: SafeCount("Position in the dataset, from 0."), data: AnyObject }),
);
export type DatasetRow = Static<typeof DatasetRowSchema>;

const params = { datasetId: "dataset" } as const;

export const datasetOperations = {
  listDatasets: operation({
    method: "GET",
    path: "/v1/datasets",
    tag: "Datasets",
    summary: "List datasets",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    filters: { name: nameFilter("Datasets"), metadata: metadataFilter("Datasets") },
    response: { status: 200, schema: ListOf(DatasetSchema) },
    errors: [],
  }),
  getDataset: operation({
    method: "GET",
    path: "/v1/datasets/{datasetId}",
    tag: "Datasets",
    summary: "Read a dataset",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    params,
    response: { status: 200, schema: DatasetSchema },
    errors: ["not_found"],
  }),
  updateDataset: operation({
    method: "PATCH",
    path: "/v1/datasets/{datasetId}",
    tag: "Datasets",
    summary: "Change a dataset's name, description or metadata",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    body: Closed({
      name: Type.Optional(Name("New name.", "Customers, March")),
      description: Type.Optional(Nullable(Description)),
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 200, schema: DatasetSchema },
    errors: ["not_found"],
  }),
  deleteDataset: operation({
    method: "DELETE",
    path: "/v1/datasets/{datasetId}",
    tag: "Datasets",
    summary: "Delete a dataset and its rows",
    access: { by: "organization", scopes: ["datasets:write"] },
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found", "resource_in_use"],
  }),
  listDatasetRows: operation({
    method: "GET",
    path: "/v1/datasets/{datasetId}/rows",
    tag: "Datasets",
    summary: "List the rows of a dataset",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    params,
    filters: { fromIndex: fromIndexFilter },
    streams: true,
    response: { status: 200, schema: ListOf(DatasetRowSchema) },
    errors: ["not_found", "dataset_not_ready"],
  }),
  getDatasetRow: operation({
    method: "GET",
    path: "/v1/datasets/{datasetId}/rows/{datasetRowId}",
    tag: "Datasets",
    summary: "Read one row",
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    params: { datasetId: "dataset", datasetRowId: "row" },
    response: { status: 200, schema: DatasetRowSchema },
    errors: ["not_found", "dataset_not_ready"],
  }),
};
