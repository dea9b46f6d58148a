/** Runs whose rows cost money: what is called, what is kept, and what is not paid for. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { expectCountsToAddUp, getRun, readAll, runInState } from "../../resources/runs/runs-testing.ts";

const ROWS = 400;
/** What a call costs by the connection's prices: 10 tokens in, 5 out. */
const CALL_USD = 0.001;
/** Input is cheap here, so that what a call may cost at most, as it is reserved, is but some calls' worth. */
const PRICE = { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "198" };
const MAX_OUTPUT_TOKENS = 20;

let model: ModelServer;
let api: Api;
let connection: Connection;
let datasetId: string;
beforeAll(async () => {
  model = await startModelServer();
  const service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_CHUNK_ROWS: "50",
  });
  ({ api } = await service.newOrganization());
  const created = await api<Connection>("POST", "/v1/connections", {
    body: {
      name: "Test model",
      type: "openai_compatible",
      baseUrl: model.baseUrl,
      secret: "sk-test",
      prices: { models: { small: PRICE } },
    },
  });
  expectStatus(created, 201);
  connection = created.body;
  const rows = Array.from({ length: ROWS }, (_unused, n) => ({ n }));
  datasetId = (await newDataset(api, rows)).id;
});
beforeEach(() => {
  model.calls.length = 0;
  model.answer = () => ({});
});

let specs = 0;
/** Its prompts are no other job spec's. */
async function newLlmSpec(more: Record<string, unknown> = {}, processor: object = {}): Promise<JobSpec> {
  return newJobSpec(
    api,
    {
      type: "llm",
      connection: connection.id,
      model: "small",
      messages: [{ role: "user", content: `spec ${++specs}, row {{row.n}}` }],
      parameters: { maxOutputTokens: MAX_OUTPUT_TOKENS },
      ...processor,
    },
    { retry: { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1 }, ...more },
  );
}

const start = (spec: JobSpec, more: object = {}): Promise<Run> =>
  newRun(api, { datasetId, jobSpecId: spec.id, ...more });

/** No prompt was sent twice. */
function expectNoRepeats(): void {
  const prompts = model.calls.map(({ prompt }) => prompt);
  expect(new Set(prompts).size).toBe(prompts.length);
}

test("every row is asked once, its cost and its provider's names are kept, and the day's books say the same", async () => {
  const run = await start(await newLlmSpec());
  const ended = await finishedRun(api, run.id);
  expect(ended).toMatchObject({
    state: "succeeded",
    usage: { requests: ROWS, inputTokens: 10 * ROWS, outputTokens: 5 * ROWS, unpricedRequests: 0 },
  });
  expect(Number(ended.usage.costUsd)).toBeCloseTo(ROWS * CALL_USD, 9);
  expectNoRepeats();
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs).toHaveLength(ROWS);
  for (const { index, data, usage } of outputs) {
    expect(data).toEqual({ text: `spec ${specs}, row ${index}` });
    expect(usage).toMatchObject({
      requests: 1,
      costUsd: "0.001",
      calls: [
        { connectionId: connection.id, model: "small", reportedModel: "small-2026", inputTokens: 10, outputTokens: 5 },
      ],
    });
    expect(usage?.calls?.[0]?.requestId).toMatch(/^chatcmpl-/);
  }
});

describe("concurrency", () => {
  test("is how many rows are in flight, and may be changed while the run goes on", async () => {
    model.answer = () => ({ delayMs: 100 });
    const spec = await newLlmSpec({ concurrency: 8 });
    const before = model.mostAtOnce();
    const run = await start(spec);
    await waitFor(() => Promise.resolve(model.calls.length >= 40 ? true : undefined));
    expect(Math.max(model.underWay(), before === model.mostAtOnce() ? 0 : model.mostAtOnce())).toBeLessThanOrEqual(
      Math.max(8, before),
    );
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 60 } }), 200);
    await waitFor(() => Promise.resolve(model.underWay() > 20 ? true : undefined), {
      what: "more rows are in flight",
    });
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded" });
    expectNoRepeats();
  });
});

describe("pause", () => {
  test("begins no further row, keeps the answers of those in flight, and resume repeats none", async () => {
    model.answer = () => ({ delayMs: 400 });
    const run = await start(await newLlmSpec({ concurrency: 40 }));
    await waitFor(() => Promise.resolve(model.calls.length > 0 ? true : undefined));
    expectStatus(await api("POST", `/v1/runs/${run.id}/pause`), 200);
    const paused = await waitFor(async () => {
      const now = await getRun(api, run.id);
      return now.rows.running === 0 ? now : undefined;
    });
    expect(paused.state).toBe("paused");
    expect(paused.rows.succeeded).toBe(model.calls.length);
    expect(model.calls.length).toBeLessThan(ROWS);
    expectCountsToAddUp(paused);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
    expect(model.calls).toHaveLength(ROWS);
    expectNoRepeats();
  });
});

describe("a budget", () => {
  test("pauses the run before it is exceeded; raised, the run goes on and pays for no row twice", async () => {
    const run = await start(await newLlmSpec(), { budget: { maxCostUsd: "0.1" } });
    const paused = await runInState(api, run.id, "paused");
    expect(paused).toMatchObject({ stateReason: "budget_exhausted", error: { code: "budget_exhausted" } });
    const settled = await waitFor(async () => {
      const now = await getRun(api, run.id);
      return now.rows.running === 0 ? now : undefined;
    });
    expect(model.calls.length).toBeLessThanOrEqual(100);
    // What a call is thought to cost at most is all that may be left.
    expect(model.calls.length).toBeGreaterThanOrEqual(95);
    expect(settled.rows.succeeded).toBe(model.calls.length);
    expect(Number(settled.usage.costUsd)).toBeLessThanOrEqual(0.1);

    const refused = await api("POST", `/v1/runs/${run.id}/resume`);
    expect(refused).toMatchObject({ status: 402, body: { error: { code: "budget_exceeded" } } });
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: { maxCostUsd: "10" } } }), 200);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    expectNoRepeats();
  });

  test("with `onExceeded: cancel` ends the run, with everything that was paid for", async () => {
    const run = await start(await newLlmSpec(), { budget: { maxCostUsd: "0.05", onExceeded: "cancel" } });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "canceled", error: { code: "budget_exceeded" } });
    expect(ended.rows.succeeded).toBe(model.calls.length);
    expect(model.calls.length).toBeLessThanOrEqual(50);
    expect(model.calls.length).toBeGreaterThanOrEqual(45);
    expectCountsToAddUp(ended);
  });

  test("counts attempts that failed", async () => {
    model.answer = (_call, number) => (number % 2 === 0 ? {} : { text: "not json" });
    const spec = await newLlmSpec({}, { outputSchema: { type: "object" }, repairAttempts: 0 });
    const run = await start(spec, { budget: { maxCostUsd: "0.05" } });
    const paused = await runInState(api, run.id, "paused");
    expect(paused).toMatchObject({ stateReason: "budget_exhausted", error: { code: "budget_exhausted" } });
    await waitFor(async () => ((await getRun(api, run.id)).rows.running === 0 ? true : undefined));
    expect(model.calls.length).toBeLessThanOrEqual(50);
    const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
    expect(failures.length).toBeGreaterThan(10);
    for (const { usage } of failures) expect(usage).toMatchObject({ requests: 1, costUsd: "0.001" });
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("is taken away while the run is paused for it, and the run goes on", async () => {
    const run = await start(await newLlmSpec(), { budget: { maxCostUsd: "0.02" } });
    await runInState(api, run.id, "paused");
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: null } }), 200);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", budget: null });
  });

  test("that a run gets in the middle of a chunk holds from that moment on", async () => {
    model.answer = () => ({ delayMs: 200 });
    const run = await start(await newLlmSpec({ concurrency: 4 }));
    await waitFor(() => Promise.resolve(model.calls.length >= 8 ? true : undefined));
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: { maxCostUsd: "0.02" } } }), 200);
    expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "budget_exhausted" });
    await waitFor(async () => ((await getRun(api, run.id)).rows.running === 0 ? true : undefined));
    // It is heard of within half a second, and what was called before counts, too.
    expect(model.calls.length).toBeLessThanOrEqual(50);
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("with `onExceeded: cancel` ends the run, whichever lane is the last to let go of its rows", async () => {
    const CHUNK = 50;
    // The rows of the second chunk wait for their twins in the first, and are let go when their lane hears of the pause.
    const rows = Array.from({ length: CHUNK + 5 }, (_unused, i) => ({ n: i < CHUNK ? i : i - 5 }));
    const dataset = await newDataset(api, rows);
    const spec = await newLlmSpec({ dedupe: "exact", concurrency: 2 });
    const run = await start(spec, { datasetId: dataset.id, budget: { maxCostUsd: "0.03", onExceeded: "cancel" } });
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "canceled", error: { code: "budget_exceeded" } });
  });
});

test("a run with a budget stops when the price that it counts with is taken away", async () => {
  model.answer = () => ({ delayMs: 50 });
  const priced = { models: { fleeting: PRICE } };
  const own = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Fleeting", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test", prices: priced },
  });
  expectStatus(own, 201);
  const spec = await newLlmSpec({ concurrency: 4 }, { connection: own.body.id, model: "fleeting" });
  const run = await start(spec, { budget: { maxCostUsd: "100" } });
  await waitFor(() => Promise.resolve(model.calls.length > 10 ? true : undefined));
  expectStatus(await api("PATCH", `/v1/connections/${own.body.id}`, { body: { prices: null } }), 200);
  expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "budget_exhausted" });
  expect(model.calls.length).toBeLessThan(ROWS);
  await api("POST", `/v1/runs/${run.id}/cancel`);
});

describe("rows that wait for their turn", () => {
  async function slowSpec(): Promise<JobSpec> {
    const slow = await api<Connection>("POST", "/v1/connections", {
      body: {
        name: "Four a second",
        type: "openai_compatible",
        baseUrl: model.baseUrl,
        secret: "sk-test",
        rateLimit: { requestsPerMinute: 240 },
      },
    });
    expectStatus(slow, 201);
    return newLlmSpec({ concurrency: 60 }, { connection: slow.body.id });
  }

  test.each(["pause", "cancel"])("are not called any more after a %s", async (action) => {
    model.answer = () => ({ delayMs: 300 });
    const run = await start(await slowSpec());
    await waitFor(() => Promise.resolve(model.calls.length >= 4 ? true : undefined));
    expectStatus(await api("POST", `/v1/runs/${run.id}/${action}`), 200);
    const atAction = model.calls.length;
    const ended = await waitFor(async () => {
      const now = await getRun(api, run.id);
      return now.rows.running === 0 ? now : undefined;
    });
    // Of what was called everything is kept.
    expect(ended.rows.succeeded).toBe(model.calls.length);
    expect(model.calls.length).toBeLessThanOrEqual(atAction + 6);
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });
});

test("who begins to listen while a lane takes a long turn is told of the rows from then on", async () => {
  model.answer = () => ({ delayMs: 100 });
  const run = await start(await newLlmSpec({ concurrency: 4 }), { scope: { type: "limit", count: 100 } });
  await waitFor(() => Promise.resolve(model.calls.length >= 10 ? true : undefined));
  const endpoint = await api<{ id: string }>("POST", "/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/rows", eventTypes: ["row.succeeded"] },
  });
  expectStatus(endpoint, 201);
  await finishedRun(api, run.id);
  const deliveries = await waitFor(async () => {
    const listed = await readAll(api, `/v1/webhook-deliveries?webhookEndpointId=${endpoint.body.id}`);
    return listed.length > 0 ? listed : undefined;
  });
  expect(deliveries.length).toBeLessThanOrEqual(90);
  expectStatus(await api("DELETE", `/v1/webhook-endpoints/${endpoint.body.id}`), 204);
});

test("the breaker stops a run with a wrong key before it has asked a hundred times", async () => {
  model.answer = () => ({ status: 401, body: { error: { message: "wrong key", type: "invalid_request_error" } } });
  const run = await start(await newLlmSpec());
  expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "breaker_open" });
  await waitFor(async () => ((await getRun(api, run.id)).rows.running === 0 ? true : undefined));
  expect(model.calls.length).toBeGreaterThanOrEqual(25);
  expect(model.calls.length).toBeLessThanOrEqual(100);
  // The reason is removed, and the run goes on.
  model.answer = () => ({});
  expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "partially_succeeded" });
});

test("a failure policy ends a run after a few bad answers, and the rest is never paid", async () => {
  model.answer = () => ({ text: "not json", delayMs: 50 });
  const spec = await newLlmSpec(
    { concurrency: 8, failurePolicy: { maxFailedRows: 10 } },
    { outputSchema: { type: "object" }, repairAttempts: 0 },
  );
  const run = await start(spec);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", error: { code: "failure_policy" } });
  expect(model.calls.length).toBeLessThan(ROWS / 2);
});

test("a failure policy that a run gets in the middle of a chunk holds from that moment on", async () => {
  model.answer = () => ({ text: "not json", delayMs: 100 });
  const spec = await newLlmSpec({ concurrency: 4 }, { outputSchema: { type: "object" }, repairAttempts: 0 });
  const run = await start(spec);
  await waitFor(() => Promise.resolve(model.calls.length >= 40 ? true : undefined));
  expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { failurePolicy: { maxFailedRows: 10 } } }), 200);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", error: { code: "failure_policy" } });
  // Each lane has fifty rows in hand.
  expect(model.calls.length).toBeLessThan(120);
});

test("a canceled run makes no further call, and keeps the answers of those under way", async () => {
  model.answer = () => ({ delayMs: 200 });
  const run = await start(await newLlmSpec({ concurrency: 40 }));
  await waitFor(() => Promise.resolve(model.calls.length > 60 ? true : undefined));
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  expect(ended.state).toBe("canceled");
  expect(ended.rows.succeeded).toBe(model.calls.length);
});

test("a deadline ends the calls, and what was answered before is kept", async () => {
  model.answer = () => ({ delayMs: 100 });
  const run = await start(await newLlmSpec({ concurrency: 8 }), {
    deadlineAt: new Date(Date.now() + 2_000).toISOString(),
  });
  const ended = await finishedRun(api, run.id);
  expect(ended.state).toBe("expired");
  expect(ended.rows.succeeded).toBeGreaterThan(0);
  expect(ended.rows.succeeded).toBeLessThan(ROWS);
  await waitFor(() => Promise.resolve(model.underWay() === 0 ? true : undefined));
  const { length } = model.calls;
  expect(ended.rows.succeeded).toBe(length);
});

describe("the cache", () => {
  const cache = { mode: "read_write", ttlSeconds: 3600 };

  test("answers a second run for nothing", async () => {
    const spec = await newLlmSpec({ cache });
    expect(spec.cache).toEqual(cache);
    await finishedRun(api, (await start(spec)).id);
    expect(model.calls).toHaveLength(ROWS);
    const second = await start(spec);
    const ended = await finishedRun(api, second.id);
    expect(model.calls).toHaveLength(ROWS);
    expect(ended).toMatchObject({ state: "succeeded", usage: { requests: 0, attempts: 0, costUsd: "0.000000" } });
    const outputs = await readAll<Output>(api, `/v1/runs/${second.id}/outputs`);
    expect(outputs).toHaveLength(ROWS);
    for (const { index, data, usage } of outputs) {
      expect(data).toEqual({ text: `spec ${specs}, row ${index}` });
      expect(usage).toEqual({ requests: 0, costUsd: "0", cached: true });
    }
  });

  test("knows another question from the same, and another organization's from one's own", async () => {
    const spec = await newLlmSpec({ cache });
    await finishedRun(api, (await start(spec)).id);
    const processor = {
      ...(spec.processor as object),
      parameters: { maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 1 },
    };
    const created = await api(`POST`, `/v1/job-specs/${spec.id}/versions`, { body: { processor, cache } });
    expectStatus(created, 201);
    await finishedRun(api, (await start(spec)).id);
    expect(model.calls).toHaveLength(2 * ROWS);
  });

  test("knows nothing of another service behind the same connection", async () => {
    const own = await api<Connection>("POST", "/v1/connections", {
      body: { name: "Moving", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
    });
    expectStatus(own, 201);
    const spec = await newLlmSpec({ cache }, { connection: own.body.id });
    const scope = { type: "limit", count: 10 };
    await finishedRun(api, (await start(spec, { scope })).id);
    const baseUrl = `${model.baseUrl}/other`;
    expectStatus(await api("PATCH", `/v1/connections/${own.body.id}`, { body: { baseUrl } }), 200);
    await finishedRun(api, (await start(spec, { scope })).id);
    expect(model.calls).toHaveLength(20);
  });

  test("is not asked without the job spec's word", async () => {
    const spec = await newLlmSpec();
    await finishedRun(api, (await start(spec)).id);
    await finishedRun(api, (await start(spec)).id);
    expect(model.calls).toHaveLength(2 * ROWS);
  });
});

test("a row whose time is up tells what its call may have cost", async () => {
  model.answer = () => ({ delayMs: 3_000 });
  const spec = await newLlmSpec({ timeoutSeconds: 1 });
  const run = await start(spec, { scope: { type: "limit", count: 2 } });
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", usage: { requests: 2 } });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  for (const { code, usage } of failures) {
    expect(code).toBe("row_timeout");
    expect(usage).toMatchObject({ requests: 1, calls: [{ connectionId: connection.id, model: "small" }] });
    expect(Number(usage?.costUsd)).toBeGreaterThan(CALL_USD);
  }
});

test("what has no known price is shown as unknown, not as free", async () => {
  const spec = await newLlmSpec({}, { model: "unpriced" });
  const run = await start(spec, { scope: { type: "limit", count: 3 } });
  expect(await finishedRun(api, run.id)).toMatchObject({
    state: "succeeded",
    usage: { requests: 3, unpricedRequests: 3, costUsd: null },
  });
});

test("rows with the same content are asked once with `dedupe: exact`", async () => {
  const rows = Array.from({ length: ROWS }, (_unused, i) => ({ n: i % 10 }));
  const dataset = await newDataset(api, rows);
  const spec = await newLlmSpec({ dedupe: "exact" });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  const ended = await finishedRun(api, run.id);
  expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS }, usage: { requests: 10 } });
  expect(model.calls).toHaveLength(10);
  const books = await api<{ data: unknown[] }>("GET", `/v1/usage?runId=${run.id}`);
  expect(books.body.data).toMatchObject([{ rows: 10, requests: 10, costUsd: "0.010000" }]);
});

test("a canceled run tells what rows have cost that waited for their next attempt", async () => {
  const garbled = 5;
  model.answer = (_call, number) => (number <= garbled ? { body: { choices: "none" } } : {});
  const spec = await newLlmSpec({ retry: { maxAttempts: 3, initialDelayMs: 600_000, maxDelayMs: 600_000 } });
  const run = await start(spec, { scope: { type: "limit", count: 40 } });
  await waitFor(async () => ((await getRun(api, run.id)).rows.succeeded === 40 - garbled ? true : undefined));
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  expect(ended).toMatchObject({ state: "canceled", rows: { succeeded: 40 - garbled, canceled: garbled } });
  expect(ended.usage).toMatchObject({ requests: 40, attempts: 40 });
  expect(Number(ended.usage.costUsd)).toBeGreaterThan(40 * CALL_USD);
  expectCountsToAddUp(ended);
});

test("at a rate limit, the rows of an urgent run go before those of the others, also when it becomes urgent later", async () => {
  const limited = await api<Connection>("POST", "/v1/connections", {
    body: {
      name: "Limited",
      type: "openai_compatible",
      baseUrl: model.baseUrl,
      secret: "sk-test",
      rateLimit: { requestsPerMinute: 1200 },
    },
  });
  expectStatus(limited, 201);
  const spec = (name: string) =>
    newLlmSpec({}, { connection: limited.body.id, messages: [{ role: "user", content: `${name} {{row.n}}` }] });
  const scope = { type: "limit", count: 60 };
  const backfill = await start(await spec("backfill"), { scope });
  await waitFor(() => Promise.resolve(model.calls.length > 0 ? true : undefined));
  const urgent = await start(await spec("urgent"), { scope });
  expectStatus(await api("PATCH", `/v1/runs/${urgent.id}`, { body: { priority: 5 } }), 200);
  await finishedRun(api, urgent.id);
  const behind = await getRun(api, backfill.id);
  expect(behind.rows.succeeded).toBeLessThan(55);
  await finishedRun(api, backfill.id);
  const lastUrgent = model.calls.findLastIndex(({ prompt }) => prompt.startsWith("urgent"));
  const lastBackfill = model.calls.findLastIndex(({ prompt }) => prompt.startsWith("backfill"));
  expect(lastUrgent).toBeLessThan(lastBackfill);
});

test("a run of many slow rows does not keep a small run waiting", async () => {
  const silence = Promise.withResolvers<object>();
  model.answer = () => silence.promise;
  const slow = await start(await newLlmSpec({ concurrency: 4 }));
  const quick = await newRun(api, {
    datasetId,
    jobSpecId: (await newJobSpec(api)).id,
    scope: { type: "limit", count: 1 },
  });
  expect(await finishedRun(api, quick.id)).toMatchObject({ state: "succeeded" });
  expect((await getRun(api, slow.id)).rows.succeeded).toBe(0);
  await api("POST", `/v1/runs/${slow.id}/cancel`);
  silence.resolve({});
});
