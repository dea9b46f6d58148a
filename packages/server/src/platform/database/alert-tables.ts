/** The tables of alerts: rules, events that may match them, and deliveries. */
import type { Generated } from "kysely";
import type { AlertDelivery, AlertDeliveryStatus } from "@rowmill/contract/alert-deliveries";
import type { AlertTrigger } from "@rowmill/contract/alert-conditions";
import type { AlertDestination } from "@rowmill/contract/alert-destinations";
import type { Jsonb, JsonbWithDefault, Maybe, NullableJsonb, NullableTime, TimeWithDefault } from "./column-types.ts";

export interface AlertRulesTable {
  organizationId: string;
  id: string;
  name: string;
  eventType: string;
  enabled: Generated<boolean>;
  filter: Maybe<string>;
  filterError: NullableJsonb<{ message: string; eventId: string; at: string }>;
  trigger: Jsonb<AlertTrigger>;
  cooldownSeconds: number;
  /** With the URL as it is shown. */
  destination: Jsonb<AlertDestination>;
  sealedUrl: Maybe<string>;
  /** Sealed. */
  signingSecret: Maybe<string>;
  previousSecrets: JsonbWithDefault<{ sealed: string; expiresAt: string }[]>;
  revision: Generated<number>;
  leasedUntil: NullableTime;
  /** What workers of the version before call `leasedUntil`: a trigger keeps both equal. */
  judgedUntil: NullableTime;
  counted: JsonbWithDefault<[number, number][]>;
  coolingUntil: NullableTime;
  suppressedDeliveryId: Maybe<string>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
  deletedAt: NullableTime;
}

export interface AlertCandidatesTable {
  organizationId: string;
  alertRuleId: string;
  eventId: string;
}

export interface AlertDeliveriesTable {
  organizationId: string;
  id: string;
  alertRuleId: string;
  eventId: string;
  eventType: string;
  eventCount: Generated<number>;
  isTest: Generated<boolean>;
  alert: Maybe<string>;
  status: AlertDeliveryStatus;
  attempts: JsonbWithDefault<AlertDelivery["attempts"]>;
  attemptsMade: Generated<number>;
  nextAttemptAt: NullableTime;
  claimedUntil: NullableTime;
  claimNo: Generated<number>;
  createdAt: TimeWithDefault;
  updatedAt: TimeWithDefault;
}
