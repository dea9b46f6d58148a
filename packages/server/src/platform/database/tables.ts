/** The tables as Kysely sees them: columns in camelCase, `json` as text, `jsonb` parsed. */
import type { Generated } from "kysely";
import type { ConnectionType } from "@rowmill/contract/connections";
import type { ConnectionPrices } from "@rowmill/contract/connection-prices";
import type { AlertCandidatesTable, AlertDeliveriesTable, AlertRulesTable } from "./alert-tables.ts";
import type { JsonbWithDefault, Maybe, NullableJsonb, NullableTime, Time, TimeWithDefault } from "./column-types.ts";
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
import type {
  OrganizationsTable,
  ApiKeysTable,
  SessionsTable,
  LoginLinksTable,
  InvitationsTable,
  MembersTable,
  IdempotencyKeysTable,
  AuditEventsTable,
  DeniedAttemptsTable,
} from "./account-tables.ts";
import type {
  EventsTable,
  EventLogsTable,
  EventListenersTable,
  BulkActionsTable,
  BulkActionTargetsTable,
  WebhookEndpointsTable,
  WebhookDeliveriesTable,
} from "./event-tables.ts";
import type {
  DatasetsTable,
  DatasetChunksTable,
  DatasetUploadsTable,
  JobSpecsTable,
  JobSpecVersionsTable,
  ExportsTable,
} from "./data-tables.ts";

export interface InstallationTable {
  name: string;
  value: string;
  createdAt: TimeWithDefault;
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
  /** Between calls that were not refused, and clearly slower than such refusals before; three are by chance. */
  loneRefusals: Generated<number>;
  /** Calls since the latest refusal, and between the two latest. */
  started: Generated<number>;
  startedBefore: Generated<number>;
  /** Calls that were refused since the latest refusal, with it. */
  refusedNow: Generated<number>;
  isLoneRefusal: Generated<boolean>;
  isLoneOverload: Generated<boolean>;
  /** The highest rate at which a lone refusal came. */
  loneRate: Maybe<number>;
  /** Calls between two refusals by chance. */
  usualRun: Generated<number>;
  chanceRefusals: Generated<number>;
  /** What was too much before the server had nothing but 503; when it last gave another response. */
  keptCeiling: Maybe<number>;
  respondedAt: Generated<number>;
  /** Accepted per second in the minutes before the latest limit; the latest refusal that was not lone; when that rate is tried again. */
  provenRate: Maybe<number>;
  limitedAt: Generated<number>;
  returnSeconds: Generated<number>;
  /** When it was tried, and what was too much before that. */
  returnedAt: Generated<number>;
  ceilingBeforeReturn: Maybe<number>;
  grownAt: Generated<number>;
  answeredSinceGrowth: Generated<number>;
  /** Calls that the provider accepted, and the time in which they started. */
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
  declaredBytes: Generated<number>;
}

export interface DatasetCountsTable {
  organizationId: string;
  datasets: Generated<number>;
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
  /** Written by triggers. */
  datasetCounts: DatasetCountsTable;
  lowSpaceReports: LowSpaceReportsTable;
}
