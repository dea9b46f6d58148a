/** After the encryption key is lost for good: what was sealed is reported as lost wherever it is used, and can be set again. */
import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { Connection, ConnectionTest } from "@rowmill/contract/connections";
import type { Failure } from "@rowmill/contract/run-results";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import { readAll } from "./resources/runs/runs-testing.ts";
import { expectStatus } from "./testing/api.ts";
import type { Api } from "./testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "./testing/factories.ts";
import { startModelServer } from "./testing/model-server.ts";
import { receiverSettings, startReceiver } from "./testing/receiver.ts";
import { startTestService } from "./testing/service.ts";

const LOST = expect.stringContaining("sealed with an encryption key that the service no longer has") as string;
const newKey = (): string => randomBytes(32).toString("base64");
const [receiver, model] = [await startReceiver(), await startModelServer()];

let api: Api;
let connection: Connection;
let jobSpec: JobSpec;
let endpointId: string;
let ruleId: string;
let slackId: string;

const llm = (id: string) => ({
  type: "llm" as const,
  connection: id,
  model: "small",
  messages: [{ role: "user" as const, content: "{{row.n}}" }],
});

beforeAll(async () => {
  const first = await startTestService({
    ...receiverSettings(receiver),
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_ENCRYPTION_KEY: newKey(),
  });
  const { api: before, apiKey } = await first.newOrganization();
  const body = { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" };
  ({ body: connection } = await before<Connection>("POST", "/v1/connections", { body }));
  jobSpec = await newJobSpec(before, llm(connection.id));
  const endpoint = { url: `${receiver.url}/0123456789`, eventTypes: ["run.failed"] };
  endpointId = (await before("POST", "/v1/webhook-endpoints", { body: endpoint })).body.id;
  const rule = {
    name: "R",
    eventType: "run.failed",
    destination: { type: "webhook", url: `${receiver.url}/abcdefghij` },
  };
  ruleId = (await before("POST", "/v1/alert-rules", { body: rule })).body.id;
  const slack = { ...rule, destination: { type: "slack", url: `${receiver.url}/klmnopqrst` } };
  slackId = (await before("POST", "/v1/alert-rules", { body: slack })).body.id;
  await first.query("delete from installation where name = 'encryption_key_fingerprint'");
  await first.stop();
  const second = await startTestService({ ...first.settings, ROWMILL_ENCRYPTION_KEY: newKey() });
  api = (method, path, options) => second.api(method, path, { key: apiKey, ...options });
});

test("a connection reports that its secret is lost, in its test, in a new job spec and on each row, until it is set again", async () => {
  const testIt = () => api<ConnectionTest>("POST", `/v1/connections/${connection.id}/test`);
  const tested = await testIt();
  expectStatus(tested, 200);
  expect(tested.body).toMatchObject({ ok: false, status: null, message: LOST });
  const refused = await api("POST", "/v1/job-specs", { body: { name: "S", processor: llm(connection.id) } });
  expectStatus(refused, 422);
  expect(refused.text).toEqual(LOST);

  const dataset = await newDataset(api, numberedRows(1));
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await finishedRun(api, run.id);
  expect(await readAll<Failure>(api, `/v1/runs/${run.id}/failures`)).toMatchObject([
    { code: "secret_missing", message: LOST },
  ]);
  expect(model.calls).toEqual([]);

  expectStatus(await api("PATCH", `/v1/connections/${connection.id}`, { body: { secret: "sk-again" } }), 200);
  expect((await testIt()).body).toMatchObject({ status: 200 });
});

test("an endpoint has an attempt that reports the loss, until its URL is set again and its secret rotated", async () => {
  const testIt = () => api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpointId}/test`, { body: {} });
  const lost = { outcome: "secret_lost", responseStatus: null, message: LOST };
  expect((await testIt()).body).toMatchObject({ status: "failed", attempts: [lost] });
  const path = `/v1/webhook-endpoints/${endpointId}`;
  expectStatus(await api("PATCH", path, { body: { url: `${receiver.url}/9876543210` } }), 200);
  expect((await testIt()).body).toMatchObject({ status: "failed", attempts: [lost] });
  expectStatus(await api("POST", `${path}/rotate-secret`), 200);
  expect((await testIt()).body).toMatchObject({ status: "succeeded" });
});

test("so do alerts to a webhook and to Slack", async () => {
  for (const [id, type, path] of [
    [ruleId, "webhook", "/zyxwvutsrq"],
    [slackId, "slack", "/ponmlkjihg"],
  ] as const) {
    const testIt = () => api<AlertDelivery>("POST", `/v1/alert-rules/${id}/test`);
    expect((await testIt()).body).toMatchObject({
      status: "failed",
      attempts: [{ outcome: "secret_lost", message: LOST }],
    });
    const destination = { type, url: `${receiver.url}${path}` };
    expectStatus(await api("PATCH", `/v1/alert-rules/${id}`, { body: { destination } }), 200);
    if (type === "webhook") expectStatus(await api("POST", `/v1/alert-rules/${id}/rotate-secret`), 200);
    expect((await testIt()).body).toMatchObject({ status: "succeeded" });
  }
});
