/** Dry runs by the front door, with a provider that counts what it is asked; and budgets that need prices. */
import { describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import type { RunRow } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { readAll } from "./runs-testing.ts";
import { RESPONSE_TOKENS, llm, reviews, startEstimateService, withoutTime } from "./estimates-testing.ts";
import type { Asked } from "./estimates-testing.ts";

const { provider, service, api, dataset, newConnection, estimate, listRuns } = await startEstimateService();

describe("a dry run", () => {
  test("returns tokens and costs of the limits while there are no results, makes no run and calls nobody", async () => {
    const [calls, runs] = [provider.seen.length, await listRuns()];
    const spec = await newJobSpec(api, llm(await newConnection(), { parameters: { maxOutputTokens: 500 } }));
    const { rows, estimate: found, problems } = await estimate({ jobSpecId: spec.id });
    expect([rows, found.basis, found.sampledRows, found.failingSampledRows, problems]).toEqual([
      60,
      "limits",
      60,
      0,
      [],
    ]);
    expect(found.requests).toEqual({ low: 60, expected: 60, high: 66 });
    // 312 characters of English are about 65 tokens, and in other languages more than twice as many.
    expect(found.inputTokens.low / 60).toBeGreaterThan(55);
    expect(found.inputTokens.high / 66).toBeLessThan(200);
    expect(found.outputTokens).toEqual({ low: 60, expected: 60 * 256, high: 66 * 500 });
    expect(Number(found.costUsd?.expected)).toBeCloseTo((found.inputTokens.expected + 10 * 60 * 256) / 1e6, 4);
    expect(found.unpricedModels).toEqual([]);
    expect(provider.seen.length).toBe(calls);
    expect(await listRuns()).toEqual(runs);
  });

  test("after a run of the version goes by its results, and is near to what the next run takes", async () => {
    const spec = await newJobSpec(api, llm(await newConnection()));
    await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
    const { estimate: found } = await estimate({ jobSpecId: spec.id, scope: { type: "limit", count: 50 } });
    expect(found).toMatchObject({
      basis: "earlier_results",
      requests: { low: 50, expected: 50, high: 50 },
      outputTokens: { low: 50 * RESPONSE_TOKENS, expected: 50 * RESPONSE_TOKENS, high: 50 * RESPONSE_TOKENS },
    });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "limit", count: 50 } });
    const { usage } = await finishedRun(api, run.id);
    expect(usage.requests).toBe(found.requests.expected);
    expect(usage.outputTokens).toBe(found.outputTokens.expected);
    expect(usage.inputTokens).toBeGreaterThanOrEqual(found.inputTokens.low);
    expect(usage.inputTokens).toBeLessThanOrEqual(found.inputTokens.high);
    expect(Number(usage.costUsd)).toBeGreaterThanOrEqual(Number(found.costUsd?.low));
    expect(Number(usage.costUsd)).toBeLessThanOrEqual(Number(found.costUsd?.high));
    // Completions of another version may have another length.
    await api("POST", `/v1/job-specs/${spec.id}/versions`, {
      body: { processor: llm(await newConnection(), { model: "large" }) },
    });
    expect((await estimate({ jobSpecId: spec.id })).estimate.basis).toBe("limits");
    expect((await estimate({ jobSpecId: spec.id, jobSpecVersion: 1 })).estimate.basis).toBe("earlier_results");
  });

  test("names rows that would fail at once, wherever they are", async () => {
    const broken = await newDataset(
      api,
      reviews(1_000).map((row) => (row.n % 4 === 3 ? { n: row.n } : row.n % 4 === 2 ? { ...row, review: 5 } : row)),
    );
    const spec = await newJobSpec(api, llm(await newConnection()), {
      inputSchema: { properties: { review: { type: "string" } } },
    });
    const { rows, estimate: found, problems } = await estimate({ datasetId: broken.id, jobSpecId: spec.id });
    expect([rows, found.sampledRows]).toEqual([1_000, 200]);
    expect(problems).toHaveLength(20);
    for (const { index, code, datasetRowId, message } of problems) {
      expect([index, code]).toEqual([index, Number(index) % 4 === 3 ? "template_error" : "input_schema_invalid"]);
      expect(datasetRowId).toMatch(/^row_/);
      expect(message).not.toBe("");
    }
    // About half of the rows: each fifth is sampled, and which of them is broken goes round.
    expect(found.failingSampledRows).toBeGreaterThanOrEqual(90);
    expect(found.failingSampledRows).toBeLessThanOrEqual(110);
    expect(found.requests.expected).toBe((200 - found.failingSampledRows) * 5);
    expect(found.requests.low).toBeLessThan(found.requests.expected);
  });

  test("says which prices are not known, and how long the rate limit makes it", async () => {
    const [connection, other] = [
      await newConnection({ rateLimit: { requestsPerMinute: 30 } }),
      await newConnection({ prices: null }),
    ];
    const fallbacks = [{ model: "large" }, { connection: other.id, model: "small" }];
    const priced = await newJobSpec(api, llm(connection, { fallbacks }));
    const { estimate: found } = await estimate({ jobSpecId: priced.id });
    expect(found.costUsd).not.toBeNull();
    expect(found.unpricedModels).toEqual([
      { connectionId: connection.id, model: "large" },
      { connectionId: other.id, model: "small" },
    ]);
    expect(found.durationSeconds).toEqual({ low: 120, expected: 120, high: 132 });
    const unpriced = await newJobSpec(api, llm(other));
    expect((await estimate({ jobSpecId: unpriced.id })).estimate).toMatchObject({
      costUsd: null,
      unpricedModels: [{ connectionId: other.id, model: "small" }],
      durationSeconds: null,
    });
  });

  test("of rows that go in batches has their prices, and cannot say how long the provider takes", async () => {
    const price = { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "10", batchDiscountPercent: 50 };
    const connection = await newConnection({
      prices: { models: { small: price } },
      rateLimit: { requestsPerMinute: 30 },
    });
    const spec = await newJobSpec(api, llm(connection));
    const inRealTime = (await estimate({ jobSpecId: spec.id })).estimate;
    const { estimate: found } = await estimate({ jobSpecId: spec.id, execution: { mode: "provider_batch" } });
    expect(found.durationSeconds).toBeNull();
    expect(found.inputTokens).toEqual(inRealTime.inputTokens);
    expect(Number(found.costUsd?.expected) / Number(inRealTime.costUsd?.expected)).toBeCloseTo(0.5, 3);
  });

  test("of a processor that calls nobody costs nothing", async () => {
    const spec = await newJobSpec(api, { type: "mock" });
    const none = { low: 0, expected: 0, high: 0 };
    expect(await estimate({ jobSpecId: spec.id })).toEqual({
      dryRun: true,
      rows: 60,
      estimate: {
        basis: "no_calls",
        sampledRows: 60,
        failingSampledRows: 0,
        requests: none,
        inputTokens: none,
        outputTokens: none,
        costUsd: { low: "0.000000", expected: "0.000000", high: "0.000000" },
        unpricedModels: [],
        durationSeconds: null,
      },
      problems: [],
      suggestions: [],
    });
  });

  test("of http costs what the connection says of a request, and nothing where it says nothing", async () => {
    const ofService = { type: "http", baseUrl: provider.origin };
    const [priced, free] = [
      await newConnection({ ...ofService, prices: { requestUsd: "0.002" } }),
      await newConnection({ ...ofService, prices: null }),
    ];
    const specOf = (connection: Connection) =>
      newJobSpec(api, { type: "http", method: "GET", url: "/items/{{row.n}}", connection: connection.id });
    const paid = await estimate({ jobSpecId: (await specOf(priced)).id });
    expect(paid.estimate).toMatchObject({ basis: "limits", costUsd: { low: "0.120000", expected: "0.120000" } });
    expect((await estimate({ jobSpecId: (await specOf(free)).id })).estimate.costUsd?.high).toBe("0.000000");
    const empty = await newDataset(api, [{ m: 1 }]);
    const { problems } = await estimate({ datasetId: empty.id, jobSpecId: (await specOf(free)).id });
    expect(problems).toMatchObject([{ index: 0, code: "template_error" }]);
  });

  test.each([
    [{ type: "all" }, 60],
    [{ type: "limit", count: 5 }, 5],
    [{ type: "limit", count: 500 }, 60],
    [{ type: "range", from: 50, to: 1_000 }, 10],
    [{ type: "sample", count: 12, seed: 3 }, 12],
    [{ type: "filter", where: "row.n >= 13.0 && row.n < 30.0" }, 17],
  ] as const)("has the rows of the scope %j, as the run", async (scope, rows) => {
    const spec = await newJobSpec(api, { type: "mock" });
    const found = await estimate({ jobSpecId: spec.id, scope });
    expect([found.rows, found.estimate.sampledRows]).toEqual([rows, rows]);
    expect((await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, scope })).rows.total).toBe(rows);
  });

  test("is refused for what the run would be refused for", async () => {
    const spec = await newJobSpec(api, { type: "mock" });
    const body = { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } };
    const wrong: [object, string][] = [
      [{ datasetId: "ds_1" }, "not_found"],
      [{ jobSpecId: "spec_1" }, "not_found"],
      [{ scope: { type: "range", from: 60, to: 70 } }, "scope_invalid"],
      [{ scope: { type: "filter", where: "row.n >" } }, "scope_invalid"],
      [{ scope: { type: "rows", rowIds: ["row_1"] } }, "scope_invalid"],
      [{ deadlineAt: "2020-01-01T00:00:00.000Z" }, "invalid_request"],
      [{ priority: 9 }, "invalid_request"],
    ];
    for (const [member, code] of wrong) {
      const [dry, real] = await Promise.all([
        api("POST", "/v1/runs", { body: { ...body, ...member, dryRun: true } }),
        api("POST", "/v1/runs", { body: { ...body, ...member } }),
      ]);
      expect([member, dry.status, dry.body.error.code]).toEqual([member, real.status, code]);
      expect(dry.body.error.message).toBe(real.body.error.message);
    }
  });

  test("gets its response again for the same key, and its key is not that of the run", async () => {
    const spec = await newJobSpec(api, { type: "mock" });
    const body = { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } };
    const asked = { body: { ...body, dryRun: true }, idempotencyKey: "dry-run" };
    const first = await api("POST", "/v1/runs", asked);
    const second = await api("POST", "/v1/runs", asked);
    expect([second.status, second.headers["idempotent-replayed"], second.text]).toEqual([200, "true", first.text]);
    const run = await api("POST", "/v1/runs", { body, idempotencyKey: "dry-run" });
    expect([run.status, run.body.error.code]).toEqual([409, "idempotency_conflict"]);
    expectStatus(await api("POST", "/v1/runs", { body: { ...body, dryRun: false } }), 201);
  });

  test("reads nothing of another organization", async () => {
    const stranger = await service.newOrganization();
    const spec = await newJobSpec(stranger.api, { type: "mock" });
    const response = await stranger.api("POST", "/v1/runs", {
      body: { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" }, dryRun: true },
    });
    expect([response.status, response.body.error.param]).toEqual([404, "datasetId"]);
  });
});

describe("a dry run of a retry", () => {
  test.each([
    undefined,
    { type: "unfinished" },
    { type: "failures" },
    { type: "retryable_failures" },
    { type: "codes", codes: ["provider_overloaded"] },
    { type: "all" },
  ])("with the selection %j has the rows that the retry has", async (selection) => {
    const spec = await newJobSpec(api, { type: "mock", failEvery: 3 });
    const scope = { type: "range", from: 3, to: 55 } as const;
    const parent = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, scope })).id);
    // A version by whose schema every row is bad: problems name the rows that were sampled.
    const version = await api("POST", `/v1/job-specs/${spec.id}/versions`, {
      body: { processor: { type: "mock" }, inputSchema: false },
    });
    expectStatus(version, 201);
    const body = { ...(selection === undefined ? {} : { selection }), jobSpecVersion: 2 };
    const dry = await withoutTime(() =>
      api<RunEstimate>("POST", `/v1/runs/${parent.id}/retry`, { body: { ...body, dryRun: true } }),
    );
    expectStatus(dry, 200);
    const retry = await api<Run>("POST", `/v1/runs/${parent.id}/retry`, { body });
    expectStatus(retry, 201);
    const rows = await readAll<RunRow>(api, `/v1/runs/${retry.body.id}/rows`);
    expect(dry.body.rows).toBe(rows.length);
    expect(dry.body.estimate.failingSampledRows).toBe(rows.length);
    expect(dry.body.problems.map(({ index }) => index)).toEqual(rows.slice(0, 20).map(({ index }) => index));
  });

  test("of more rows than are sampled takes them from everywhere", async () => {
    const many = await newDataset(api, numberedRows(2_000));
    const spec = await newJobSpec(api, { type: "mock", failEvery: 2 });
    const parent = await finishedRun(api, (await newRun(api, { datasetId: many.id, jobSpecId: spec.id })).id);
    await api("POST", `/v1/job-specs/${spec.id}/versions`, {
      body: {
        processor: { type: "mock" },
        inputSchema: { properties: { n: { maximum: 1_899 } } },
      },
    });
    const { body } = await withoutTime(() =>
      api<RunEstimate>("POST", `/v1/runs/${parent.id}/retry`, {
        body: { selection: { type: "failures" }, jobSpecVersion: 2, dryRun: true },
      }),
    );
    expect([body.rows, body.estimate.sampledRows, body.estimate.failingSampledRows]).toEqual([1_000, 200, 10]);
    expect(body.problems.every(({ index }) => Number(index) >= 1_900 && Number(index) % 2 === 1)).toBe(true);
  });

  test("is refused as the retry is", async () => {
    const spec = await newJobSpec(api, { type: "mock" });
    const parent = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
    const nothing = await api("POST", `/v1/runs/${parent.id}/retry`, { body: { dryRun: true } });
    expect([nothing.status, nothing.body.error.code]).toEqual([422, "nothing_to_retry"]);
    const slow = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
    const running = await newRun(api, { datasetId: dataset.id, jobSpecId: slow.id });
    const early = await api("POST", `/v1/runs/${running.id}/retry`, { body: { dryRun: true } });
    expect([early.status, early.body.error.code]).toEqual([409, "invalid_state"]);
    expectStatus(await api("POST", `/v1/runs/${running.id}/cancel`), 200);
  });
});

describe("a budget needs prices", () => {
  const budget = { maxCostUsd: "1.00" };
  const expectRefused = (response: { status: number; body: unknown }, ...models: string[]) => {
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: {
        code: "invalid_request",
        param: "budget",
        message: expect.stringContaining(models[0] ?? "") as string,
        details: models.map((model) => ({
          path: "/budget",
          code: "price_unknown",
          message: expect.stringContaining(model) as string,
        })),
      },
    });
  };

  test("of the model and of every fallback, where a run is made, tried, retried or changed", async () => {
    const connection = await newConnection();
    const spec = await newJobSpec(
      api,
      llm(connection, { model: "medium", fallbacks: [{ model: "small" }, { model: "large" }] }),
    );
    const body = { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "limit", count: 2 } };
    const refused = await api("POST", "/v1/runs", { body: { ...body, budget } });
    expectRefused(refused, "medium", "large");
    expect(refused.body.error.message).toContain(connection.id);
    expectRefused(await api("POST", "/v1/runs", { body: { ...body, budget, dryRun: true } }), "medium", "large");
    const run = await finishedRun(api, (await newRun(api, body as Asked & { datasetId: string })).id);
    expect(run.usage).toMatchObject({ unpricedRequests: 2, costUsd: null });
    const retry = { selection: { type: "all" }, budget };
    expectRefused(await api("POST", `/v1/runs/${run.id}/retry`, { body: retry }), "medium", "large");
    await service.query("update runs set state = 'paused', finished_at = null, final_counts = null");
    expectRefused(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget } }), "medium", "large");
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { budget: null } }), 200);

    const known = { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" };
    const priced = await api("PATCH", `/v1/connections/${connection.id}`, {
      body: { prices: { models: { "*": known } } },
    });
    expectStatus(priced, 200);
    await expect.poll(async () => (await api("PATCH", `/v1/runs/${run.id}`, { body: { budget } })).status).toBe(200);
    expectStatus(await api("POST", "/v1/runs", { body: { ...body, budget } }), 201);
  });

  test("of models alone: what costs nothing has any budget", async () => {
    const connection = await newConnection({ type: "http", baseUrl: provider.origin, prices: null });
    const specs = [
      await newJobSpec(api, { type: "mock" }),
      await newJobSpec(api, { type: "http", method: "GET", url: "/{{row.n}}", connection: connection.id }),
    ];
    for (const { id } of specs)
      expectStatus(
        await api("POST", "/v1/runs", {
          body: { datasetId: dataset.id, jobSpecId: id, scope: { type: "limit", count: 1 }, budget },
        }),
        201,
      );
  });
});
