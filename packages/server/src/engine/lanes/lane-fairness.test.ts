/** Runs whose rows wait for others leave places for further runs: of other organizations, and of their own. */
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

const PLACES = 4;

let service: TestService;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_WAITING_LANES: String(PLACES),
  });
});

async function startRuns(api: Api, count: number, { rows = 1, concurrency = 1 } = {}): Promise<Run[]> {
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
  });
  expectStatus(connection, 201);
  const processor = {
    type: "llm" as const,
    connection: connection.body.id,
    model: "small",
    messages: [{ role: "user" as const, content: "{{row.n}}" }],
  };
  const spec = await newJobSpec(api, processor);
  const dataset = await newDataset(api, numberedRows(rows));
  const start = () => newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency });
  return Promise.all(Array.from({ length: count }, start));
}

test("an organization whose model is silent keeps no other from its turn, and its own runs end in the end", async () => {
  const silence = Promise.withResolvers<object>();
  model.respond = () => silence.promise;
  const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
  const silent = await startRuns(theirs, PLACES + 2);
  await waitFor(() => Promise.resolve(model.underWay() >= PLACES - 1 ? true : undefined), {
    what: "all places that they may have are taken",
  });
  model.respond = () => ({});
  const [run] = await startRuns(ours, 1);
  expect(await finishedRun(ours, run?.id ?? "")).toMatchObject({ state: "succeeded" });
  expect(model.underWay()).toBe(PLACES - 1);
  const states = await Promise.all(silent.map(async ({ id }) => (await getRun(theirs, id)).state));
  expect(states).not.toContain("succeeded");

  silence.resolve({});
  for (const { id } of silent) expect(await finishedRun(theirs, id)).toMatchObject({ state: "succeeded" });
});

test("long runs that have all places of their organization leave them to its further runs in turn", async () => {
  model.respond = () => setTimeout(200, {});
  const { api } = await service.newOrganization();
  // Together they would take minutes, and a lane whose turn has ended is sent again at once.
  const long = await startRuns(api, PLACES - 1, { rows: 2_000 });
  await waitFor(() => (model.underWay() >= PLACES - 1 ? true : undefined), { what: "they have all places" });
  for (const { id } of await startRuns(api, 2))
    expect(await finishedRun(api, id)).toMatchObject({ state: "succeeded" });

  for (const { id } of long) expect((await api("POST", `/v1/runs/${id}/cancel`)).status).toBe(200);
  for (const { id } of long) expect(await finishedRun(api, id)).toMatchObject({ state: "canceled" });
});
