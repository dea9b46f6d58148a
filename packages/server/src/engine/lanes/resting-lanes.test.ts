/** Lanes whose rows all wait for another attempt leave their place, and come back when the first of them is due. */
import type { ServerResponse } from "node:http";
import { beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

/** Long enough that the other organization's run ends before on a busy machine, too. */
const RETRY_AFTER_SECONDS = 40;

let service: TestService;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_WAITING_LANES: "1",
    ROWMILL_WORKER_CONCURRENCY: "1",
  });
});

async function startRun(
  api: Api,
  { rows = 1, modelName = "small", concurrency = 8, processor = {} } = {},
): Promise<Run> {
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
  });
  expectStatus(connection, 201);
  const spec = await newJobSpec(api, {
    type: "llm",
    connection: connection.body.id,
    model: modelName,
    messages: [{ role: "user", content: "{{row.n}}" }],
    ...processor,
  });
  const dataset = await newDataset(api, numberedRows(rows));
  return newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency });
}

interface OpenChunk {
  state: string;
  restsSeconds: number | null;
  tries: number | null;
}

const chunksOf = (run: Run): Promise<OpenChunk[]> =>
  service.query<OpenChunk>(
    `select state, extract(epoch from not_before - now())::int as "restsSeconds", (booked::json->'0'->'retry'->>'tries')::int as tries from run_chunks
     where run_id = $1 and state <> 'done'`,
    [parseId("run", run.id)],
  );

test("rows that wait for `Retry-After` leave the only place to other runs, and each goes on with its attempts when it is due", async () => {
  const calledAt: number[] = [];
  model.respond = ({ body }) => {
    if (body["model"] === "small") return {};
    calledAt.push(Date.now());
    if (calledAt.length > 1) return {};
    return {
      status: 503,
      headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
      body: { error: { message: "busy" } },
    };
  };
  const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
  const waiting = await startRun(theirs, { modelName: "busy" });
  await waitFor(() => calledAt.length === 1, { what: "the row was tried" });
  const [chunk] = await waitFor(async () => {
    const chunks = await chunksOf(waiting);
    return chunks[0]?.state === "pending" ? chunks : undefined;
  });
  expect(chunk?.restsSeconds).toBeGreaterThan(0);
  expect(chunk?.tries).toBe(1);

  const quick = await startRun(ours);
  expect(await finishedRun(ours, quick.id)).toMatchObject({ state: "succeeded" });
  expect(calledAt).toHaveLength(1);
  expect(await getRun(theirs, waiting.id)).toMatchObject({ state: "running", usage: { requests: 1, attempts: 1 } });

  const ended = await finishedRun(theirs, waiting.id);
  expect(ended).toMatchObject({ state: "succeeded", usage: { requests: 2, attempts: 2 } });
  expect((calledAt[1] ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThanOrEqual(RETRY_AFTER_SECONDS * 1_000);
});

test("a row that rests keeps its number of attempts: the last one is the last", async () => {
  model.respond = () => ({ status: 503, headers: { "retry-after": "6" }, body: { error: { message: "busy" } } });
  const { api } = await service.newOrganization();
  const before = model.calls.length;
  const run = await startRun(api, { rows: 2 });
  expect(await finishedRun(api, run.id)).toMatchObject({
    state: "failed",
    rows: { failed: 2 },
    usage: { attempts: 8 },
  });
  expect(model.calls.length - before).toBe(8);
});

test("a lane whose calls all wait for a provider that has paused them leaves the only place until the pause is over", async () => {
  model.respond = ({ body }) =>
    body["model"] === "busy"
      ? { status: 429, headers: { "retry-after": "600" }, body: { error: { message: "Too many requests" } } }
      : {};
  const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
  // One row at a time: the first is refused, and the others wait for their slots.
  const waiting = await startRun(theirs, { rows: 3, modelName: "busy", concurrency: 1 });
  await waitFor(() => model.calls.some(({ body }) => body["model"] === "busy"));
  const quick = await startRun(ours);
  expect(await finishedRun(ours, quick.id)).toMatchObject({ state: "succeeded" });
  await waitFor(async () => {
    const lanes = await service.query(
      `select from pgboss.job where name = 'run-lane-waiting' and data->>'runId' = $1 and start_after > created_on + interval '30 seconds'`,
      [parseId("run", waiting.id)],
    );
    return lanes.length > 0;
  });
  expect(await getRun(theirs, waiting.id)).toMatchObject({ state: "running", rows: { pending: 3, running: 0 } });
});

test("a lane whose rows wait for the slot of a fallback, after a call to the first model, waits without the only place", async () => {
  const tried = (name: string): string[] =>
    model.calls.flatMap(({ body, prompt }) => (body["model"] === name ? [prompt] : []));
  model.respond = ({ body }) => {
    if (body["model"] === "broken") return { status: 500, body: { error: { message: "broken" } } };
    if (body["model"] === "small") return {};
    return { status: 429, headers: { "retry-after": "600" }, body: { error: { message: "Too many requests" } } };
  };
  const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
  const fallbacks = [{ model: "paused" }];
  // One row at a time: the first is refused and rests, and the second waits for its slot.
  const waiting = await startRun(theirs, { rows: 2, modelName: "broken", concurrency: 1, processor: { fallbacks } });
  await waitFor(() => tried("broken").length === 2, { what: "the second row was tried" });
  const quick = await startRun(ours);
  expect(await finishedRun(ours, quick.id)).toMatchObject({ state: "succeeded" });
  // It still waits, and nothing was called again.
  expect(await getRun(theirs, waiting.id)).toMatchObject({ state: "running", rows: { pending: 0, running: 2 } });
  expect([tried("broken").length, tried("paused").length]).toEqual([2, 1]);
  expectStatus(await theirs("POST", `/v1/runs/${waiting.id}/cancel`), 200);
  expect(await finishedRun(theirs, waiting.id)).toMatchObject({ state: "canceled" });
});

/** Without a response. More than three of the four lanes can claim, with three chunks each: so each of the four has one. */
const OPEN_ROWS = 10;
/** They end at once: until some rows have, a lane claims one chunk. */
const QUICK_ROWS = 8;
const RESTING_ROWS = 2;

test("a row that rested is tried when it is due, while its lane waits for other calls", async () => {
  // Rows without a connection have no limiter, which would slow down after a 503.
  const http = await startHttpService();
  const roomy = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin, ROWMILL_CHUNK_ROWS: "1" });
  const open: ServerResponse[] = [];
  const triesOf = new Map<number, number>();
  http.respond(({ path }, response) => {
    const row = Number(path.slice(1));
    const tries = (triesOf.get(row) ?? 0) + 1;
    triesOf.set(row, tries);
    if (row >= QUICK_ROWS + RESTING_ROWS) return void open.push(response);
    if (row >= QUICK_ROWS && tries === 1) response.writeHead(503, { "retry-after": "8" });
    response.end("1");
  });
  const { api } = await roomy.newOrganization();
  const spec = await newJobSpec(api, {
    type: "http",
    method: "GET",
    url: `${http.origin}/{{row.n}}`,
    timeoutMs: 600_000,
  });
  const dataset = await newDataset(api, numberedRows(QUICK_ROWS + RESTING_ROWS + OPEN_ROWS));
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency: 16 });
  await waitFor(() => open.length === OPEN_ROWS && triesOf.get(QUICK_ROWS) === 2 && triesOf.get(QUICK_ROWS + 1) === 2, {
    what: "the rows that rested were tried again",
  });
  for (const response of open) response.end("1");
  expect(await finishedRun(api, run.id)).toMatchObject({
    state: "succeeded",
    rows: { succeeded: QUICK_ROWS + RESTING_ROWS + OPEN_ROWS },
    usage: { attempts: QUICK_ROWS + 2 * RESTING_ROWS + OPEN_ROWS },
  });
});
