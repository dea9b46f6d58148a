/** Runs whose rows go to a provider in batches, against a provider of our own that does what providers do. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { eventTypes, getRun, readAll, runInState, runWithoutClaims } from "../../resources/runs/runs-testing.ts";
import { ROW_USD, newBatchRun } from "./batches-testing.ts";
import type { Style } from "./batches-testing.ts";
import { expectOwnOutputs, startBatchService } from "./batch-service-testing.ts";

const styles = ["openai", "anthropic"] as const satisfies Style[];

const { service, provider, expectNothingPaidTwice, batchesOf, uuidOf } = await startBatchService();
let api: Api;
beforeEach(async () => {
  provider.reset();
  ({ api } = await service.newOrganization());
});

describe.each(styles)("a run at a provider in the style of %s", (style) => {
  test("gets every response to its row, at the price of batches", async () => {
    provider.mangle = (lines) => lines.toReversed();
    const { run } = await newBatchRun(api, provider, { rows: 90, style });
    expect(run.execution).toEqual({
      mode: "provider_batch",
      maxWaitSeconds: 86_400,
      realTimeSince: null,
      problem: null,
    });
    const ended = await finishedRun(api, run.id);
    const outputs = await expectOwnOutputs(api, ended, 90);
    expectNothingPaidTwice();
    // The first row is asked for in real time, to find out what is wrong for all.
    expect(provider.paid.inRealTime.size).toBe(1);
    expect(provider.batches.map(({ requests }) => requests.length)).toEqual([89]);
    expect(Number(ended.usage.costUsd)).toBeCloseTo(ROW_USD.realTime + 89 * ROW_USD.batch, 12);
    expect(ended.usage).toMatchObject({ requests: 90, inputTokens: 900, outputTokens: 450, unpricedRequests: 0 });
    const batched = outputs.find(({ index }) => index === 50);
    expect(batched?.usage?.calls).toHaveLength(1);
    expect(await batchesOf(run)).toMatchObject([{ state: "ended", requests: 89 }]);
    expect(await eventTypes(api, run.id)).toEqual(["run.created", "run.started", "run.succeeded", "run.finished"]);
  });

  test("counts rows in a batch as running, and lists them so", async () => {
    let mayEnd = false;
    provider.onLook = (_batch, end) => void (mayEnd && end());
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    await waitFor(() => provider.batches.length === 1);
    const waiting = await getRun(api, run.id);
    expect(waiting.rows).toMatchObject({ total: 30, pending: 0, running: 29, succeeded: 1 });
    expect(await readAll(api, `/v1/runs/${run.id}/rows?state=running`)).toHaveLength(29);
    mayEnd = true;
    await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
  });

  test("asks in real time for rows that a batch leaves without a response that counts", async () => {
    // Missing, unreadable, for somebody else, with two responses, refused for the moment, and refused for good.
    provider.mangle = (lines) => [
      ...lines.filter((line) => !line.includes('"content":"7"') && !line.includes('"text":"7"')),
      "<html>Bad gateway</html>",
      '{"custom_id":"somebody-elses","response":null}',
      lines[3] ?? "",
      '{"custom_id":',
    ];
    provider.reply = (prompt, where) => {
      if (prompt === "9" && where === "batch")
        return { status: 529, error: { type: "overloaded_error", message: "Busy" } };
      if (prompt === "11")
        return { status: 400, error: { type: "invalid_request_error", message: "Rejected by our content policy" } };
      return {};
    };
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    const ended = await finishedRun(api, run.id);
    expect(ended.rows).toMatchObject({ succeeded: 29, failed: 1 });
    const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
    expect(failures).toMatchObject([{ index: 11, code: "content_rejected", attempts: 1 }]);
    // Row 0 tries the provider out; only rows of which there is no response are asked for again.
    expect([...provider.paid.inRealTime.keys()].toSorted()).toEqual(["0", "7", "9"]);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    expect(outputs.map(({ index, data }) => (data as { text: string }).text === String(index))).not.toContain(false);
    const refusedFirst = outputs.find(({ index }) => index === 9);
    expect(refusedFirst).toMatchObject({ attempts: 2, usage: { requests: 2 } });
    expect(refusedFirst?.usage?.calls).toMatchObject([{ code: "provider_overloaded" }, {}]);
    expect(ended.usage).toMatchObject({ attempts: 31, requests: 31 });
  });

  test("has a response that does not fit the schema repaired in real time, and counts what both have cost", async () => {
    provider.reply = (prompt, where) => ({
      text: prompt.endsWith("5") && where === "batch" ? "no JSON" : '{"ok":true}',
    });
    const { run } = await newBatchRun(api, provider, {
      rows: 10,
      style,
      processor: {
        outputSchema: {
          type: "object",
          properties: { ok: { type: "boolean" } },
          required: ["ok"],
          additionalProperties: false,
        },
      },
    });
    const ended = await finishedRun(api, run.id);
    expect(ended.rows).toMatchObject({ succeeded: 10 });
    expect(ended.usage).toMatchObject({ requests: 11, attempts: 11 });
    expect(Number(ended.usage.costUsd)).toBeCloseTo(2 * ROW_USD.realTime + 9 * ROW_USD.batch, 12);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    expect(outputs.find(({ index }) => index === 5)).toMatchObject({ attempts: 2, usage: { requests: 2 } });
  });

  test("takes what a batch has finished when it is not waited for any more, and the rest in real time", async () => {
    provider.onLook = (batch, end) => {
      if (batch.state === "canceling") end("canceled", ({ prompt }) => Number(prompt) < 15);
    };
    const { run } = await newBatchRun(api, provider, {
      rows: 40,
      style,
      execution: { mode: "provider_batch", maxWaitSeconds: 2 },
    });
    await expectOwnOutputs(api, await finishedRun(api, run.id), 40);
    expectNothingPaidTwice();
    expect(provider.paid.inBatches.size).toBe(14);
    expect(provider.paid.inRealTime.size).toBe(26);
  });

  test("goes on in real time where the provider has no batches, and reports it", async () => {
    provider.intercept = ({ path }) =>
      path.includes("/chat/") || path.endsWith("/messages")
        ? undefined
        : { status: 404, body: { detail: "Not Found" } };
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    const ended = await finishedRun(api, run.id);
    await expectOwnOutputs(api, ended, 30);
    expect(ended.execution.realTimeSince).not.toBeNull();
    expect(ended.execution.problem).toMatchObject({ code: "unsupported" });
    expect(provider.batches).toEqual([]);
  });

  test("is paused when the provider refuses its batches, and goes on when it is resumed", async () => {
    provider.intercept = ({ method, path }) =>
      method === "POST" && /files|batches/.test(path)
        ? { status: 403, body: { error: { type: "permission_error", message: "This key may not use batches." } } }
        : undefined;
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    const paused = await runInState(api, run.id, "paused");
    expect(paused.stateReason).toBe("batch_refused");
    expect(paused.execution.problem?.message).toContain("This key may not use batches.");
    expect(paused.rows).toMatchObject({ pending: 29, running: 0, succeeded: 1 });
    expect(provider.batches).toEqual([]);
    provider.intercept = () => undefined;
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    const ended = await finishedRun(api, run.id);
    await expectOwnOutputs(api, ended, 30);
    expect(ended.execution.problem).toBeNull();
    expectNothingPaidTwice();
  });

  test("cancels its batches at the provider when it is canceled, and records nothing of them any more", async () => {
    provider.onLook = () => undefined;
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    await waitFor(() => provider.batches.length === 1);
    await runInState(api, run.id, "running");
    expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
    const canceled = await finishedRun(api, run.id);
    expect(canceled.state).toBe("canceled");
    expect(canceled.rows).toMatchObject({ succeeded: 1, canceled: 29 });
    await waitFor(() => provider.batches[0]?.state === "canceling");
    await waitFor(async () => (await batchesOf(run))[0]?.state === "canceled");
    expect((await getRun(api, run.id)).rows).toEqual(canceled.rows);
  });

  test("takes a batch in while it is paused, and submits nothing", async () => {
    let mayEnd = false;
    provider.onLook = (_batch, end) => void (mayEnd && end());
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    await waitFor(() => provider.batches.length === 1);
    expectStatus(await api("POST", `/v1/runs/${run.id}/pause`), 200);
    mayEnd = true;
    await waitFor(async () => (await getRun(api, run.id)).rows.succeeded === 30);
    expect((await getRun(api, run.id)).state).toBe("paused");
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
    expect(provider.batches).toHaveLength(1);
  });

  test("submits once though the response to the submission was lost", async () => {
    let lost = 0;
    provider.intercept = ({ method, path }) =>
      method === "POST" && path.endsWith("/batches") && lost++ === 0 ? "drop" : undefined;
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
    expect(provider.batches).toHaveLength(1);
    expectNothingPaidTwice();
  });

  test("waits for a provider that has no room, as long as it asks for", async () => {
    let refusals = 0;
    provider.intercept = ({ method, path }) =>
      method === "POST" && path.endsWith("/batches") && refusals++ < 2
        ? {
            status: 429,
            body: { error: { type: "rate_limit_error", message: "Later" } },
            headers: { "retry-after": "1" },
          }
        : undefined;
    const { run } = await newBatchRun(api, provider, { rows: 30, style });
    await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
    expect(refusals).toBe(3);
    expectNothingPaidTwice();
  });
});

test("a budget gets batches that it can pay for, one after the other, and is not overspent", async () => {
  // A row may cost 0.00058 USD at the price of batches; 20 rows, a chunk, 0.0116.
  const { run } = await newBatchRun(api, provider, { rows: 100, run: { budget: { maxCostUsd: "0.03" } } });
  const ended = await finishedRun(api, run.id);
  await expectOwnOutputs(api, ended, 100);
  expect(Number(ended.usage.costUsd)).toBeLessThanOrEqual(0.03);
  expect(provider.batches.length).toBeGreaterThan(1);
  expect(Math.max(...provider.batches.map(({ requests }) => requests.length))).toBeLessThanOrEqual(60);
  expectNothingPaidTwice();
  const [budget] = await service.query<{ holds: object; spent_usd: string }>(
    "select holds, spent_usd from run_budgets where run_id = $1",
    [uuidOf(run)],
  );
  expect(budget?.holds).toEqual({});
  expect(Number(budget?.spent_usd)).toBeCloseTo(Number(ended.usage.costUsd), 12);
});

test("what a batch may cost is set aside as long as it takes", async () => {
  provider.onLook = () => undefined;
  const { run } = await newBatchRun(api, provider, { rows: 30, run: { budget: { maxCostUsd: "1" } } });
  await waitFor(() => provider.batches.length === 1);
  const [batch] = await batchesOf(run);
  const [budget] = await service.query<{ holds: Record<string, { usd: string; until: number }> }>(
    "select holds from run_budgets where run_id = $1",
    [uuidOf(run)],
  );
  const holds = Object.entries(budget?.holds ?? {}).filter(([name]) => name.startsWith("batch:"));
  expect(holds).toHaveLength(1);
  expect(Number(holds[0]?.[1].usd)).toBeCloseTo(Number(batch?.reserved_usd), 12);
  expect(Number(batch?.reserved_usd)).toBeGreaterThan(0);
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
});

test("a spent budget pauses the run, as in real time", async () => {
  const { run } = await newBatchRun(api, provider, { rows: 200, run: { budget: { maxCostUsd: "0.0015" } } });
  const paused = await runInState(api, run.id, "paused");
  expect(paused.stateReason).toBe("budget_exhausted");
  // Calls that were under way are recorded, and none is left for the next test.
  const settled = await runWithoutClaims(service, api, run.id);
  expect(Number(settled.usage.costUsd)).toBeLessThanOrEqual(0.0015);
});

test("duplicates of a row in a batch are not sent", async () => {
  const rows = numberedRows(60).map(({ n }) => ({ n: n % 5 }));
  const { run } = await newBatchRun(api, provider, { rows, spec: { dedupe: "exact" } });
  const ended = await finishedRun(api, run.id);
  expect(ended.rows.succeeded).toBe(60);
  expect(provider.paid.inBatches.size + provider.paid.inRealTime.size).toBe(5);
  expectNothingPaidTwice();
});

test("rows that the cache knows are not sent, and responses of batches are known to it", async () => {
  const cache = { cache: { mode: "read_write" } };
  const { run, spec } = await newBatchRun(api, provider, { rows: 40, spec: cache });
  await finishedRun(api, run.id);
  const paid = provider.paid.inBatches.size + provider.paid.inRealTime.size;
  const dataset = await newDataset(api, numberedRows(50));
  const created = await api<Run>("POST", "/v1/runs", {
    body: { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } },
  });
  const again = await finishedRun(api, created.body.id);
  await expectOwnOutputs(api, again, 50);
  expect(provider.paid.inBatches.size + provider.paid.inRealTime.size).toBe(paid + 10);
  expectNothingPaidTwice();
});

test("a large output is not parsed by the thread that serves everybody", async () => {
  const output = JSON.stringify({ list: Array.from({ length: 50_000 }, (_unused, n) => n % 10) });
  provider.reply = () => ({ text: output });
  const parse = vi.spyOn(JSON, "parse");
  const processor = { outputSchema: { type: "object" }, parameters: { maxOutputTokens: 100_000 } };
  const { run } = await newBatchRun(api, provider, { rows: 3, processor });
  expect((await finishedRun(api, run.id)).rows).toMatchObject({ succeeded: 3 });
  expect(provider.paid.inBatches.size).toBe(2);
  expect(parse).toHaveBeenCalled();
  expect(parse.mock.calls.filter(([text]) => text === output)).toEqual([]);
});

test("a retry run uses batches as well, or not, as it asks", async () => {
  provider.reply = (prompt) =>
    Number(prompt) % 2 === 1
      ? { status: 400, error: { type: "invalid_request_error", message: "Rejected by our content policy" } }
      : {};
  const { run } = await newBatchRun(api, provider, { rows: 40 });
  expect((await finishedRun(api, run.id)).rows).toMatchObject({ succeeded: 20, failed: 20 });
  provider.reply = () => ({});
  const retried = await api<Run>("POST", `/v1/runs/${run.id}/retry`, {
    body: {
      selection: {
        type: "rows",
        rowIds: (await readAll<Failure>(api, `/v1/runs/${run.id}/failures`))
          .slice(0, 10)
          .map(({ datasetRowId }) => datasetRowId),
      },
    },
  });
  expectStatus(retried, 201);
  expect((await finishedRun(api, retried.body.id)).rows).toMatchObject({ succeeded: 10 });
  expect(provider.batches).toHaveLength(2);
  const inRealTime = await api<Run>("POST", `/v1/runs/${run.id}/retry`, {
    body: { execution: { mode: "realtime" } },
  });
  expectStatus(inRealTime, 201);
  expect(inRealTime.body.execution).toMatchObject({ mode: "realtime", maxWaitSeconds: null });
  expect((await finishedRun(api, inRealTime.body.id)).rows).toMatchObject({ succeeded: 10 });
  expect(provider.batches).toHaveLength(2);
});

test("batches are for models: a job spec or a run of another processor is refused", async () => {
  const execution = { mode: "provider_batch" };
  const spec = await api("POST", "/v1/job-specs", {
    body: { name: "No model", processor: { type: "mock" }, execution },
  });
  expect(spec).toMatchObject({ status: 422, body: { error: { code: "job_spec_invalid", param: "execution.mode" } } });
  const ids = { datasetId: (await newDataset(api, numberedRows(1))).id, jobSpecId: (await newJobSpec(api)).id };
  const run = await api("POST", "/v1/runs", { body: { ...ids, scope: { type: "all" }, execution } });
  expect(run).toMatchObject({ status: 422, body: { error: { code: "job_spec_invalid", param: "execution.mode" } } });
});

test("a deleted run is forgotten with its batches", async () => {
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await finishedRun(api, run.id);
  expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 204);
  const other = await startTestService(service.settings); // purges deleted runs when it starts
  await waitFor(async () => (await batchesOf(run)).length === 0);
  await other.stop();
});
