import { expect, test } from "vitest";
import { json, startService } from "./testing/service.ts";

const run = { datasetId: "ds_1", jobSpecId: "spec_1", scope: { type: "all" } } as const;

test("an estimate asks for what a create would, as a dry run", async () => {
  const service = await startService((response) => json(response, 200, { dryRun: true, rows: 3 }));
  const { runs } = service.client();
  expect((await runs.estimate(run)).rows).toBe(3);
  expect((await runs.estimateRetry("run_1", { selection: { type: "all" } })).rows).toBe(3);
  await runs.estimateRetry("run_1");
  expect(service.received.map(({ method, url, body }) => [method, url.pathname, JSON.parse(body) as unknown])).toEqual([
    ["POST", "/v1/runs", { ...run, dryRun: true }],
    ["POST", "/v1/runs/run_1/retry", { selection: { type: "all" }, dryRun: true }],
    ["POST", "/v1/runs/run_1/retry", { dryRun: true }],
  ]);
});

test("a create and a retry ask for no dry run", async () => {
  const service = await startService((response) => json(response, 201, { id: "run_1" }));
  const { runs } = service.client();
  expect((await runs.create(run)).id).toBe("run_1");
  expect((await runs.retry("run_1")).id).toBe("run_1");
  expect(service.received.map(({ body }) => body.includes("dryRun"))).toEqual([false, false]);
});
