import { expect, test } from "vitest";
import { newDataset, newJobSpec, newRun, numberedRows } from "./testing/factories.ts";
import { startTestService } from "./testing/service.ts";

const service = await startTestService();
const { api } = await service.newOrganization();

test("the metrics tell of requests by route and of runs that have not ended", async () => {
  const dataset = await newDataset(api, numberedRows(3));
  const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 30_000 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await api("POST", `/v1/runs/${run.id}/pause`);
  const answer = await fetch(`${service.url}/metrics`);
  expect(answer.headers.get("content-type")).toContain("text/plain");
  const text = await answer.text();
  expect(text).toMatch(
    /rowmill_http_request_duration_seconds_count\{method="POST",route="\/v1\/runs",status="201"\} 1/,
  );
  expect(text).toMatch(/rowmill_runs_in_progress\{state="paused"\} 1/);
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).not.toContain(run.id);
});
