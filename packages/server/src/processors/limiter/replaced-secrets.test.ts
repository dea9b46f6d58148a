/** What a provider says of a secret ends with it: a connection whose secret is replaced goes on at once. */
import { beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const ROWS = 6;
/** Longer than any test waits. */
const TOO_MANY = {
  status: 429,
  headers: { "retry-after": "800" },
  body: { error: { message: "Too many requests" } },
};

let service: TestService;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin });
});

async function newConnection(api: Api): Promise<Connection> {
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-old" },
  });
  expectStatus(created, 201);
  return created.body;
}

const newSpec = (api: Api, connection: Connection) =>
  newJobSpec(api, {
    type: "llm",
    connection: connection.id,
    model: "small",
    messages: [{ role: "user", content: "{{row.n}}" }],
  });

const untilPaused = (api: Api, { id }: Connection) =>
  waitFor(async () => {
    const { body } = await api<{ models: { pausedSeconds: number }[] }>("GET", `/v1/connections/${id}/limits`);
    return (body.models[0]?.pausedSeconds ?? 0) > 60;
  });

async function replaceSecret(api: Api, { id }: Connection, secret: string): Promise<void> {
  expectStatus(await api("PATCH", `/v1/connections/${id}`, { body: { secret } }), 200);
}

test("a new secret does not wait for the pause of the old one: not in the line of the limiter, and not for `Retry-After`", async () => {
  model.respond = ({ headers }) => (headers.authorization === "Bearer sk-new" ? {} : TOO_MANY);
  const { api } = await service.newOrganization();
  const connection = await newConnection(api);
  const spec = await newSpec(api, connection);
  const dataset = await newDataset(api, numberedRows(ROWS));
  const runs = [
    // One row at a time: the others wait in the line. All at once: they wait for their next attempt.
    await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency: 1 }),
    await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id }),
  ];
  await untilPaused(api, connection);
  await replaceSecret(api, connection, "sk-new");
  for (const { id } of runs)
    expect(await finishedRun(api, id, 180_000)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
});

test("a second new secret counts at once, too, for a row that waits beside a call of its chunk", async () => {
  const [called, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  const keys: unknown[] = [];
  model.respond = async ({ headers, prompt }) => {
    if (prompt === "0") {
      called.resolve();
      return slow.promise;
    }
    await called.promise;
    keys.push(headers.authorization);
    return headers.authorization === "Bearer sk-third" ? {} : TOO_MANY;
  };
  const { api } = await service.newOrganization();
  const connection = await newConnection(api);
  const spec = await newSpec(api, connection);
  const dataset = await newDataset(api, numberedRows(2));
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  for (const [before, after] of [
    ["sk-old", "sk-second"],
    ["sk-second", "sk-third"],
  ]) {
    await waitFor(() => keys.includes(`Bearer ${before}`));
    await untilPaused(api, connection);
    await replaceSecret(api, connection, String(after));
  }
  await waitFor(() => keys.includes("Bearer sk-third"));
  slow.resolve({});
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: 2 } });
});

test.each([TOO_MANY, { status: 401, headers: { "retry-after": "800" }, body: { error: { message: "no such key" } } }])(
  "what comes of a call with the old secret after the new one was set pauses nothing: $status",
  async (refusal) => {
    const [called, response] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
    model.respond = ({ headers }) => {
      if (headers.authorization === "Bearer sk-new") return {};
      called.resolve();
      return response.promise;
    };
    const { api } = await service.newOrganization();
    const connection = await newConnection(api);
    const spec = await newSpec(api, connection);
    const dataset = await newDataset(api, numberedRows(1));
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    await called.promise;
    await replaceSecret(api, connection, "sk-new");
    response.resolve(refusal);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { attempts: 1 } });
    const next = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    expect(await finishedRun(api, next.id)).toMatchObject({ state: "succeeded", usage: { requests: 1 } });
  },
);
