/**
 * Audit events: one for every change, in the change's own transaction. The database refuses to change or delete one. An
 * event's time is the time in its id, so that a period is a range of ids.
 */
import type { Operations } from "@rowmill/contract";
import type { AuditActorType, AuditEvent, AuditEventType } from "@rowmill/contract/audit-events";
import { auditActorTypes, auditEventTypes } from "@rowmill/contract/audit-events";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { IdKind } from "@rowmill/contract/schemas";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Caller, OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { AuditEventsTable } from "../../platform/database/account-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { RowKey } from "../../platform/database/row-key.ts";
import { notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId, formatIdOrNull, newUuid, timeOfUuid } from "../../platform/ids.ts";
import { storableJson } from "../../platform/text.ts";

type TargetOf<T> = T extends `${infer Target}.${string}` ? Target : never;

/** What an event's type names before its dot, and the kind of its id. A denied attempt is about the key. */
const idKinds = {
  alert_rule: "alertRule",
  api_key: "apiKey",
  auth: "apiKey",
  bulk_action: "bulkAction",
  connection: "connection",
  dataset: "dataset",
  dataset_upload: "datasetUpload",
  export: "export",
  invitation: "invitation",
  job_spec: "jobSpec",
  member: "member",
  organization: "organization",
  run: "run",
  session: "session",
  webhook_delivery: "webhookDelivery",
  webhook_endpoint: "webhookEndpoint",
} as const satisfies Record<TargetOf<AuditEventType>, IdKind>;

type AuditChanges = Record<string, unknown>;

/** `target`: the id of what was changed, which is of the caller's organization. `changes`: what became different; never a secret. */
export function recordAudit(
  tx: Transaction,
  caller: OrganizationCaller,
  type: AuditEventType,
  target: string,
  changes?: AuditChanges,
): Promise<void>;
/** For callers that are not of one organization: the target names its own. */
export function recordAudit(
  tx: Transaction,
  caller: Caller,
  type: AuditEventType,
  target: RowKey,
  changes?: AuditChanges,
): Promise<void>;
export async function recordAudit(
  tx: Transaction,
  caller: Caller,
  type: AuditEventType,
  given: string | RowKey,
  changes: AuditChanges = {},
): Promise<void> {
  const target = typeof given === "string" ? targetOf(caller, given) : given;
  const id = newUuid();
  const targetType = type.slice(0, type.indexOf(".")) as TargetOf<AuditEventType>; // as the types are spelled
  await insert.later(tx, {
    organizationId: target.organizationId,
    id,
    type,
    ...actorOf(caller),
    targetType: targetType === "auth" ? "api_key" : targetType,
    targetId: formatId(idKinds[targetType], target.id),
    ip: "ip" in caller ? caller.ip : null,
    requestId: "requestId" in caller ? caller.requestId : null,
    changes: storableJson(changes),
    createdAt: timeOfUuid(id),
  });
}

const insert = prepared(
  "insert_audit_event",
  [
    "organizationId",
    "id",
    "type",
    "actorType",
    "actorId",
    "apiKeyId",
    "targetType",
    "targetId",
    "ip",
    "requestId",
    "changes",
    "createdAt",
  ],
  (db, at) =>
    db.insertInto("auditEvents").values({
      ...at,
      type: sql`${at.type}`,
      actorType: sql`${at.actorType}`,
      createdAt: sql`${at.createdAt}`,
    }),
);

function targetOf(caller: Caller, id: string): RowKey {
  if (caller.kind !== "organization") throw new Error("the target of an audit event has no organization");
  return { organizationId: caller.organizationId, id };
}

function actorOf(caller: Caller): { actorType: AuditActorType; actorId: string | null; apiKeyId: string | null } {
  switch (caller.kind) {
    case "organization":
      return caller.memberId === null
        ? { actorType: "api_key", actorId: caller.apiKeyId, apiKeyId: caller.apiKeyId }
        : { actorType: "member", actorId: caller.memberId, apiKeyId: caller.apiKeyId };
    case "member":
      return { actorType: "member", actorId: caller.memberId, apiKeyId: null };
    case "admin":
      return { actorType: "admin", actorId: null, apiKeyId: null };
    case "public":
    case "system":
      return { actorType: "system", actorId: null, apiKeyId: null };
  }
}

export const listAuditEvents: OperationFunction<"listAuditEvents"> = (db, _caller, { params, filters, page }) =>
  readAuditEvents(db, params.organizationId, filters, page);

export async function readAuditEvents(
  db: Queryable,
  organizationId: string,
  filters: Input<Operations["listAuditEvents"]>["filters"],
  page: Page,
): Promise<PageOf<AuditEvent>> {
  const organization = await db
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  if (!organization) throw notFound("organization");
  const { type, actorType, apiKeyId, createdAfter, createdBefore } = filters;
  const actorTypes = actorType ?? auditActorTypes;
  const { rows, next } = await readNewest(
    db,
    {
      table: "auditEvents",
      organizationId,
      large: ["changes"],
      is: { apiKeyId },
      in:
        apiKeyId !== undefined || type !== undefined
          ? { type: type ?? auditEventTypes, actorType: actorTypes }
          : actorType !== undefined
            ? { actorType: actorTypes }
            : {},
      createdAfter,
      createdBefore,
    },
    page,
  );
  return { data: rows.map(describe), next };
}

const describe = (row: Selectable<AuditEventsTable>): AuditEvent => ({
  id: formatId("auditEvent", row.id),
  organizationId: formatId("organization", row.organizationId),
  type: row.type,
  actorType: row.actorType,
  actorId: row.actorId === null ? null : formatId(actorKind(row.actorType), row.actorId),
  apiKeyId: formatIdOrNull("apiKey", row.apiKeyId),
  target: { type: row.targetType, id: row.targetId },
  ip: row.ip,
  requestId: row.requestId,
  changes: row.changes,
  createdAt: row.createdAt.toISOString(),
});

const actorKind = (actorType: AuditActorType) => (actorType === "member" ? "member" : "apiKey");
