/** Every operation that changes something, done once with success: the list of audit events has it, with the request that did it. */
import { beforeAll, expect, test } from "vitest";
import type { Operations } from "@rowmill/contract";
import { operations } from "@rowmill/contract";
import type { AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AuditEvent, AuditEventType } from "@rowmill/contract/audit-events";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { AcceptedInvitation, CreatedInvitation } from "@rowmill/contract/invitations";
import type { Connection } from "@rowmill/contract/connections";
import type { Operation } from "@rowmill/contract/operation";
import type { Run } from "@rowmill/contract/runs";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpoint } from "@rowmill/contract/webhook-endpoints";
import type { AnyBody, Api, ApiResponse } from "@rowmill/server/testing/api";
import { expectStatus } from "@rowmill/server/testing/api";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import type { NewRun } from "@rowmill/server/testing/factories";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

let service: TestService;
let tenant: TestOrganization;
let api: Api;
let receiverUrl: string;
const given = { datasetId: "", jobSpecId: "", slowSpecId: "", endpointId: "", ruleId: "" };

beforeAll(async () => {
  const receiver = await startReceiver();
  receiverUrl = receiver.url;
  service = await startTestService({ ...receiverSettings(receiver), ROWMILL_CHUNK_ROWS: "5" });
  tenant = await service.newOrganization();
  api = tenant.api;
  given.datasetId = (await newDataset(api, numberedRows(50))).id;
  given.jobSpecId = (await newJobSpec(api, { type: "mock" })).id;
  // Its rows do not end before it is paused or canceled, however long a request takes.
  given.slowSpecId = (await newJobSpec(api, { type: "mock", delayMs: 60_000 })).id;
  given.endpointId = (await post<WebhookEndpoint>("/v1/webhook-endpoints", { url: receiverUrl, eventTypes: ["*"] })).id;
  given.ruleId = (
    await post<AlertRuleWithSecret>("/v1/alert-rules", {
      name: "Audited",
      eventType: "run.failed",
      destination: { type: "webhook", url: receiverUrl },
    })
  ).id;
});

async function post<Body extends object>(path: string, body?: object): Promise<Body> {
  const response = await api<Body>("POST", path, { body });
  expect([path, response.status < 300 ? "done" : response.text]).toEqual([path, "done"]);
  return response.body;
}
const path = (rest: string): string => `/v1/organizations/${tenant.organizationId}${rest}`;
const newUpload = () => post<DatasetUpload>("/v1/dataset-uploads", { name: "Awaited", source: { type: "upload" } });
const run = (more: Partial<NewRun> = {}) =>
  newRun(api, { datasetId: given.datasetId, jobSpecId: given.jobSpecId, ...more });
const slowRun = () => run({ jobSpecId: given.slowSpecId, concurrency: 1 });
async function endedRun(): Promise<Run> {
  return finishedRun(api, (await run({ scope: { type: "limit", count: 5 } })).id);
}
const newSpec = async (): Promise<string> => (await newJobSpec(api)).id;
const connection = () => ({ type: "http", name: "New", baseUrl: new URL(receiverUrl).origin });
const newConnection = async (): Promise<string> => (await post<Connection>("/v1/connections", connection())).id;
let addresses = 0;
const invitee = () => ({ email: `audited-${++addresses}@example.com`, role: "viewer" });
const newInvitation = () => post<CreatedInvitation>(path("/invitations"), invitee());
const tokenOf = ({ inviteUrl }: CreatedInvitation): string => new URL(inviteUrl).hash.replace("#token=", "");

type ChangingId = {
  [Id in keyof Operations]: Operations[Id]["method"] extends "GET" ? never : Id;
}[keyof Operations];

/** What changes nothing that is kept, and why. */
const withoutChange = [
  "previewAlertRule", // evaluates past events, and keeps nothing
  "testJobSpec", // returns outputs of rows, and keeps none
  "getResumableUploadSupport", // the same for everybody
  "beginResumableContent", // content counts, and is audited, when all of it is there
] as const satisfies ChangingId[];

type Change = [AuditEventType, () => Promise<ApiResponse<AnyBody>>];

/** An operation that is missing here does not compile. */
const changes: Record<Exclude<ChangingId, (typeof withoutChange)[number]>, Change> = {
  createDatasetUpload: [
    "dataset_upload.created",
    () => api("POST", "/v1/dataset-uploads", { body: { name: "New", source: { type: "inline", rows: [{ a: 1 }] } } }),
  ],
  putDatasetUploadContent: [
    "dataset_upload.content_received",
    async () => api("PUT", `/v1/dataset-uploads/${(await newUpload()).id}/content`, { body: '{"a":1}\n' }),
  ],
  appendResumableContent: [
    "dataset_upload.content_received",
    async () =>
      api("PATCH", `/v1/dataset-uploads/${(await newUpload()).id}/content/resumable`, {
        body: '{"a":1}\n',
        headers: {
          "Content-Type": "application/offset+octet-stream",
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": "0",
          "Upload-Length": "8",
        },
      }),
  ],
  cancelDatasetUpload: [
    "dataset_upload.canceled",
    async () => api("POST", `/v1/dataset-uploads/${(await newUpload()).id}/cancel`),
  ],
  updateDataset: ["dataset.updated", () => api("PATCH", `/v1/datasets/${given.datasetId}`, { body: { name: "New" } })],
  deleteDataset: [
    "dataset.deleted",
    async () => api("DELETE", `/v1/datasets/${(await newDataset(api, numberedRows(1))).id}`),
  ],
  createJobSpec: [
    "job_spec.created",
    () => api("POST", "/v1/job-specs", { body: { name: "New", processor: { type: "mock" } } }),
  ],
  updateJobSpec: [
    "job_spec.updated",
    async () => api("PATCH", `/v1/job-specs/${await newSpec()}`, { body: { name: "Renamed" } }),
  ],
  archiveJobSpec: ["job_spec.archived", async () => api("DELETE", `/v1/job-specs/${await newSpec()}`)],
  createJobSpecVersion: [
    "job_spec.version_created",
    async () => api("POST", `/v1/job-specs/${await newSpec()}/versions`, { body: { processor: { type: "mock" } } }),
  ],
  createRun: [
    "run.created",
    () =>
      api("POST", "/v1/runs", {
        body: { datasetId: given.datasetId, jobSpecId: given.jobSpecId, scope: { type: "all" } },
      }),
  ],
  updateRun: ["run.updated", async () => api("PATCH", `/v1/runs/${(await endedRun()).id}`, { body: { name: "New" } })],
  deleteRun: ["run.deleted", async () => api("DELETE", `/v1/runs/${(await endedRun()).id}`)],
  cancelRun: ["run.cancel_requested", async () => api("POST", `/v1/runs/${(await slowRun()).id}/cancel`)],
  pauseRun: ["run.paused", async () => api("POST", `/v1/runs/${(await slowRun()).id}/pause`)],
  resumeRun: [
    "run.resumed",
    async () => {
      const { id } = await slowRun();
      await post(`/v1/runs/${id}/pause`);
      return api("POST", `/v1/runs/${id}/resume`);
    },
  ],
  retryRun: [
    "run.retried",
    async () => api("POST", `/v1/runs/${(await endedRun()).id}/retry`, { body: { selection: { type: "all" } } }),
  ],
  createExport: [
    "export.created",
    async () =>
      api("POST", `/v1/runs/${(await endedRun()).id}/exports`, { body: { type: "outputs", format: "jsonl" } }),
  ],
  cancelExport: [
    "export.canceled",
    async () => {
      // One that nobody works on: canceling is asked while the run is still to be read.
      const { id } = await endedRun();
      return waitFor(async () => {
        const asked = await post<{ id: string }>(`/v1/runs/${id}/exports`, { type: "outputs", format: "jsonl" });
        const canceled = await api("POST", `/v1/exports/${asked.id}/cancel`);
        return canceled.status === 200 && canceled.body["status"] === "canceled" ? canceled : undefined;
      });
    },
  ],
  createBulkAction: [
    "bulk_action.created",
    async () => api("POST", "/v1/bulk-actions", { body: { action: "cancel", ids: [(await endedRun()).id] } }),
  ],
  abortBulkAction: [
    "bulk_action.aborted",
    async () => {
      const { id } = await endedRun();
      // One that is not over yet.
      return waitFor(async () => {
        const asked = await post<{ id: string }>("/v1/bulk-actions", { action: "cancel", ids: [id] });
        const aborted = await api("POST", `/v1/bulk-actions/${asked.id}/abort`);
        return aborted.status === 200 && aborted;
      });
    },
  ],
  createConnection: ["connection.created", () => api("POST", "/v1/connections", { body: connection() })],
  updateConnection: [
    "connection.updated",
    async () => api("PATCH", `/v1/connections/${await newConnection()}`, { body: { name: "Renamed" } }),
  ],
  deleteConnection: ["connection.deleted", async () => api("DELETE", `/v1/connections/${await newConnection()}`)],
  testConnection: ["connection.tested", async () => api("POST", `/v1/connections/${await newConnection()}/test`)],
  createWebhookEndpoint: [
    "webhook_endpoint.created",
    () => api("POST", "/v1/webhook-endpoints", { body: { url: receiverUrl, eventTypes: ["run.failed"] } }),
  ],
  updateWebhookEndpoint: [
    "webhook_endpoint.updated",
    () => api("PATCH", `/v1/webhook-endpoints/${given.endpointId}`, { body: { description: "New" } }),
  ],
  deleteWebhookEndpoint: [
    "webhook_endpoint.deleted",
    async () => {
      const { id } = await post<WebhookEndpoint>("/v1/webhook-endpoints", { url: receiverUrl, eventTypes: ["*"] });
      return api("DELETE", `/v1/webhook-endpoints/${id}`);
    },
  ],
  testWebhookEndpoint: ["webhook_endpoint.tested", () => api("POST", `/v1/webhook-endpoints/${given.endpointId}/test`)],
  rotateWebhookEndpointSecret: [
    "webhook_endpoint.secret_rotated",
    () => api("POST", `/v1/webhook-endpoints/${given.endpointId}/rotate-secret`),
  ],
  replayWebhookEndpoint: [
    "webhook_endpoint.replayed",
    () =>
      api("POST", `/v1/webhook-endpoints/${given.endpointId}/replay`, {
        body: { since: new Date(Date.now() - 3_600_000).toISOString() },
      }),
  ],
  redeliverWebhook: [
    "webhook_delivery.redelivered",
    async () => {
      await endedRun();
      const delivery = await waitFor(async () => {
        // Another endpoint was deleted above, maybe after it had got an event: nothing is sent to it again.
        const ofEndpoint = `/v1/webhook-deliveries?status=succeeded&webhookEndpointId=${given.endpointId}`;
        const { body } = await api<{ data: WebhookDelivery[] }>("GET", ofEndpoint);
        return body.data.find(({ kind }) => kind === "event");
      });
      return api("POST", `/v1/webhook-deliveries/${delivery.id}/redeliver`);
    },
  ],
  createAlertRule: [
    "alert_rule.created",
    () =>
      api("POST", "/v1/alert-rules", {
        body: { name: "New", eventType: "run.failed", destination: { type: "webhook", url: receiverUrl } },
      }),
  ],
  updateAlertRule: [
    "alert_rule.updated",
    () => api("PATCH", `/v1/alert-rules/${given.ruleId}`, { body: { name: "Renamed" } }),
  ],
  rotateAlertRuleSecret: [
    "alert_rule.secret_rotated",
    () => api("POST", `/v1/alert-rules/${given.ruleId}/rotate-secret`),
  ],
  testAlertRule: ["alert_rule.tested", () => api("POST", `/v1/alert-rules/${given.ruleId}/test`)],
  deleteAlertRule: [
    "alert_rule.deleted",
    async () => {
      const { id } = await post<AlertRuleWithSecret>("/v1/alert-rules", {
        name: "Short-lived",
        eventType: "run.failed",
        destination: { type: "webhook", url: receiverUrl },
      });
      return api("DELETE", `/v1/alert-rules/${id}`);
    },
  ],
  createOrganization: [
    "organization.created",
    () => service.api("POST", "/v1/organizations", { body: { name: "New" } }),
  ],
  updateOrganization: ["organization.updated", () => service.api("PATCH", path(""), { body: { name: "Renamed" } })],
  createApiKey: ["api_key.created", () => api("POST", path("/api-keys"), { body: { name: "New" } })],
  revokeApiKey: [
    "api_key.revoked",
    async () => api("DELETE", path(`/api-keys/${(await post<CreatedApiKey>(path("/api-keys"), { name: "New" })).id}`)),
  ],
  createInvitation: ["invitation.created", () => api("POST", path("/invitations"), { body: invitee() })],
  revokeInvitation: [
    "invitation.revoked",
    async () => api("DELETE", path(`/invitations/${(await newInvitation()).id}`)),
  ],
  acceptInvitation: [
    "invitation.accepted",
    async () =>
      api("POST", "/v1/invitations/accept", {
        key: null,
        body: { token: tokenOf(await newInvitation()), name: "Ada" },
      }),
  ],
  updateMember: [
    "member.updated",
    async () => {
      const body = { token: tokenOf(await newInvitation()), name: "Ada" };
      const { member } = await post<AcceptedInvitation>("/v1/invitations/accept", body);
      return api("PATCH", path(`/members/${member.id}`), { body: { role: "operator" } });
    },
  ],
  removeMember: [
    "member.removed",
    async () => {
      const body = { token: tokenOf(await newInvitation()), name: "Ada" };
      const { member } = await post<AcceptedInvitation>("/v1/invitations/accept", body);
      return api("DELETE", path(`/members/${member.id}`));
    },
  ],
  createSession: [
    "session.created",
    () => api("PUT", "/v1/session", { key: null, body: { by: "api_key", apiKey: tenant.apiKey } }),
  ],
  deleteSession: [
    "session.ended",
    async () => {
      const { headers } = await api("PUT", "/v1/session", { body: { by: "api_key", apiKey: tenant.apiKey } });
      const cookie = String(headers["set-cookie"]).split(";", 1)[0] ?? "";
      return api("DELETE", "/v1/session", { key: null, headers: { Cookie: cookie, Origin: service.url } });
    },
  ],
};

test.each(Object.entries(changes))("%s leaves an audit event", async (id, [type, change]) => {
  const response = await change();
  const o: Operation = operations[id as ChangingId]; // the names of the table are those of operations
  expectStatus(response, o.response.status);
  // An organization that has just been made has its own list.
  const organizationId = id === "createOrganization" ? response.body.id : tenant.organizationId;
  const { body } = await service.api<{ data: AuditEvent[] }>(
    "GET",
    `/v1/organizations/${organizationId}/audit-events?type=${type}&limit=20`,
  );
  const event = body.data.find(({ requestId }) => requestId === response.headers["request-id"]);
  expect(event).toMatchObject({ type, organizationId, ip: "127.0.0.1" });
  expect(event?.target.id).toMatch(/^[a-z]+_[0-9a-z]{26}$/);
});
