/** Dry runs of job specs with a cache. */
import { expect, test } from "vitest";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import { llm, reviews, startEstimateService } from "./estimates-testing.ts";
import type { RunEstimate } from "@rowmill/contract/run-estimates";

const { api, organizationId, service, newConnection, estimate } = await startEstimateService();
const cached = { cache: { mode: "read_write" } };
/** `reviews` are alike, and the cache would have all of them after the first. */
const distinctRows = reviews(60).map(({ n, review }) => ({ n, review: `${n} ${review}` }));
const distinct = await newDataset(api, distinctRows);

test("a dry run takes off what the cache has, as the run does", async () => {
  const connection = await newConnection();
  const spec = await newJobSpec(api, llm(connection), cached);
  const first = await estimate({ jobSpecId: spec.id });
  expect(first.estimate).toMatchObject({ cachedSampledRows: 0, requests: { expected: 60 } });
  const half = { type: "limit", count: 30 } as const;
  const run = await newRun(api, { datasetId: distinct.id, jobSpecId: spec.id, scope: half });
  await finishedRun(api, run.id);
  const whole = { datasetId: distinct.id, jobSpecId: spec.id };
  const { estimate: rest } = await estimate(whole);
  expect(rest).toMatchObject({ sampledRows: 60, cachedSampledRows: 30, requests: { expected: 30 } });
  expect(Number(rest.costUsd?.high)).toBeLessThan(Number(first.estimate.costUsd?.expected));
  expect((await estimate({ ...whole, scope: half })).estimate).toMatchObject({
    cachedSampledRows: 30,
    requests: { low: 0, expected: 0, high: 0 },
    costUsd: { low: "0.000000", expected: "0.000000", high: "0.000000" },
  });
  // The same rows, without a cache, and elsewhere.
  const without = await newJobSpec(api, llm(connection));
  expect((await estimate({ ...whole, jobSpecId: without.id })).estimate).not.toHaveProperty("cachedSampledRows");
  const elsewhere = await newJobSpec(api, llm(await newConnection()), cached);
  expect((await estimate({ ...whole, jobSpecId: elsewhere.id })).estimate.cachedSampledRows).toBe(0);
  const { requests } = (await finishedRun(api, (await newRun(api, whole)).id)).usage;
  expect(requests).toBe(rest.requests.expected);
});

test("it takes off what a run in batches finds in the cache, likewise, and of a retry run", async () => {
  const connection = await newConnection();
  const spec = await newJobSpec(api, llm(connection), cached);
  const body = { datasetId: distinct.id, jobSpecId: spec.id };
  const run = await newRun(api, { ...body, scope: { type: "limit", count: 30 } });
  await finishedRun(api, run.id);
  const { estimate: rest } = await estimate({ ...body, execution: { mode: "provider_batch" } });
  expect(rest).toMatchObject({ cachedSampledRows: 30, requests: { expected: 30 } });
  const again = await api<RunEstimate>("POST", `/v1/runs/${run.id}/retry`, {
    body: { selection: { type: "all" }, dryRun: true },
  });
  expect(again.body.estimate).toMatchObject({ cachedSampledRows: 30, requests: { high: 0 } });
});

test("runs for which the cache had everything do not hide what rows took in those before", async () => {
  const spec = await newJobSpec(api, llm(await newConnection()), cached);
  const run = { datasetId: distinct.id, jobSpecId: spec.id, scope: { type: "limit", count: 30 } as const };
  for (let repeat = 0; repeat <= 3; repeat++) await finishedRun(api, (await newRun(api, run)).id);
  const { estimate: all } = await estimate({ datasetId: distinct.id, jobSpecId: spec.id });
  expect(all).toMatchObject({ basis: "earlier_results", cachedSampledRows: 30, requests: { expected: 30 } });
});

test("an output whose time is over is not taken off", async () => {
  const spec = await newJobSpec(api, llm(await newConnection()), cached);
  const run = { datasetId: distinct.id, jobSpecId: spec.id, scope: { type: "limit", count: 10 } as const };
  await finishedRun(api, (await newRun(api, run)).id);
  expect((await estimate(run)).estimate.cachedSampledRows).toBe(10);
  await service.query("update row_cache set expires_at = now()");
  expect((await estimate(run)).estimate).toMatchObject({ cachedSampledRows: 0, requests: { expected: 10 } });
});

test("outputs that may not fit an output schema of the job spec alone are taken off the low end only", async () => {
  const connection = await newConnection();
  const label = { type: "object", required: ["label"] };
  const ofProcessor = llm(connection, { outputSchema: label });
  const [both, wider, narrower] = [
    await newJobSpec(api, ofProcessor, { ...cached, outputSchema: label }),
    await newJobSpec(api, ofProcessor, cached),
    await newJobSpec(api, ofProcessor, {
      ...cached,
      outputSchema: { ...label, properties: { label: { const: "bad" } } },
    }),
  ];
  const run = { datasetId: distinct.id, scope: { type: "limit", count: 10 } as const };
  await finishedRun(api, (await newRun(api, { ...run, jobSpecId: both.id })).id);
  const requestsOf = async (jobSpecId: string) => (await estimate({ ...run, jobSpecId })).estimate.requests;
  for (const { id } of [both, wider]) expect(await requestsOf(id)).toEqual({ low: 0, expected: 0, high: 0 });
  const { low, high } = await requestsOf(narrower.id);
  expect([low, high >= 10]).toEqual([0, true]);
  const { usage } = await finishedRun(api, (await newRun(api, { ...run, jobSpecId: narrower.id })).id);
  expect(usage.requests).toBeGreaterThanOrEqual(10);
});

test("a key that may not read datasets learns of no row whether it was processed before", async () => {
  const spec = await newJobSpec(api, llm(await newConnection()), cached);
  const run = { datasetId: distinct.id, jobSpecId: spec.id, scope: { type: "limit", count: 5 } as const };
  await finishedRun(api, (await newRun(api, run)).id);
  const keyWith = async (scopes: string[]): Promise<string> =>
    (
      await api<{ key: string }>("POST", `/v1/organizations/${organizationId}/api-keys`, {
        body: { name: "k", scopes },
      })
    ).body.key;
  const estimateWith = async (key: string) =>
    (await api<RunEstimate>("POST", "/v1/runs", { body: { ...run, dryRun: true }, key })).body.estimate;
  const blind = await estimateWith(await keyWith(["runs:write"]));
  expect(blind).not.toHaveProperty("cachedSampledRows");
  expect(blind.requests).toMatchObject({ low: 5, expected: 5 });
  expect(await estimateWith(await keyWith(["runs:write", "datasets:read"]))).toMatchObject({ cachedSampledRows: 5 });
});

test("it looks up GET requests of an HTTP service likewise, of its own organization, and no others", async () => {
  const http = await startHttpService();
  http.respond((_request, response) => void response.end("1"));
  const others = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  const [ours, theirs] = [(await others.newOrganization()).api, (await others.newOrganization()).api];
  const url = `${http.origin}/{{ row.n }}`;
  async function estimateAfter(as: Api, method: "GET" | "POST", count: number): Promise<RunEstimate["estimate"]> {
    const { id: datasetId } = await newDataset(as, distinctRows);
    const { id: jobSpecId } = await newJobSpec(as, { type: "http", method, url }, cached);
    const run = { datasetId, jobSpecId };
    if (count > 0) await finishedRun(as, (await newRun(as, { ...run, scope: { type: "limit", count } })).id);
    const body = { ...run, scope: { type: "all" }, dryRun: true };
    return (await as<RunEstimate>("POST", "/v1/runs", { body })).body.estimate;
  }
  expect(await estimateAfter(ours, "GET", 30)).toMatchObject({ cachedSampledRows: 30, requests: { expected: 30 } });
  // The same requests.
  expect(await estimateAfter(theirs, "GET", 0)).toMatchObject({ cachedSampledRows: 0, requests: { expected: 60 } });
  const changing = await estimateAfter(ours, "POST", 1);
  expect(changing).not.toHaveProperty("cachedSampledRows");
  expect(changing.requests.expected).toBe(60);
});
