import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, idFilter, timestampFilter } from "./pagination.ts";
import { AnyObject, Enum, Id, Nullable, Timestamp, component } from "./schemas.ts";

/** `<resource>.<past verb>`, one for every change; `auth.denied` for attempts of known keys that were refused. */
export const auditEventTypes = [
  "alert_rule.created",
  "alert_rule.deleted",
  "alert_rule.secret_rotated",
  "alert_rule.tested",
  "alert_rule.updated",
  "api_key.created",
  "api_key.revoked",
  "api_key.updated",
  "auth.denied",
  "bulk_action.aborted",
  "bulk_action.created",
  "connection.created",
  "connection.deleted",
  "connection.tested",
  "connection.updated",
  "dataset.deleted",
  "dataset.updated",
  "dataset_upload.canceled",
  "dataset_upload.content_received",
  "dataset_upload.created",
  "dataset_upload.expired",
  "export.canceled",
  "export.created",
  "export.deleted",
  "export.expired",
  "invitation.accepted",
  "invitation.created",
  "invitation.expired",
  "invitation.revoked",
  "job_spec.archived",
  "job_spec.created",
  "job_spec.updated",
  "job_spec.version_created",
  "member.created",
  "member.removed",
  "member.updated",
  "organization.created",
  "organization.suspended",
  "organization.updated",
  "run.cancel_requested",
  "run.created",
  "run.deleted",
  "run.paused",
  "run.resumed",
  "run.retried",
  "run.updated",
  "session.created",
  "session.ended",
  "webhook_delivery.redelivered",
  "webhook_endpoint.created",
  "webhook_endpoint.deleted",
  "webhook_endpoint.disabled",
  "webhook_endpoint.replayed",
  "webhook_endpoint.secret_rotated",
  "webhook_endpoint.tested",
  "webhook_endpoint.updated",
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

/** `member`: a key that a member holds; `api_key`: any other key of the organization; `system`: the service by itself. */
export const auditActorTypes = ["api_key", "admin", "member", "system"] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

export const AuditEventSchema = component(
  "AuditEvent",
  Type.Object({
    id: Id("auditEvent"),
    organizationId: Id("organization"),
    type: Enum(auditEventTypes),
    actorType: Enum(auditActorTypes),
    actorId: Nullable(Type.String({ description: "The key or member; null for the admin and the service itself." })),
    apiKeyId: Nullable(Id("apiKey", "The key that was used.")),
    target: Type.Object({
      type: Type.String({ examples: ["run"] }),
      id: Nullable(Type.String({ examples: ["run_01jd3v8m7qe6t9yb4c2xk5w0hz"] })),
    }),
    ip: Nullable(Type.String({ description: "Where the request came from." })),
    requestId: Nullable(Type.String({ description: "`Request-Id` of the request." })),
    changes: Type.Unsafe<Record<string, unknown>>({
      ...AnyObject,
      description:
        "What became different, never a secret. Of a denied attempt: `code`, `method`, `path`, and `count`, the number of " +
        "such attempts since the last one that was recorded, this one included.",
    }),
    createdAt: Timestamp(),
  }),
);
export type AuditEvent = Static<typeof AuditEventSchema>;

export const auditEventOperations = {
  listAuditEvents: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/audit-events",
    tag: "Audit events",
    summary: "List audit events",
    description:
      "One for every change, written together with it, and for attempts that were refused; newest first. Nobody can change " +
      "or delete one. Of a key that is refused again and again for the same reason, one attempt a minute is listed, with a count.",
    access: { by: "organization_or_admin", scopes: ["audit:read"] },
    idempotency: "none",
    params: { organizationId: "organization" },
    filters: {
      type: enumFilter(auditEventTypes, "Only events of these types."),
      actorType: enumFilter(auditActorTypes, "Only events of these kinds of actor."),
      apiKeyId: idFilter("apiKey", "Only what was done with this key."),
      createdAfter: timestampFilter("Only events recorded at this time or later."),
      createdBefore: timestampFilter("Only events recorded before this time."),
    },
    response: { status: 200, schema: ListOf(AuditEventSchema) },
    errors: ["not_found"],
  }),
};
