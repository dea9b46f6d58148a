/** What surrounds the work of an organization: receivers of webhooks, alerts, members, keys. Added to the world of `world.ts`. */
import { Rowmill } from "@rowmill/client";

export interface Administration {
  endpointId: string;
  failingEndpointId: string;
  failedDeliveryId: string;
  alertRuleId: string;
  /** May only read. */
  readOnlyKey: string;
}

/** Before the work begins, so that its events are delivered. */
export async function watchWork(url: string, apiKey: string, receiver: string): Promise<Administration> {
  const rowmill = new Rowmill({ baseUrl: url, apiKey });
  const organizationId = (await rowmill.me()).organizationId ?? "";
  const endpoint = await rowmill.webhookEndpoints.create({
    url: `${receiver}/hooks/warehouse`,
    eventTypes: ["run.*", "export.ready", "dataset.*"],
    description: "Loads finished runs into the warehouse",
  });
  const failing = await rowmill.webhookEndpoints.create({
    url: `${receiver}/hooks/failing/crm-of-the-wholesale-branch-with-a-long-path`,
    eventTypes: ["run.finished"],
    description: "CRM of the wholesale branch <script>alert(1)</script> \u202Etxt.exe",
  });
  await rowmill.webhookEndpoints.create({
    url: `${receiver}/hooks/old`,
    eventTypes: ["*"],
    description: "The dashboard of last year",
    enabled: false,
  });
  const rule = await rowmill.alertRules.create({
    name: "Runs that stop before they are done",
    eventType: "run.paused",
    filter: "event.data.reason != 'by_user'",
    cooldownSeconds: 0,
    destination: { type: "webhook", url: `${receiver}/hooks/alerts` },
  });
  await rowmill.alertRules.create({
    name: "Many failed rows",
    eventType: "run.partially_succeeded",
    trigger: { type: "count", count: 3, windowSeconds: 3600 },
    destination: { type: "slack", url: `${receiver}/hooks/failing/slack` },
  });
  const { apiKeys, invitations } = rowmill.organizations;
  const nightly = await apiKeys.create(organizationId, {
    name: "Nightly import",
    scopes: ["datasets:write", "runs:write"],
  });
  await apiKeys.create(organizationId, {
    name: "Dashboard of the sales team, second attempt, do not delete before the fair in November",
    scopes: ["runs:read", "results:read", "datasets:read"],
    expiresAt: new Date(Date.now() + 40 * 86_400_000).toISOString(),
  });
  const old = await apiKeys.create(organizationId, { name: "Laptop of the intern" });
  await apiKeys.revoke(organizationId, old.id);
  const reader = await apiKeys.create(organizationId, {
    name: "Reader",
    scopes: [
      "datasets:read",
      "job_specs:read",
      "runs:read",
      "exports:read",
      "webhooks:read",
      "alerts:read",
      "organization:read",
      "api_keys:read",
      "invitations:read",
      "connections:read",
      "audit:read",
    ],
  });
  const ada = await invitations.create(organizationId, { email: "ada@example.com", role: "owner" });
  await invitations.accept({ token: new URL(ada.inviteUrl ?? "").hash.replace("#token=", ""), name: "Ada" });
  const bidi = await invitations.create(organizationId, { email: "viewer@example.com", role: "viewer" });
  await invitations.accept({
    token: new URL(bidi.inviteUrl ?? "").hash.replace("#token=", ""),
    name: "Viewer <b>\u202Eevil",
  });
  await invitations.create(organizationId, { email: "on-call@example.com", role: "developer" });
  // A refused attempt, for the audit.
  await new Rowmill({ baseUrl: url, apiKey: nightly.key ?? "", maxRetries: 0 }).webhookEndpoints.list().then(
    () => undefined,
    () => undefined,
  );
  const failed = await rowmill.webhookEndpoints.test(failing.id, { eventType: "run.failed" });
  await rowmill.webhookEndpoints.test(endpoint.id);
  return {
    endpointId: endpoint.id,
    failingEndpointId: failing.id,
    failedDeliveryId: failed.id,
    alertRuleId: rule.id,
    readOnlyKey: reader.key ?? "",
  };
}
