/** Organizations, who acts for them, and what is kept of their requests. See `tables.ts`. */
import type { Generated } from "kysely";
import type { AuditActorType, AuditEventType } from "@rowmill/contract/audit-events";
import type { InvitationState } from "@rowmill/contract/invitations";
import type { Role } from "@rowmill/contract/roles";
import type { KeyLimit } from "../auth/caller.ts";
import type { JsonbWithDefault, Maybe, NullableJsonb, NullableTime, Time, TimeWithDefault } from "./column-types.ts";

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
  ownsKey: Generated<boolean>;
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
