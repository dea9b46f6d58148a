/** What is open when its key stops being valid ends within a second: event streams, NDJSON, uploads, waiting reads. */
import { once } from "node:events";
import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { beforeAll, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

let service: TestService;
let tenant: TestOrganization;
let run: Run;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
  // An hour: its end would end what is open.
  const dataset = await newDataset(tenant.api, numberedRows(60));
  const spec = await newJobSpec(tenant.api, { type: "mock", delayMs: 60_000 }, { concurrency: 1 });
  run = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id });
});

async function newKey(more: object = {}): Promise<CreatedApiKey> {
  const created = await tenant.api<CreatedApiKey>("POST", `/v1/organizations/${tenant.organizationId}/api-keys`, {
    body: { name: "To be lost", scopes: ["runs:read", "datasets:write", "results:read"], ...more },
  });
  expectStatus(created, 201);
  return created.body;
}

function send(method: string, path: string, key: string, headers: Record<string, string> = {}): ClientRequest {
  const sent = request(`${service.url}${path}`, {
    method,
    agent: false,
    headers: { Authorization: `Bearer ${key}`, ...headers },
  });
  sent.on("error", () => undefined);
  return sent;
}

/** Waits for the head of a stream's response. */
async function openStream(key: string): Promise<IncomingMessage> {
  const sent = send("GET", `/v1/runs/${run.id}/events/stream`, key);
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.on("error", () => undefined).resume();
  return response;
}

/** However it closes. */
const closed = (open: ClientRequest | IncomingMessage): Promise<void> =>
  new Promise((resolve) => void open.once("close", resolve));

async function openUpload(key: string): Promise<ClientRequest> {
  const created = await tenant.api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "rows", format: "jsonl", source: { type: "upload" } },
  });
  const upload = send("PUT", `/v1/dataset-uploads/${created.body.id}/content`, key, {
    "Content-Type": "application/octet-stream",
  });
  upload.write('{"n":1}\n');
  await once(upload, "socket");
  return upload;
}

const losses: [string, (key: CreatedApiKey) => Promise<unknown>][] = [
  ["is revoked", (key) => tenant.api("DELETE", `/v1/organizations/${tenant.organizationId}/api-keys/${key.id}`)],
  [
    "expires",
    (key) => service.query("update api_keys set expires_at = now() where redacted_key = $1", [key.redactedKey]),
  ],
  [
    "loses the scope",
    (key) => service.query("update api_keys set scopes = '{webhooks:read}' where redacted_key = $1", [key.redactedKey]),
  ],
];

test.each(losses)("what is open when its key %s is broken off", async (_name, lose) => {
  const key = await newKey();
  const [stream, upload] = [await openStream(key.key), await openUpload(key.key)];
  const waiting = send("GET", `/v1/runs/${run.id}?waitSeconds=30`, key.key);
  waiting.end();
  const other = await openStream(tenant.apiKey);
  const allClosed = Promise.all([stream, upload, waiting].map(closed));
  await lose(key);
  await allClosed;
  // It broke, and did not end as if that was all.
  expect(stream.complete).toBe(false);
  expect(other.destroyed).toBe(false);
  other.destroy();
});

test("what is open when the organization is suspended is broken off", async () => {
  const stream = await openStream(tenant.apiKey);
  const isClosed = closed(stream);
  const path = `/v1/organizations/${tenant.organizationId}`;
  expectStatus(await service.api("PATCH", path, { body: { state: "suspended" } }), 200);
  await isClosed;
  expectStatus(await service.api("PATCH", path, { body: { state: "active" } }), 200);
});
