/** Events, who listens to them, and bulk actions. See `tables.ts`. */
import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { BulkActionName, BulkActionState, BulkFilter, BulkResource } from "@rowmill/contract/bulk-actions";
import type {
  WebhookDelivery,
  WebhookDeliveryContent,
  WebhookDeliveryKind,
  WebhookDeliveryStatus,
} from "@rowmill/contract/webhook-deliveries";
import type { JsonbWithDefault, Maybe, NullableTime, TimeWithDefault } from "./column-types.ts";

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

export interface EventListenersTable {
  organizationId: string;
  id: string;
  eventTypes: string[];
  expiresAt: Date;
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

/** What is shown of an attempt, and what was sent and came back: of older ones, and of attempts without a response, there is less. */
export type StoredAttempt = WebhookDelivery["attempts"][number] &
  Partial<Pick<WebhookDeliveryContent["attempts"][number], "request" | "response">>;

export interface WebhookDeliveriesTable {
  organizationId: string;
  id: string;
  webhookEndpointId: string;
  eventId: string;
  eventType: string;
  payload: Maybe<string>;
  kind: Generated<WebhookDeliveryKind>;
  status: Generated<WebhookDeliveryStatus>;
  attempts: JsonbWithDefault<StoredAttempt[]>;
  attemptsMade: Generated<number>;
  isRetry: GeneratedAlways<boolean>;
  nextAttemptAt: NullableTime;
  claimedUntil: NullableTime;
  claimNo: Generated<number>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
}
