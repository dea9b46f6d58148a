/** What runs may spend, and what they say they have spent. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Failure } from "@rowmill/contract/run-results";
import { expectStatus } from "../../testing/api.ts";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import {
  eventTypes,
  expectCountsToAddUp,
  getRun,
  readAll,
  runWithoutClaims,
  runInState,
} from "../../resources/runs/runs-testing.ts";
import { CALL_USD, PRICE, ROWS, startPaidRows } from "./paid-rows-testing.ts";

const { service, model, api, connection, newLlmSpec, start, expectNoRepeats } = await startPaidRows();
beforeEach(() => {
  model.calls.length = 0;
  model.respond = () => ({});
});

describe("a budget", () => {
  test("pauses the run before it is exceeded; raised, the run goes on and pays for no row twice", async () => {
    const run = await start(await newLlmSpec(), { budget: { maxCostUsd: "0.1" } });
    const paused = await runInState(api, run.id, "paused");
    expect(paused).toMatchObject({ stateReason: "budget_exhausted", error: { code: "budget_exhausted" } });
    const settled = await runWithoutClaims(service, api, run.id);
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

  test("that several processes share is used but for what one call may cost", async () => {
    const worker = { ...service.settings, ROWMILL_ROLE: "worker" };
    const workers = await Promise.all([startTestService(worker), startTestService(worker)]);
    // A call may cost 0.0198 for its output alone, and costs a twentieth of that.
    const spec = await newLlmSpec({}, { parameters: { maxOutputTokens: 100 } });
    const run = await start(spec, { budget: { maxCostUsd: "0.12" } });
    await runInState(api, run.id, "paused");
    const { usage } = await runWithoutClaims(service, api, run.id);
    expect(Number(usage.costUsd)).toBeGreaterThan(0.12 - 0.022);
    expect(Number(usage.costUsd)).toBeLessThanOrEqual(0.12);
    await Promise.all(workers.map((process) => process.stop()));
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("with `onExceeded: cancel` ends the run, with everything that was paid for", async () => {
    const run = await start(await newLlmSpec(), { budget: { maxCostUsd: "0.05", onExceeded: "cancel" } });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "canceled", error: { code: "budget_exceeded" } });
    expect(ended.rows.succeeded).toBe(model.calls.length);
    expect(model.calls.length).toBeLessThanOrEqual(50);
    expect(model.calls.length).toBeGreaterThanOrEqual(45);
    expectCountsToAddUp(ended);
    expect(ended.error?.message).toContain("Retry the run");
    // No retry of a run is made whose job spec is archived.
    expectStatus(await api("DELETE", `/v1/job-specs/${ended.jobSpecId}`), 204);
    const { error, nextSteps } = (await api<Run>("GET", `/v1/runs/${run.id}`)).body;
    expect(error?.message).toContain("make another job spec with its definition");
    expect(error?.message).not.toContain("Retry the run");
    expect(nextSteps.map(({ action }) => action)).toContain("create_again");
    // A receiver of `run.paused` would try to resume it.
    expect(await eventTypes(api, run.id)).toEqual(["run.created", "run.started", "run.canceled", "run.finished"]);
  });

  test("that was to cancel the run, and pauses it now, is an event; and so is what resumes that", async () => {
    // Without a place: nothing but this test moves it.
    const own = await service.newOrganization();
    const limits = { limits: { runsInProgress: 1 } };
    expectStatus(await service.api("PATCH", `/v1/organizations/${own.organizationId}`, { body: limits }), 200);
    const dataset = await newDataset(own.api, numberedRows(30));
    const hanging = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 }, { concurrency: 1 });
    const runOf = (more: object = {}) => newRun(own.api, { datasetId: dataset.id, jobSpecId: hanging.id, ...more });
    await runOf();
    const run = await runOf({ budget: { maxCostUsd: "1", onExceeded: "cancel" } });
    // As a refused call leaves it until the last of the calls in flight has ended.
    const exceed = () =>
      service.query(
        "update runs set state = 'paused', state_reason = 'budget_exhausted', error = $2::jsonb where id = $1",
        [parseId("run", run.id), JSON.stringify({ code: "budget_exceeded", message: "…" })],
      );
    const change = (budget: object) => own.api<Run>("PATCH", `/v1/runs/${run.id}`, { body: { budget } });
    const resume = async () => expectStatus(await own.api("POST", `/v1/runs/${run.id}/resume`), 200);

    await exceed();
    expectStatus(await change({ maxCostUsd: "2", onExceeded: "cancel" }), 200);
    await resume();
    expect(await eventTypes(own.api, run.id)).toEqual(["run.created"]);

    await exceed();
    expect((await change({ maxCostUsd: "2", onExceeded: "pause" })).body).toMatchObject({
      state: "paused",
      error: { code: "budget_exhausted" },
    });
    await change({ maxCostUsd: "3" });
    await resume();
    expect(await eventTypes(own.api, run.id)).toEqual(["run.created", "run.paused", "run.resumed"]);
  });

  test("that is used up between two attempts of a row does not fail it: raised, the row goes on where it was", async () => {
    const seen = new Set<string>();
    // One in four is garbled at first, and paid for.
    model.respond = ({ prompt }, number) => {
      const isFirst = !seen.has(prompt);
      seen.add(prompt);
      return isFirst && number % 4 === 0 ? { body: { choices: "none" } } : {};
    };
    const spec = await newLlmSpec({ retry: { maxAttempts: 2, initialDelayMs: 2_000, maxDelayMs: 2_000 } });
    const run = await start(spec, { budget: { maxCostUsd: "0.1" } });
    await runInState(api, run.id, "paused");
    const settled = await runWithoutClaims(service, api, run.id);
    expect(settled.rows).toMatchObject({ failed: 0, running: 0 });
    expect(settled.usage.requests).toBe(model.calls.length);
    // Those that had one attempt are part of the run's cost, and wait for the second one.
    expect(settled.rows.succeeded).toBeLessThan(model.calls.length);
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: { maxCostUsd: "10" } } }), 200);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS, failed: 0 } });
    expect(ended.usage.requests).toBe(model.calls.length);
    expectCountsToAddUp(ended);
  });

  test("counts attempts that failed", async () => {
    model.respond = (_call, number) => (number % 2 === 0 ? {} : { text: "not json" });
    const spec = await newLlmSpec({}, { outputSchema: { type: "object" }, repairAttempts: 0 });
    const run = await start(spec, { budget: { maxCostUsd: "0.05" } });
    const paused = await runInState(api, run.id, "paused");
    expect(paused).toMatchObject({ stateReason: "budget_exhausted", error: { code: "budget_exhausted" } });
    await runWithoutClaims(service, api, run.id);
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
    // What goes on before the budget is there does not depend on the machine.
    const hasBudget = Promise.withResolvers<void>();
    model.respond = async (_call, number) => {
      if (number <= 20) return {};
      await hasBudget.promise;
      return { delayMs: 2_000 };
    };
    const run = await start(await newLlmSpec({ concurrency: 4 }));
    await waitFor(() => model.calls.length >= 24);
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: { maxCostUsd: "0.02" } } }), 200);
    hasBudget.resolve();
    expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "budget_exhausted" });
    await runWithoutClaims(service, api, run.id);
    // Workers notice it within half a second, and four calls take two. Calls made before that count, too.
    expect(model.calls.length).toBeLessThanOrEqual(50);
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("with `onExceeded: cancel` ends the run, whichever lane is the last to release its rows", async () => {
    const CHUNK = 50;
    // The rows of the second chunk wait for their duplicates in the first, and are released when their lane notices the pause.
    const rows = Array.from({ length: CHUNK + 5 }, (_unused, i) => ({ n: i < CHUNK ? i : i - 5 }));
    const dataset = await newDataset(api, rows);
    const spec = await newLlmSpec({ dedupe: "exact", concurrency: 2 });
    const run = await start(spec, { datasetId: dataset.id, budget: { maxCostUsd: "0.03", onExceeded: "cancel" } });
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "canceled", error: { code: "budget_exceeded" } });
  });
});

test("a run with a budget stops when the price that it counts with is taken away", async () => {
  const isTaken = Promise.withResolvers<void>();
  model.respond = async (_call, number) => {
    if (number <= 10) return {};
    await isTaken.promise;
    return { delayMs: 1_000 };
  };
  const priced = { models: { fleeting: PRICE } };
  const own = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Fleeting", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test", prices: priced },
  });
  expectStatus(own, 201);
  const spec = await newLlmSpec({ concurrency: 4 }, { connection: own.body.id, model: "fleeting" });
  const run = await start(spec, { budget: { maxCostUsd: "100" } });
  await waitFor(() => model.calls.length > 10);
  expectStatus(await api("PATCH", `/v1/connections/${own.body.id}`, { body: { prices: null } }), 200);
  isTaken.resolve();
  expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "budget_exhausted" });
  expect(model.calls.length).toBeLessThan(ROWS);
  await api("POST", `/v1/runs/${run.id}/cancel`);
});

test("a row whose time is up reports what its call may have cost", async () => {
  const isOver = Promise.withResolvers<object>();
  model.respond = () => isOver.promise;
  // Far above what a busy machine takes to send a request.
  const spec = await newLlmSpec({ timeoutSeconds: 5 });
  const run = await start(spec, { scope: { type: "limit", count: 2 } });
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "failed", usage: { requests: 2 } });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  for (const { code, usage } of failures) {
    expect(code).toBe("row_timeout");
    expect(usage).toMatchObject({ requests: 1, calls: [{ connectionId: connection.id, model: "small" }] });
    expect(Number(usage?.costUsd)).toBeGreaterThan(CALL_USD);
    expect(usage).toMatchObject({ assumedCostUsd: usage?.costUsd, calls: [{ costAssumed: true }] });
  }
  isOver.resolve({});
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
  const books = await api<{ data: unknown[] }>("GET", `/v1/usage?groupBy=run&runId=${run.id}`);
  expect(books.body.data).toMatchObject([{ rows: 10, requests: 10, costUsd: "0.010000" }]);
});

test("a canceled run reports what rows have cost that waited for their next attempt", async () => {
  const garbled = 5;
  model.respond = (_call, number) => (number <= garbled ? { body: { choices: "none" } } : {});
  const spec = await newLlmSpec({ retry: { maxAttempts: 3, initialDelayMs: 600_000, maxDelayMs: 600_000 } });
  const run = await start(spec, { scope: { type: "limit", count: 40 } });
  await waitFor(async () => {
    const { succeeded } = (await getRun(api, run.id)).rows;
    return succeeded >= 40 - garbled && succeeded === model.calls.length - garbled;
  });
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  // The wait is of any length up to ten minutes: now and then one is over by now, and its row has succeeded.
  const calls = model.calls.length;
  const waiting = garbled - (calls - 40);
  expect(ended).toMatchObject({ state: "canceled", rows: { succeeded: 40 - waiting, canceled: waiting } });
  expect(ended.usage).toMatchObject({ requests: calls, attempts: calls });
  expect(Number(ended.usage.costUsd)).toBeGreaterThan(40 * CALL_USD);
  expectCountsToAddUp(ended);
});
