/** What the audit's events say, in words; and where their targets are. */
import type { AuditEvent } from "@rowmill/client";

export type AuditType = AuditEvent["type"];

/** After the name of who did it. A type that the service gets does not compile here without its words. */
export const AUDIT_WORDS: Record<AuditType, string> = {
  "alert_rule.created": "made an alert rule",
  "alert_rule.deleted": "deleted an alert rule",
  "alert_rule.secret_rotated": "rotated the secret of an alert rule",
  "alert_rule.tested": "tested an alert rule",
  "alert_rule.updated": "changed an alert rule",
  "api_key.created": "made an API key",
  "api_key.revoked": "revoked an API key",
  "api_key.updated": "changed an API key",
  "auth.denied": "was refused",
  "bulk_action.aborted": "aborted a bulk action",
  "bulk_action.created": "began a bulk action",
  "connection.created": "made a connection",
  "connection.deleted": "deleted a connection",
  "connection.tested": "tested a connection",
  "connection.updated": "changed a connection",
  "dataset.deleted": "deleted a dataset",
  "dataset.updated": "changed a dataset",
  "dataset_upload.canceled": "canceled an upload",
  "dataset_upload.content_received": "sent the content of an upload",
  "dataset_upload.created": "began an upload",
  "dataset_upload.expired": "let an upload expire",
  "export.canceled": "canceled an export",
  "export.created": "began an export",
  "export.deleted": "deleted an export",
  "export.expired": "let an export expire",
  "invitation.accepted": "accepted an invitation",
  "invitation.created": "invited somebody",
  "invitation.expired": "let an invitation expire",
  "invitation.revoked": "revoked an invitation",
  "job_spec.archived": "archived a job spec",
  "job_spec.created": "made a job spec",
  "job_spec.updated": "renamed or labeled a job spec",
  "job_spec.version_created": "made a version of a job spec",
  "member.created": "became a member",
  "member.removed": "removed a member",
  "member.updated": "changed the role of a member",
  "organization.created": "made the organization",
  "organization.suspended": "suspended the organization",
  "organization.updated": "changed the organization",
  "run.cancel_requested": "canceled a run",
  "run.created": "started a run",
  "run.deleted": "deleted a run",
  "run.paused": "paused a run",
  "run.resumed": "resumed a run",
  "run.retried": "retried a run",
  "run.updated": "changed a run",
  "session.created": "signed in",
  "session.ended": "signed out",
  "webhook_delivery.redelivered": "sent a webhook again",
  "webhook_endpoint.created": "made a webhook endpoint",
  "webhook_endpoint.deleted": "deleted a webhook endpoint",
  "webhook_endpoint.disabled": "disabled a webhook endpoint",
  "webhook_endpoint.replayed": "replayed the events of a webhook endpoint",
  "webhook_endpoint.secret_rotated": "rotated the secret of a webhook endpoint",
  "webhook_endpoint.tested": "tested a webhook endpoint",
  "webhook_endpoint.updated": "changed a webhook endpoint",
};
export const auditTypes = Object.keys(AUDIT_WORDS) as AuditType[];

export const ACTORS: Record<AuditEvent["actorType"], string> = {
  member: "A member",
  api_key: "An API key",
  admin: "The operator",
  system: "The service",
};

const PLACES: Partial<Record<string, (id: string) => string>> = {
  run: (id) => `/runs/${id}`,
  dataset: (id) => `/datasets/${id}`,
  dataset_upload: (id) => `/dataset-uploads/${id}`,
  job_spec: (id) => `/job-specs/${id}`,
  webhook_endpoint: (id) => `/webhooks/${id}`,
  alert_rule: (id) => `/alerts/${id}`,
  connection: () => "/connections",
  api_key: () => "/members?tab=keys",
  member: () => "/members",
  invitation: () => "/members",
};

/** Where the console shows the target; undefined where it has no page of its own. */
export const placeOfTarget = ({ type, id }: AuditEvent["target"]): string | undefined =>
  id === null ? undefined : PLACES[type]?.(id);
