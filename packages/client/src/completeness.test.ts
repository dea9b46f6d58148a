import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Rowmill } from "./index.ts";
import type { OperationId } from "./index.ts";

/**
 * The description of the interface is for programs that make clients, not for those that have one; resumable content takes
 * several requests, which `datasetUploads.uploadContent` makes as they are needed.
 */
const withoutMethod = [
  "getOpenApi",
  "getResumableUploadSupport",
  "beginResumableContent",
  "getResumableContentOffset",
  "appendResumableContent",
] as const satisfies OperationId[];
type WithoutMethod = (typeof withoutMethod)[number];

const ids = {
  run: "run_1",
  org: "org_1",
  key: "key_1",
  spec: "spec_1",
  ds: "ds_1",
  row: "row_1",
  upl: "upl_1",
  exp: "exp_1",
};
const scope = { type: "all" } as const;
const processor = { type: "mock" } as const;

/** Every operation with the method that calls it. One that is missing here does not compile. */
const calls: Record<Exclude<OperationId, WithoutMethod>, (rowmill: Rowmill) => PromiseLike<unknown>> = {
  createDatasetUpload: (r) => r.datasetUploads.create({ name: "a", source: { type: "inline", rows: [{ a: 1 }] } }),
  listDatasetUploads: (r) => r.datasetUploads.list(),
  getDatasetUpload: (r) => r.datasetUploads.get(ids.upl),
  putDatasetUploadContent: (r) => r.datasetUploads.uploadContent(ids.upl, "a"),
  cancelDatasetUpload: (r) => r.datasetUploads.cancel(ids.upl),
  listDatasets: (r) => r.datasets.list(),
  getDataset: (r) => r.datasets.get(ids.ds),
  updateDataset: (r) => r.datasets.update(ids.ds, { name: "b" }),
  deleteDataset: (r) => r.datasets.delete(ids.ds),
  listDatasetRows: (r) => r.datasets.rows(ids.ds),
  getDatasetRow: (r) => r.datasets.row(ids.ds, ids.row),
  createJobSpec: (r) => r.jobSpecs.create({ name: "a", processor, inputSchema: { type: "object" } }),
  listJobSpecs: (r) => r.jobSpecs.list(),
  getJobSpec: (r) => r.jobSpecs.get(ids.spec),
  updateJobSpec: (r) => r.jobSpecs.update(ids.spec, { name: "b" }),
  archiveJobSpec: (r) => r.jobSpecs.archive(ids.spec),
  createJobSpecVersion: (r) => r.jobSpecs.versions.create(ids.spec, { processor }),
  listJobSpecVersions: (r) => r.jobSpecs.versions.list(ids.spec),
  getJobSpecVersion: (r) => r.jobSpecs.versions.get(ids.spec, 2),
  testJobSpec: (r) => r.jobSpecs.test(ids.spec, { rows: [{ a: 1 }] }),
  createSession: (r) => r.session.create({ by: "api_key", apiKey: "rmk_1" }),
  getSession: (r) => r.session.get(),
  deleteSession: (r) => r.session.delete(),
  getColumnStatistics: (r) => r.datasets.columnStatistics(ids.ds, { fromColumn: 1 }),
  getConnectionLimits: (r) => r.connections.limits("conn_1"),
  getRunMap: (r) => r.runs.map(ids.run, { cells: 10 }),
  createRun: (r) => r.runs.create({ datasetId: ids.ds, jobSpecId: ids.spec, scope }),
  listRuns: (r) => r.runs.list(),
  getRun: (r) => r.runs.get(ids.run),
  updateRun: (r) => r.runs.update(ids.run, { name: null }),
  deleteRun: (r) => r.runs.delete(ids.run),
  cancelRun: (r) => r.runs.cancel(ids.run),
  pauseRun: (r) => r.runs.pause(ids.run),
  resumeRun: (r) => r.runs.resume(ids.run),
  retryRun: (r) => r.runs.retry(ids.run, { selection: { type: "failures" } }),
  getRunLineage: (r) => r.runs.lineage(ids.run),
  listRunRows: (r) => r.runs.rows(ids.run),
  listRunEvents: (r) => r.runs.events(ids.run),
  // This test responds without a stream of events, and the method reports that the stream broke off.
  streamRunEvents: (r) => expect(r.runs.streamEvents(ids.run).next()).rejects.toThrow("broke off"),
  streamEvents: (r) => expect(r.events.stream().next()).rejects.toThrow("broke off"),
  listOutputs: (r) => r.runs.outputs(ids.run),
  listFailures: (r) => r.runs.failures(ids.run),
  listFailureGroups: (r) => r.runs.failureGroups(ids.run),
  listResolvedResults: (r) => r.runs.resolvedResults(ids.run),
  createExport: (r) => r.exports.create(ids.run, { type: "outputs", format: "csv" }),
  listRunExports: (r) => r.exports.listForRun(ids.run),
  listExports: (r) => r.exports.list(),
  getExport: (r) => r.exports.get(ids.exp),
  cancelExport: (r) => r.exports.cancel(ids.exp),
  downloadExport: (r) => r.exports.download(ids.exp),
  createBulkAction: (r) => r.bulkActions.create({ action: "cancel", filter: { state: ["running"] } }),
  listBulkActions: (r) => r.bulkActions.list({ state: "running" }),
  getBulkAction: (r) => r.bulkActions.get("bulk_1"),
  abortBulkAction: (r) => r.bulkActions.abort("bulk_1"),
  createConnection: (r) =>
    r.connections.create({ type: "openai_compatible", name: "a", baseUrl: "https://example.com/v1", secret: "b" }),
  listConnections: (r) => r.connections.list({ type: ["http", "anthropic"] }),
  getConnection: (r) => r.connections.get("conn_1"),
  updateConnection: (r) => r.connections.update("conn_1", { secret: null }),
  deleteConnection: (r) => r.connections.delete("conn_1"),
  testConnection: (r) => r.connections.test("conn_1"),
  createWebhookEndpoint: (r) => r.webhookEndpoints.create({ url: "https://example.com", eventTypes: ["*"] }),
  listWebhookEndpoints: (r) => r.webhookEndpoints.list(),
  getWebhookEndpoint: (r) => r.webhookEndpoints.get("whe_1"),
  updateWebhookEndpoint: (r) => r.webhookEndpoints.update("whe_1", { enabled: false }),
  deleteWebhookEndpoint: (r) => r.webhookEndpoints.delete("whe_1"),
  testWebhookEndpoint: (r) => r.webhookEndpoints.test("whe_1"),
  rotateWebhookEndpointSecret: (r) => r.webhookEndpoints.rotateSecret("whe_1"),
  replayWebhookEndpoint: (r) => r.webhookEndpoints.replay("whe_1", { since: "2026-11-20T09:30:00.000Z", dryRun: true }),
  listWebhookDeliveries: (r) => r.webhookDeliveries.list(),
  getWebhookDelivery: (r) => r.webhookDeliveries.get("whd_1"),
  getWebhookDeliveryContent: (r) => r.webhookDeliveries.content("whd_1"),
  redeliverWebhook: (r) => r.webhookDeliveries.redeliver("whd_1"),
  createAlertRule: (r) =>
    r.alertRules.create({
      name: "a",
      eventType: "run.failed",
      destination: { type: "slack", url: "https://example.com" },
    }),
  previewAlertRule: (r) => r.alertRules.preview({ eventType: "run.failed", days: 7 }),
  listAlertRules: (r) => r.alertRules.list({ enabled: true, eventType: ["run.failed", "run.expired"] }),
  getAlertRule: (r) => r.alertRules.get("alr_1"),
  updateAlertRule: (r) => r.alertRules.update("alr_1", { enabled: false }),
  rotateAlertRuleSecret: (r) => r.alertRules.rotateSecret("alr_1"),
  deleteAlertRule: (r) => r.alertRules.delete("alr_1"),
  testAlertRule: (r) => r.alertRules.test("alr_1"),
  listAlertDeliveries: (r) => r.alertDeliveries.list({ status: "suppressed" }),
  getAlertDelivery: (r) => r.alertDeliveries.get("ald_1"),
  createOrganization: (r) => r.organizations.create({ name: "a" }),
  listOrganizations: (r) => r.organizations.list(),
  getOrganization: (r) => r.organizations.get(ids.org),
  updateOrganization: (r) => r.organizations.update(ids.org, { state: "suspended" }),
  createApiKey: (r) => r.organizations.apiKeys.create(ids.org, { name: "a" }),
  listApiKeys: (r) => r.organizations.apiKeys.list(ids.org),
  getApiKey: (r) => r.organizations.apiKeys.get(ids.org, ids.key),
  revokeApiKey: (r) => r.organizations.apiKeys.revoke(ids.org, ids.key),
  createInvitation: (r) => r.organizations.invitations.create(ids.org, { email: "ada@example.com", role: "viewer" }),
  listInvitations: (r) => r.organizations.invitations.list(ids.org, { state: "pending" }),
  getInvitation: (r) => r.organizations.invitations.get(ids.org, "inv_1"),
  revokeInvitation: (r) => r.organizations.invitations.revoke(ids.org, "inv_1"),
  acceptInvitation: (r) => r.organizations.invitations.accept({ token: "rmi_1", name: "Ada" }),
  listMembers: (r) => r.organizations.members.list(ids.org),
  getMember: (r) => r.organizations.members.get(ids.org, "mem_1"),
  updateMember: (r) => r.organizations.members.update(ids.org, "mem_1", { role: "viewer" }),
  removeMember: (r) => r.organizations.members.remove(ids.org, "mem_1"),
  listUsage: (r) => r.usage({ from: "2026-11-01", groupBy: "run" }),
  listAuditEvents: (r) => r.organizations.auditEvents(ids.org, { type: ["run.created", "auth.denied"] }),
  getMe: (r) => r.me(),
  getServiceInfo: (r) => r.serviceInfo(),
  getServiceHealth: (r) => r.serviceHealth(),
  listModelPrices: (r) => r.modelPrices(),
  listErrorCodes: (r) => r.errorCodes(),
  listEventTypes: (r) => r.eventTypes(),
};

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; parameters?: { name: string; in: string; required: boolean }[] }>
  >;
}
const document = JSON.parse(readFileSync(new URL("../../contract/openapi.json", import.meta.url), "utf8")) as Document; // what the contract writes
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

test("openapi.json has operations, and each but the excluded has a call", () => {
  const called = [...Object.keys(calls), ...withoutMethod].sort();
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(called);
});

test.each(Object.entries(calls))("%s is called by its method, at its path", async (operationId, call) => {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  const requests: { method: string; path: string; headers: Headers }[] = [];
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    requests.push({ method: init.method ?? "", path: new URL(url).pathname, headers: new Headers(init.headers) });
    if (init.body instanceof ReadableStream) void init.body.cancel();
    return Promise.resolve(Response.json({ data: [], nextCursor: null }));
  };
  await call(new Rowmill({ apiKey: "key", baseUrl: "http://service", fetch }));
  expect(requests).toHaveLength(1);
  expect(requests[0]?.method).toBe(operation?.method);
  const template = operation?.path.replaceAll(/\{\w+\}/g, "[^/]+");
  expect(requests[0]?.path).toMatch(new RegExp(`^${template}$`));
  const needsKey = operation?.parameters?.some(({ name, required }) => name === "Idempotency-Key" && required) ?? false;
  expect(!needsKey || requests[0]?.headers.has("idempotency-key")).toBe(true);
});

test("request reaches an operation by method and path, typed by the contract", async () => {
  const asked: string[] = [];
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    asked.push(`${init.method} ${url}`);
    return Promise.resolve(Response.json({ id: "run_1", state: "queued" }));
  };
  const rowmill = new Rowmill({ apiKey: "key", baseUrl: "http://service", fetch });
  const run = await rowmill.request("GET", "/v1/runs/{runId}", { path: { runId: "run_1" }, query: { waitSeconds: 1 } });
  expect(run.state).toBe("queued");
  await rowmill.request("GET", "/v1/me");
  // @ts-expect-error the path takes a run
  await expect(rowmill.request("GET", "/v1/runs/{runId}", {})).rejects.toBeInstanceOf(TypeError);
  // @ts-expect-error a run needs a scope
  await rowmill.request("POST", "/v1/runs", { body: { datasetId: "ds_1", jobSpecId: "spec_1" } });
  // @ts-expect-error there is no such operation
  await rowmill.request("DELETE", "/v1/runs", {});
  expect(asked.slice(0, 2)).toEqual(["GET http://service/v1/runs/run_1?waitSeconds=1", "GET http://service/v1/me"]);
});
