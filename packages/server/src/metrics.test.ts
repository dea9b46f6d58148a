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

test("the metrics tell how many connections their providers slow down, and not whose", async () => {
  const other = await startTestService();
  const add = (model: string, used: number, cooling: number, slowed: number) =>
    other.query(
      `insert into limiters (organization_id, connection_id, model, used_at, cooling_until, slowed_at)
         select gen_random_uuid(), gen_random_uuid(), $1, now + $2, now + $3, now + $4
         from extract(epoch from now()) as now`,
      [model, used, cooling, slowed],
    );
  await add("free", -1, -1, -3600);
  await add("slowed", -1, -1, -5);
  await add("cooling", -1, 60, -5);
  await add("unused", -600, -600, -5);
  const text = await (await fetch(`${other.url}/metrics`)).text();
  expect(text.match(/^rowmill_limiters\{.*$/gm)?.toSorted()).toEqual([
    'rowmill_limiters{state="cooling"} 1',
    'rowmill_limiters{state="free"} 1',
    'rowmill_limiters{state="slowed"} 1',
  ]);
});
