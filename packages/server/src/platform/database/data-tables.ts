/** Datasets, uploads, job specs and exports. See `tables.ts`. */
import type { Generated, GeneratedAlways } from "kysely";
import type { DatasetFormat, DatasetUploadState } from "@rowmill/contract/dataset-uploads";
import type {
  ExportCompression,
  ExportFormat,
  ExportLayout,
  ExportStatus,
  ExportType,
} from "@rowmill/contract/exports";
import type { JsonbWithDefault, Maybe, NullableJsonb, NullableTime, TimeWithDefault } from "./column-types.ts";

export interface DatasetsTable {
  organizationId: string;
  id: string;
  name: string;
  description: Maybe<string>;
  state: "processing" | "ready" | "failed";
  rowCount: Generated<number>;
  chunkCount: Generated<number>;
  sizeBytes: Generated<number>;
  /** json */
  columns: Generated<string>;
  contentSha256: Maybe<string>;
  storedBytes: Generated<number>;
  storageBytes: GeneratedAlways<number>;
  uploadId: string;
  metadata: JsonbWithDefault<Record<string, string>>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  deletedAt: NullableTime;
}

export interface DatasetChunksTable {
  organizationId: string;
  datasetId: string;
  chunkNo: number;
  firstRow: number;
  rowCount: number;
  body: Buffer;
}

export interface DatasetUploadsTable {
  organizationId: string;
  id: string;
  name: string;
  sourceType: "inline" | "upload" | "url";
  source: JsonbWithDefault<{
    filename?: string;
    sizeBytes?: number;
    sha256?: string;
    sealedUrl?: string;
    /** As the sender of resumable content says. */
    uploadLength?: number;
  }>;
  format: Maybe<DatasetFormat>;
  csv: NullableJsonb<{ delimiter?: string; header?: boolean }>;
  onInvalidRow: Generated<"reject" | "skip">;
  state: DatasetUploadState;
  datasetId: Maybe<string>;
  storageKey: Maybe<string>;
  bytesReceived: Generated<number>;
  reservedBytes: Generated<number>;
  storedBytes: Generated<number>;
  declaredBytes: GeneratedAlways<number>;
  storageBytes: GeneratedAlways<number>;
  bytesRead: Generated<number>;
  rowsAccepted: Generated<number>;
  rowsRejected: Generated<number>;
  errors: JsonbWithDefault<{ line: number | null; code: string; message: string; text?: string }[]>;
  isSkippable: Generated<boolean>;
  claimNo: Generated<number>;
  metadata: JsonbWithDefault<Record<string, string>>;
  expiresAt: NullableTime;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  finishedAt: NullableTime;
}

export interface JobSpecsTable {
  organizationId: string;
  id: string;
  name: string;
  description: Maybe<string>;
  latestVersion: number;
  metadata: JsonbWithDefault<Record<string, string>>;
  archivedAt: NullableTime;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
}

export interface JobSpecVersionsTable {
  organizationId: string;
  jobSpecId: string;
  version: number;
  id: string;
  /** json, as the next five */
  processor: string;
  /** `conn_…`: of every connection that the processor may call. */
  connectionIds: string[];
  /** The model that the processor names first. */
  model: Maybe<string>;
  inputSchema: Maybe<string>;
  outputSchema: Maybe<string>;
  retry: Maybe<string>;
  failurePolicy: Maybe<string>;
  cache: Maybe<string>;
  dedupe: Maybe<"exact" | "none">;
  /** json */
  execution: Maybe<string>;
  timeoutSeconds: Maybe<number>;
  concurrency: Maybe<number>;
  createdAt: TimeWithDefault;
}

export interface ExportsTable {
  organizationId: string;
  id: string;
  runId: string;
  type: ExportType;
  format: ExportFormat;
  layout: Generated<ExportLayout>;
  compression: Generated<ExportCompression>;
  includeInput: Generated<boolean>;
  columns: Maybe<string>;
  /** Of CSV. */
  delimiter: Generated<string>;
  byteOrderMark: Generated<boolean>;
  formulaGuard: Generated<boolean>;
  status: ExportStatus;
  error: NullableJsonb<{ code: string; message: string }>;
  rowCount: Maybe<number>;
  guardedCells: Maybe<number>;
  sizeBytes: Maybe<number>;
  reservedBytes: Generated<number>;
  storageBytes: GeneratedAlways<number>;
  sha256: Maybe<string>;
  storageKey: Maybe<string>;
  expiresAt: NullableTime;
  claimNo: Generated<number>;
  attempts: Generated<number>;
  metadata: JsonbWithDefault<Record<string, string>>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  finishedAt: NullableTime;
}
