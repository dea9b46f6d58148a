/** An organization that has one of everything, all of it ended, so that nothing changes by itself any more. */
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { BulkAction } from "@rowmill/contract/bulk-actions";
import type { Connection } from "@rowmill/contract/connections";
import type { Export } from "@rowmill/contract/exports";
import type { AcceptedInvitation, CreatedInvitation } from "@rowmill/contract/invitations";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { expectStatus } from "@rowmill/server/testing/api";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import type { Receiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { formatRowId, parseId } from "@rowmill/server/platform/ids";
import type { Ids } from "./operations.ts";

const ROWS = 6;
/** Rows 2 and 5 fail. */
const FAIL_EVERY = 3;

/** Ids by the names of the path parameters. */
export async function newWorld(of: TestOrganization, receiver: Receiver): Promise<Ids> {
  const { api, organizationId } = of;
  const dataset = await newDataset(api, numberedRows(ROWS));
  const spec = await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY, code: "http_4xx" });
  const key = await api<CreatedApiKey>("POST", `/v1/organizations/${organizationId}/api-keys`, {
    body: { name: "Theirs" },
  });
  expectStatus(key, 201);
  const run = await newRun((method, path, request) => api(method, path, { key: key.body.key, ...request }), {
    datasetId: dataset.id,
    jobSpecId: spec.id,
  });
  await finishedRun(api, run.id);
  const retry = await api("POST", `/v1/runs/${run.id}/retry`);
  expectStatus(retry, 201);
  await finishedRun(api, retry.body.id);

  const asked = await api("POST", `/v1/runs/${run.id}/exports`, { body: { type: "outputs", format: "jsonl" } });
  expectStatus(asked, 201);
  const exported = await waitFor(
    async () => {
      const { body } = await api<Export>("GET", `/v1/exports/${asked.body.id}`);
      return body.status === "ready" && body;
    },
    { what: "the export is ready" },
  );
  const endpoint = await api<WebhookEndpointWithSecret>("POST", "/v1/webhook-endpoints", {
    body: { url: receiver.url, eventTypes: ["export.failed"] },
  });
  expectStatus(endpoint, 201);
  const bulk = await api<BulkAction>("POST", "/v1/bulk-actions", { body: { action: "cancel", ids: [run.id] } });
  expectStatus(bulk, 201);
  await waitFor(
    async () => (await api<BulkAction>("GET", `/v1/bulk-actions/${bulk.body.id}`)).body.state === "completed",
    { what: "the bulk action is completed" },
  );
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { type: "http", name: "Theirs", baseUrl: new URL(receiver.url).origin, secret: "a secret of theirs" },
  });
  expectStatus(connection, 201);
  const delivery = await api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpoint.body.id}/test`);
  expectStatus(delivery, 200);
  const rule = await api<AlertRuleWithSecret>("POST", "/v1/alert-rules", {
    body: { name: "Theirs", eventType: "export.failed", destination: { type: "webhook", url: receiver.url } },
  });
  expectStatus(rule, 201);
  const alert = await api<AlertDelivery>("POST", `/v1/alert-rules/${rule.body.id}/test`);
  expectStatus(alert, 200);
  const [pending, accepted] = [await invite(of, "pending@example.com"), await invite(of, "member@example.com")];
  const member = await api<AcceptedInvitation>("POST", "/v1/invitations/accept", {
    body: { token: accepted.inviteUrl.split("#token=")[1], name: "A member" },
    key: null,
  });
  expectStatus(member, 200);
  // So that there is something of the key's in the audit.
  expectStatus(await api("PATCH", `/v1/datasets/${dataset.id}`, { body: { name: "Theirs" }, key: key.body.key }), 200);
  return {
    organizationId,
    datasetUploadId: dataset.uploadId,
    datasetId: dataset.id,
    datasetRowId: formatRowId(parseId("dataset", dataset.id) ?? "", 0),
    jobSpecId: spec.id,
    version: "1",
    runId: run.id,
    exportId: exported.id,
    webhookEndpointId: endpoint.body.id,
    webhookDeliveryId: delivery.body.id,
    apiKeyId: key.body.id,
    bulkActionId: bulk.body.id,
    connectionId: connection.body.id,
    alertRuleId: rule.body.id,
    alertDeliveryId: alert.body.id,
    invitationId: pending.id,
    memberId: member.body.member.id,
  };
}

async function invite({ api, organizationId }: TestOrganization, email: string): Promise<CreatedInvitation> {
  const invited = await api<CreatedInvitation>("POST", `/v1/organizations/${organizationId}/invitations`, {
    body: { email, role: "developer" },
  });
  expectStatus(invited, 201);
  return invited.body;
}
