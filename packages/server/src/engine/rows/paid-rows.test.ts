/** Runs whose rows cost money: what is called, what is kept, and what is not paid for. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Output } from "@rowmill/contract/run-results";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newJobSpec, newRun } from "../../testing/factories.ts";
import { waitFor } from "../../testing/wait.ts";
import {
  expectCountsToAddUp,
  getRun,
  inAnHour,
  passDeadline,
  readAll,
  runWithoutClaims,
  runInState,
} from "../../resources/runs/runs-testing.ts";
import { CALL_USD, MAX_OUTPUT_TOKENS, ROWS, startPaidRows } from "./paid-rows-testing.ts";

const { service, model, api, connection, datasetId, newLlmSpec, start, expectNoRepeats, specsMade } =
  await startPaidRows();
beforeEach(() => {
  model.calls.length = 0;
  model.respond = () => ({});
});

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
    expect(data).toEqual({ text: `spec ${specsMade()}, row ${index}` });
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
    // The first calls end at once, the others when they are released: what is in flight does not depend on the machine.
    const released = Promise.withResolvers<object>();
    model.respond = () => (model.calls.length <= 40 ? {} : released.promise);
    const run = await start(await newLlmSpec({ concurrency: 8 }));
    await waitFor(() => model.calls.length === 40 + 8 && model.underWay() === 8, { what: "eight rows are in flight" });
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 60 } }), 200);
    await waitFor(() => model.underWay() > 20, { what: "more rows are in flight" });
    released.resolve({});
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded" });
    expectNoRepeats();
  });
});

describe("pause", () => {
  test("begins no further row, keeps the responses of those in flight, and resume repeats none", async () => {
    const isPaused = Promise.withResolvers<void>();
    model.respond = async () => {
      await isPaused.promise;
      return { delayMs: 2_000 };
    };
    const run = await start(await newLlmSpec({ concurrency: 40 }));
    await waitFor(() => model.calls.length > 0);
    expectStatus(await api("POST", `/v1/runs/${run.id}/pause`), 200);
    isPaused.resolve();
    const paused = await runWithoutClaims(service, api, run.id);
    expect(paused.state).toBe("paused");
    expect(paused.rows.succeeded).toBe(model.calls.length);
    expect(model.calls.length).toBeLessThan(ROWS);
    expectCountsToAddUp(paused);
    model.respond = () => ({});
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
    expect(model.calls).toHaveLength(ROWS);
    expectNoRepeats();
  });
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
    model.respond = () => ({ delayMs: 300 });
    const run = await start(await slowSpec());
    await waitFor(() => Promise.resolve(model.calls.length >= 4 ? true : undefined));
    expectStatus(await api("POST", `/v1/runs/${run.id}/${action}`), 200);
    const atAction = model.calls.length;
    const ended = await runWithoutClaims(service, api, run.id);
    // Of what was called everything is kept.
    expect(ended.rows.succeeded).toBe(model.calls.length);
    // Those that wait for a slot, nearly sixty, are not called. A lane notices the action within half a second, or two calls.
    expect(model.calls.length).toBeLessThanOrEqual(atAction + 30);
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });
});

test("who begins to listen while a lane takes a long turn is notified of the rows from then on", async () => {
  // The first rows are recorded before somebody listens, and the others end after that, whatever the machine has to do.
  const listens = Promise.withResolvers<void>();
  model.respond = async (_call, number) => {
    if (number > 20) await listens.promise;
    return { delayMs: 100 };
  };
  const run = await start(await newLlmSpec({ concurrency: 4 }), { scope: { type: "limit", count: 120 } });
  await waitFor(async () => (await getRun(api, run.id)).rows.succeeded === 20, { what: "twenty rows are recorded" });
  const endpoint = await api<{ id: string }>("POST", "/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/rows", eventTypes: ["row.succeeded"] },
  });
  expectStatus(endpoint, 201);
  listens.resolve();
  await finishedRun(api, run.id);
  const deliveries = await waitFor(async () => {
    const listed = await readAll(api, `/v1/webhook-deliveries?webhookEndpointId=${endpoint.body.id}`);
    return listed.length > 0 ? listed : undefined;
  });
  expect(deliveries.length).toBeLessThanOrEqual(110);
  expectStatus(await api("DELETE", `/v1/webhook-endpoints/${endpoint.body.id}`), 204);
});

test("the breaker stops a run with a wrong key before it has asked a hundred times", async () => {
  model.respond = () => ({ status: 401, body: { error: { message: "wrong key", type: "invalid_request_error" } } });
  const run = await start(await newLlmSpec());
  expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "breaker_open" });
  await runWithoutClaims(service, api, run.id);
  expect(model.calls.length).toBeGreaterThanOrEqual(25);
  expect(model.calls.length).toBeLessThanOrEqual(100);
  // The reason is removed, and the run goes on.
  model.respond = () => ({});
  expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "partially_succeeded" });
});

test("a failure policy ends a run after a few bad responses, and the rest is never paid", async () => {
  model.respond = () => ({ text: "not json", delayMs: 250 });
  const spec = await newLlmSpec(
    { concurrency: 8, failurePolicy: { maxFailedRows: 10 } },
    { outputSchema: { type: "object" }, repairAttempts: 0 },
  );
  const run = await start(spec);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", error: { code: "failure_policy" } });
  await runWithoutClaims(service, api, run.id);
  expect(model.calls.length).toBeLessThan(ROWS / 2);
});

test("a failure policy that a run gets in the middle of a chunk holds from that moment on", async () => {
  // What goes on before the policy is there does not depend on the machine.
  const hasPolicy = Promise.withResolvers<void>();
  model.respond = async (_call, number) => {
    if (number <= 40) return { text: "not json" };
    await hasPolicy.promise;
    return { text: "not json", delayMs: 1_000 };
  };
  const spec = await newLlmSpec({ concurrency: 4 }, { outputSchema: { type: "object" }, repairAttempts: 0 });
  const run = await start(spec);
  await waitFor(() => Promise.resolve(model.calls.length >= 40 ? true : undefined));
  expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { failurePolicy: { maxFailedRows: 10 } } }), 200);
  hasPolicy.resolve();
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", error: { code: "failure_policy" } });
  await runWithoutClaims(service, api, run.id);
  // Workers notice it within half a second, and four calls take one.
  expect(model.calls.length).toBeLessThan(120);
});

test("a canceled run makes no further call, and keeps the responses of those under way", async () => {
  model.respond = () => ({ delayMs: 200 });
  const run = await start(await newLlmSpec({ concurrency: 40 }));
  await waitFor(() => Promise.resolve(model.calls.length > 60 ? true : undefined));
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  expect(ended.state).toBe("canceled");
  const asked = model.calls.filter(({ prompt }) => prompt.startsWith(`spec ${specsMade()}, `));
  expect(asked).toHaveLength(model.calls.length);
  expect(ended.rows.succeeded).toBe(asked.length);
});

test("a deadline ends the calls, and what was completed before is kept", async () => {
  const isPassed = Promise.withResolvers<void>();
  model.respond = async (_call, number) => {
    if (number <= 16) return {};
    await isPassed.promise;
    return { delayMs: 250 };
  };
  const run = await start(await newLlmSpec({ concurrency: 8 }), { deadlineAt: inAnHour() });
  await waitFor(() => model.calls.length > 16);
  await passDeadline(service, run);
  isPassed.resolve();
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

  test("serves a second run for nothing", async () => {
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
      expect(data).toEqual({ text: `spec ${specsMade()}, row ${index}` });
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
  // Twenty seconds of calls.
  const backfill = await start(await spec("backfill"));
  await waitFor(() => model.calls.length > 0);
  const urgent = await start(await spec("urgent"), { scope: { type: "limit", count: 150 } });
  expectStatus(await api("PATCH", `/v1/runs/${urgent.id}`, { body: { priority: 5 } }), 200);
  const before = model.calls.length;
  await finishedRun(api, urgent.id);
  const lastUrgent = model.calls.findLastIndex(({ prompt }) => prompt.startsWith("urgent"));
  const meanwhile = model.calls.slice(before, lastUrgent);
  const [ofUrgent = [], ofBackfill = []] = ["urgent", "backfill"].map((name) =>
    meanwhile.filter(({ prompt }) => prompt.startsWith(name)),
  );
  // Side by side they would be as many; the first ones are called before the lanes notice.
  expect(ofBackfill.length).toBeLessThan(ofUrgent.length / 2);
  expect((await getRun(api, backfill.id)).state).toBe("running");
  expectStatus(await api("POST", `/v1/runs/${backfill.id}/cancel`), 200);
});

test("a run of many slow rows does not keep a small run waiting", async () => {
  const silence = Promise.withResolvers<object>();
  model.respond = () => silence.promise;
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
