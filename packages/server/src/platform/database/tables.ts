/** The tables as Kysely sees them: columns in camelCase, `json` as text, `jsonb` parsed. */
import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { AuditActorType, AuditEventType } from "@rowmill/contract/audit-events";
import type { BulkActionName, BulkActionState, BulkFilter, BulkResource } from "@rowmill/contract/bulk-actions";
import type { ConnectionPrices, ConnectionType } from "@rowmill/contract/connections";
import type { DatasetFormat, DatasetUploadState } from "@rowmill/contract/dataset-uploads";
import type {
  ExportCompression,
  ExportFormat,
  ExportLayout,
  ExportStatus,
  ExportType,
} from "@rowmill/contract/exports";
import type { InvitationState } from "@rowmill/contract/invitations";
import type { Role } from "@rowmill/contract/roles";
import type { WebhookDelivery, WebhookDeliveryKind, WebhookDeliveryStatus } from "@rowmill/contract/webhook-deliveries";
import type { KeyLimit } from "../auth/caller.ts";
import type { AlertCandidatesTable, AlertDeliveriesTable, AlertRulesTable } from "./alert-tables.ts";
import type {
  Jsonb,
  JsonbWithDefault,
  Maybe,
  NullableJsonb,
  NullableTime,
  Time,
  TimeWithDefault,
} from "./column-types.ts";
import type {
  ProviderBatchesTable,
  RowCacheTable,
  RunBudgetsTable,
  RunChunksTable,
  RunFailuresTable,
  RunRowKeysTable,
  RunSegmentsTable,
  RunsTable,
  UsageDaysTable,
} from "./run-tables.ts";

export interface InstallationTable {
  name: string;
  value: string;
  createdAt: TimeWithDefault;
}

export interface OrganizationsTable {
  id: string;
  name: string;
  slug: string | null;
  state: Generated<"active" | "suspended">;
  limits: JsonbWithDefault<Record<string, number | null>>;
  metadata: JsonbWithDefault<Record<string, string>>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
}

export interface ApiKeysTable {
  organizationId: string;
  id: string;
  name: string;
  digest: Buffer;
  redactedKey: string;
  scopes: string[];
  memberId: Maybe<string>;
  createdByKeyId: Maybe<string>;
  isRoleKey: Generated<boolean>;
  sharedLimits: JsonbWithDefault<KeyLimit[]>;
  requestsPerMinute: Maybe<number>;
  lastUsedAt: NullableTime;
  expiresAt: NullableTime;
  revokedAt: NullableTime;
  createdAt: TimeWithDefault;
}

export interface SessionsTable {
  id: string;
  organizationId: Maybe<string>;
  apiKeyId: Maybe<string>;
  adminKeySha256: Maybe<Buffer>;
  digest: Buffer;
  createdAt: TimeWithDefault;
  expiresAt: Time;
}

export interface LoginLinksTable {
  digest: Buffer;
  expiresAt: Time;
}

export interface InvitationsTable {
  organizationId: string;
  id: string;
  email: string;
  role: Role;
  state: Generated<InvitationState>;
  tokenDigest: Buffer;
  memberId: Maybe<string>;
  createdByKeyId: Maybe<string>;
  expiresAt: Time;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
}

export interface MembersTable {
  organizationId: string;
  id: string;
  name: string;
  email: string;
  role: Role;
  invitationId: string;
  createdAt: TimeWithDefault;
  removedAt: NullableTime;
}

export interface IdempotencyKeysTable {
  scopeId: string;
  method: string;
  path: string;
  key: string;
  fingerprint: Buffer;
  status: Maybe<number>;
  location: Maybe<string>;
  body: Maybe<string>;
  isSealed: Generated<boolean>;
  madeByKeyId: Maybe<string>;
  madeByMemberId: Maybe<string>;
  bodyWithoutSecrets: Maybe<string>;
  secretUntil: NullableTime;
  createdAt: TimeWithDefault;
}

export interface AuditEventsTable {
  organizationId: string;
  id: string;
  type: AuditEventType;
  actorType: AuditActorType;
  actorId: Maybe<string>;
  apiKeyId: Maybe<string>;
  targetType: string;
  targetId: Maybe<string>;
  ip: Maybe<string>;
  requestId: Maybe<string>;
  changes: JsonbWithDefault<Record<string, unknown>>;
  createdAt: TimeWithDefault;
}

export interface DeniedAttemptsTable {
  organizationId: string;
  apiKeyId: string;
  code: string;
  recordedAt: Time;
  unrecorded: Generated<number>;
  latest: NullableJsonb<DeniedAttempt>;
}

/** What is known of the request; `count` of them were alike. */
export interface DeniedAttempt {
  memberId: string | null;
  requestId: string;
  ip: string;
  method: string;
  path: string;
  requiredScopes: string[];
}

/** Who listens to one type of row events, or to both `row.succeeded` and `row.failed`. */
export type RowAudience = "one_type" | "both_types";

export interface EventsTable {
  organizationId: string;
  id: string;
  type: string;
  runId: Maybe<string>;
  sequence: Maybe<number>;
  payload: string;
  /** Of row events; null: all who listen to its type. */
  rowAudience: Maybe<RowAudience>;
  isFannedOut: Generated<boolean>;
  /** In the log of the organization; set by the fan-out. */
  position: Generated<number | null>;
  createdAt: TimeWithDefault;
}

export interface EventLogsTable {
  organizationId: string;
  lastPosition: Generated<number>;
}

export interface BulkActionsTable {
  organizationId: string;
  id: string;
  resource: BulkResource;
  action: BulkActionName;
  /** jsonb */
  filter: ColumnType<BulkFilter | null, string | null, never>;
  /** json */
  retry: ColumnType<string | null, string | null, never>;
  state: BulkActionState;
  total: number;
  done: Generated<number>;
  skipped: Generated<number>;
  failed: Generated<number>;
  /** jsonb, by code */
  reasons: ColumnType<Record<string, BulkReason>, never, string>;
  /** jsonb */
  error: ColumnType<{ code: string; message: string } | null, never, string>;
  apiKeyId: string;
  memberId: string | null;
  requestId: string;
  ip: string;
  createdAt: TimeWithDefault;
  startedAt: Maybe<Date>;
  finishedAt: Maybe<Date>;
  updatedAt: TimeWithDefault;
}

/** Why some of the things were skipped or failed. */
export interface BulkReason {
  outcome: "skipped" | "failed";
  message: string;
  count: number;
  /** Some of them. */
  ids: string[];
}

export interface BulkActionTargetsTable {
  organizationId: string;
  bulkActionId: string;
  position: number;
  targetId: string;
  outcome: Maybe<"done" | "skipped" | "failed">;
}

export interface EventListenersTable {
  organizationId: string;
  id: string;
  eventTypes: string[];
  expiresAt: Date;
}

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
  storageBytes: GeneratedAlways<number>;
  bytesRead: Generated<number>;
  rowsAccepted: Generated<number>;
  rowsRejected: Generated<number>;
  errors: JsonbWithDefault<{ line: number | null; code: string; message: string }[]>;
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

export interface WebhookEndpointsTable {
  organizationId: string;
  id: string;
  /** Sealed. */
  url: string;
  shownUrl: string;
  eventTypes: string[];
  description: Maybe<string>;
  enabled: Generated<boolean>;
  disabledReason: Maybe<"by_user" | "receiver_gone" | "failing">;
  /** Sealed. */
  signingSecret: string;
  previousSecrets: JsonbWithDefault<{ sealed: string; expiresAt: string }[]>;
  failingSince: NullableTime;
  failedDeliveries: Generated<number>;
  warnedPercent: Generated<number>;
  lastSuccessAt: NullableTime;
  lastAnswerAt: NullableTime;
  consecutiveTimeouts: Generated<number>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  deletedAt: NullableTime;
}

export interface WebhookDeliveriesTable {
  organizationId: string;
  id: string;
  webhookEndpointId: string;
  eventId: string;
  eventType: string;
  payload: Maybe<string>;
  kind: Generated<WebhookDeliveryKind>;
  status: Generated<WebhookDeliveryStatus>;
  attempts: JsonbWithDefault<WebhookDelivery["attempts"]>;
  attemptsMade: Generated<number>;
  isRetry: GeneratedAlways<boolean>;
  nextAttemptAt: NullableTime;
  claimedUntil: NullableTime;
  claimNo: Generated<number>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
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
  /** json */
  columns: Maybe<string>;
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

export interface ConnectionsTable {
  organizationId: string;
  id: string;
  name: string;
  type: ConnectionType;
  baseUrl: string;
  /** Sealed. */
  secret: Maybe<string>;
  redactedSecret: Maybe<string>;
  requestsPerMinute: Maybe<number>;
  tokensPerMinute: Maybe<number>;
  /** `list`: those of the price list. */
  prices: NullableJsonb<ConnectionPrices | { list: true }>;
  metadata: JsonbWithDefault<Record<string, string>>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  deletedAt: NullableTime;
}

/** Moments are seconds since 1970. */
export interface LimitersTable {
  organizationId: string;
  connectionId: string;
  model: string;
  nextRequestAt: Generated<number>;
  tokensOwed: Generated<number>;
  coolingUntil: Generated<number>;
  rate: Maybe<number>;
  ceiling: Maybe<number>;
  slowedAt: Generated<number>;
  refusals: Generated<number>;
  grownAt: Generated<number>;
  answeredSinceGrowth: Generated<number>;
  answered: Generated<number>;
  answeredSeconds: Generated<number>;
  requestsPerMinute: Maybe<number>;
  requestsLearnedAt: Generated<number>;
  tokensPerMinute: Maybe<number>;
  tokensLearnedAt: Generated<number>;
  usedAt: Generated<number>;
}

export interface ListLabelsTable {
  organizationId: string;
  label: string;
  id: string;
}

export interface StorageUsageTable {
  organizationId: string;
  bytes: Generated<number>;
}

export interface LowSpaceReportsTable {
  processId: string;
  reportedAt: Time;
}

export interface Tables {
  installation: InstallationTable;
  organizations: OrganizationsTable;
  apiKeys: ApiKeysTable;
  sessions: SessionsTable;
  loginLinks: LoginLinksTable;
  invitations: InvitationsTable;
  members: MembersTable;
  idempotencyKeys: IdempotencyKeysTable;
  auditEvents: AuditEventsTable;
  deniedAttempts: DeniedAttemptsTable;
  events: EventsTable;
  eventLogs: EventLogsTable;
  bulkActions: BulkActionsTable;
  bulkActionTargets: BulkActionTargetsTable;
  eventListeners: EventListenersTable;
  datasets: DatasetsTable;
  datasetChunks: DatasetChunksTable;
  datasetUploads: DatasetUploadsTable;
  jobSpecs: JobSpecsTable;
  jobSpecVersions: JobSpecVersionsTable;
  /** Written by triggers alone. */
  listLabels: ListLabelsTable;
  runs: RunsTable;
  runChunks: RunChunksTable;
  runSegments: RunSegmentsTable;
  runFailures: RunFailuresTable;
  providerBatches: ProviderBatchesTable;
  runBudgets: RunBudgetsTable;
  rowCache: RowCacheTable;
  runRowKeys: RunRowKeysTable;
  usageDays: UsageDaysTable;
  webhookEndpoints: WebhookEndpointsTable;
  webhookDeliveries: WebhookDeliveriesTable;
  exports: ExportsTable;
  alertRules: AlertRulesTable;
  alertCandidates: AlertCandidatesTable;
  alertDeliveries: AlertDeliveriesTable;
  connections: ConnectionsTable;
  limiters: LimitersTable;
  storageUsage: StorageUsageTable;
  lowSpaceReports: LowSpaceReportsTable;
}
