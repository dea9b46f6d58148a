/**
 * Sends the examples of the contract to a real service, in an order in which each finds what it needs. What stands for ids, secrets
 * and addresses in the examples is replaced by the real ones, which are learned from the responses.
 */
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { Example } from "@rowmill/contract/examples/example";
import { nthId } from "@rowmill/contract/examples/example";
import type { Operation } from "@rowmill/contract/operation";
import type { Api, ApiResponse } from "@rowmill/server/testing/api";
import { expectStatus } from "@rowmill/server/testing/api";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

/** Where the examples say that the service is. */
export const EXAMPLE_URL = "http://127.0.0.1:8080";
/** When the walk of the examples begins. */
export const EXAMPLE_START = Date.parse("2026-11-20T09:30:00.000Z");
const COOKIE = "rowmill_session=…";
export const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export interface Walk {
  service: TestService;
  examples: Readonly<Record<OperationId, Example>>;
  /** Text of the examples, and the real text. */
  real: Map<string, string>;
  startedAt: number;
  /** Learns what the response has for the ids of the example, and compares both. Throws while they differ. */
  check(id: OperationId, response: ApiResponse<unknown>): void;
}

type Step = OperationId | ((walk: Walk, api: Api) => Promise<void>);

/** Something that is made without an example; its id is the nth of its kind. */
const make =
  (path: string, body: () => object, kind: Parameters<typeof nthId>[0], nth: number): Step =>
  async (walk, api) => {
    const response = await api("POST", toReal(walk, path), { body: JSON.parse(toReal(walk, JSON.stringify(body()))) });
    expectStatus(response, 201);
    walk.real.set(nthId(kind, nth), response.body.id);
    const { inviteUrl } = response.body;
    if (typeof inviteUrl === "string") walk.real.set(`${nthId(kind, nth)} token`, inviteUrl);
  };

const session = (name: string, nth: number): Step =>
  make(
    "/v1/dataset-uploads",
    () => ({ name, source: { type: "upload", filename: "reviews.csv" } }),
    "datasetUpload",
    nth,
  );

/** Until this request has this response: what happens in the background has ended. */
const until =
  (path: string, isSo: (body: Record<string, unknown>) => boolean): Step =>
  async (walk, api) => {
    await waitFor(async () => isSo((await api("GET", toReal(walk, path))).body), { what: path });
  };
const hasEnded = (body: Record<string, unknown>): boolean => body["finishedAt"] !== null;

export const steps: readonly Step[] = [
  // An organization and who may enter it.
  "createOrganization",
  "listOrganizations",
  "updateOrganization",
  async (walk) => {
    const path = toReal(walk, `/v1/organizations/${nthId("organization")}/api-keys`);
    const response = await walk.service.api("POST", path, { body: { name: "Everything", scopes: ["*"] } });
    expectStatus(response, 201);
    walk.real.set("the key of the walk", String(response.body["key"]));
    walk.real.set(nthId("apiKey", 1), response.body.id);
  },
  "getOrganization",
  "createApiKey",
  "listApiKeys",
  "getApiKey",
  "getMe",
  "createSession",
  "getSession",
  "deleteSession",
  "revokeApiKey",
  "createInvitation",
  "listInvitations",
  "getInvitation",
  "acceptInvitation",
  make(
    `/v1/organizations/${nthId("organization")}/invitations`,
    () => ({ email: "grace@example.com", role: "viewer" }),
    "invitation",
    1,
  ),
  "revokeInvitation",
  "listMembers",
  "getMember",
  "updateMember",
  "removeMember",
  // Where models are.
  "createConnection",
  "listConnections",
  "getConnection",
  "updateConnection",
  "getConnectionLimits",
  "listModelPrices",
  // Data in.
  "createDatasetUpload",
  "getDatasetUpload",
  "listDatasetUploads",
  session("Reviews in a file", 1),
  "putDatasetUploadContent",
  async (walk, api) => {
    const path = toReal(walk, `/v1/dataset-uploads/${nthId("datasetUpload", 1)}`);
    const { body } = await waitFor(
      async () => {
        const response = await api("GET", path);
        return hasEnded(response.body) && response;
      },
      { what: "the file has been read" },
    );
    walk.real.set(nthId("dataset", 1), String(body["datasetId"]));
  },
  session("Reviews in pieces", 2),
  "getResumableUploadSupport",
  "beginResumableContent",
  "getResumableContentOffset",
  "appendResumableContent",
  session("Reviews that come too late", 3),
  "cancelDatasetUpload",
  "listDatasets",
  "updateDataset",
  "getDataset",
  "listDatasetRows",
  "getDatasetRow",
  "getColumnStatistics",
  // What happens to the rows.
  "createJobSpec",
  "listJobSpecs",
  "updateJobSpec",
  "getJobSpec",
  "testJobSpec",
  "createRun",
  "getRun",
  "listRuns",
  "updateRun",
  "getRunMap",
  "listRunRows",
  "listOutputs",
  "listFailures",
  "listFailureGroups",
  "listRunEvents",
  "streamRunEvents",
  "createJobSpecVersion",
  "listJobSpecVersions",
  "getJobSpecVersion",
  "retryRun",
  until(`/v1/runs/${nthId("run", 1)}`, hasEnded),
  "getRunLineage",
  "listResolvedResults",
  "createExport",
  "getExport",
  "listRunExports",
  "listExports",
  "downloadExport",
  make("/v1/job-specs", () => ({ name: "A slow one", processor: { type: "mock", delayMs: 60_000 } }), "jobSpec", 1),
  make(
    "/v1/runs",
    () => ({ datasetId: nthId("dataset"), jobSpecId: nthId("jobSpec", 1), scope: { type: "all" } }),
    "run",
    2,
  ),
  until(`/v1/runs/${nthId("run", 2)}`, (body) => body["state"] === "running"),
  "pauseRun",
  "resumeRun",
  "cancelRun",
  until(`/v1/runs/${nthId("run", 2)}`, hasEnded),
  "createBulkAction",
  "getBulkAction",
  "listBulkActions",
  "streamEvents",
  // Who gets messages.
  "createWebhookEndpoint",
  "updateWebhookEndpoint",
  "getWebhookEndpoint",
  "testWebhookEndpoint",
  "listWebhookEndpoints",
  "listWebhookDeliveries",
  "getWebhookDelivery",
  "getWebhookDeliveryContent",
  "redeliverWebhook",
  "replayWebhookEndpoint",
  "rotateWebhookEndpointSecret",
  "createAlertRule",
  "listAlertRules",
  "getAlertRule",
  "previewAlertRule",
  "testAlertRule",
  "listAlertDeliveries",
  "getAlertDelivery",
  "rotateAlertRuleSecret",
  "updateAlertRule",
  // What was done, and what the service is.
  "listAuditEvents",
  "getServiceInfo",
  "getServiceHealth",
  "getOpenApi",
  "listErrorCodes",
  "listEventTypes",
  // The end of everything.
  "deleteAlertRule",
  "deleteWebhookEndpoint",
  "deleteRun",
  "archiveJobSpec",
  "deleteConnection",
  "deleteDataset",
];

export async function walkAll(walk: Walk): Promise<void> {
  walk.real.set(EXAMPLE_URL, walk.service.url);
  for (const step of steps) {
    const api: Api = (method, path, request) =>
      walk.service.api(method, path, { key: walk.real.get("the key of the walk") ?? null, ...request });
    if (typeof step === "function") await step(walk, api);
    else await take(walk, step);
  }
}

/** A read is repeated until it is as the example says: what happens in the background takes its time. */
async function take(walk: Walk, id: OperationId): Promise<void> {
  const operation: Operation = operations[id];
  if (operation.method !== "GET") return walk.check(id, await send(walk, id));
  await waitFor(
    async () => {
      walk.check(id, await send(walk, id));
      return true;
    },
    { what: id, timeoutMs: 240_000 },
  );
}

async function send(walk: Walk, id: OperationId): Promise<ApiResponse<unknown>> {
  const { by, params = {}, query = {}, headers = {}, body, content } = walk.examples[id];
  const operation: Operation = operations[id];
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? `no ${name}`);
  const search = new URLSearchParams(query).toString();
  const text = JSON.stringify({ path: search === "" ? path : `${path}?${search}`, headers, body });
  const real = JSON.parse(toReal(walk, text)) as { path: string; headers: Record<string, string>; body?: unknown }; // as written just here
  const key =
    by === "admin" ? walk.service.adminKey : by === "nobody" ? null : (walk.real.get("the key of the walk") ?? null);
  const response = await walk.service.api(operation.method, real.path, {
    key,
    headers: real.headers,
    ...(content === undefined ? (real.body === undefined ? {} : { body: real.body }) : { body: content }),
  });
  expectStatus(response, operation.response.status);
  if (operation.setsCookie === true && operation.method === "PUT")
    walk.real.set(COOKIE, response.headers["set-cookie"]?.split(";", 1)[0] ?? "");
  return response;
}

/** The text with what is real in place of what stands in the examples; times are as far from the start of the walk. */
export function toReal(walk: Walk, text: string): string {
  const shifted = text.replace(TIMES, (time) =>
    new Date(walk.startedAt + Date.parse(time) - EXAMPLE_START).toISOString(),
  );
  // Ids begin alike: rows with the letters of their dataset.
  return [...walk.real]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((replaced, [example, real]) => replaced.replaceAll(example, real), shifted);
}
