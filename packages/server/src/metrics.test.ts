import { readFile } from "node:fs/promises";
import performanceHooks from "node:perf_hooks";
import { expect, test, vi } from "vitest";
import { metricDefinitions, metricNames } from "./metric-definitions.ts";
import { createMetrics } from "./metrics.ts";
import { createReadiness } from "./readiness.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "./testing/factories.ts";
import { startTestService } from "./testing/service.ts";
import { waitFor } from "./testing/wait.ts";

const service = await startTestService({ ROWMILL_METRICS_PORT: "0" });
const { api } = await service.newOrganization();

test("the metrics count requests by route and of runs that have not ended", async () => {
  const dataset = await newDataset(api, numberedRows(3));
  const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 30_000 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await api("POST", `/v1/runs/${run.id}/pause`);
  const respond = await fetch(service.metricsUrl ?? "");
  expect(respond.headers.get("content-type")).toContain("text/plain");
  const text = await respond.text();
  expect(text).toMatch(
    /rowmill_http_request_duration_seconds_count\{method="POST",route="\/v1\/runs",status="201"\} 1/,
  );
  expect(text).toMatch(/rowmill_runs_in_progress\{state="paused"\} 1/);
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).not.toContain(run.id);
});

test("rows, their failures and what waits are counted", async () => {
  const dataset = await newDataset(api, numberedRows(10));
  const jobSpec = await newJobSpec(api, { type: "mock", failEvery: 5 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await finishedRun(api, run.id);
  // The text may be a second old.
  const text = await waitFor(async () => {
    const now = await (await fetch(service.metricsUrl ?? "")).text();
    return now.includes('rowmill_rows_total{outcome="succeeded"} 8') ? now : undefined;
  });
  expect(text).toContain('rowmill_rows_total{outcome="failed"} 2');
  expect(text).toMatch(/^rowmill_row_failures_total\{code="[a-z_]+"\} 2$/m);
  expect(text).toMatch(/^rowmill_cost_usd_total 0$/m);
  expect(text).toMatch(/^rowmill_repairs_total\{reconciler="runs"\} 0$/m);
  expect(text).toMatch(/^rowmill_database_connections\{state="in_use"\} \d+$/m);
  expect(text).toMatch(/^rowmill_clock_ahead_seconds -?[01](\.\d+)?$/m);
});

test("a queue in which no job waits has a value: what scales by it, and gets none, removes no workers", async () => {
  const text = await (await fetch(service.metricsUrl ?? "")).text();
  const waited = Array.from(
    text.matchAll(/^rowmill_queue_oldest_job_seconds\{queue="(.+)"\} \d/gm),
    ([, name]) => name,
  );
  const queues = await service.query<{ name: string }>("select name from pgboss.queue");
  expect(queues.length).toBeGreaterThan(5);
  expect(new Set(waited)).toEqual(new Set(queues.map(({ name }) => name)));
});

test("the table of metrics is what is served, and the labels are those of the table", async () => {
  const text = await (await fetch(service.metricsUrl ?? "")).text();
  const served = Array.from(text.matchAll(/^# TYPE (rowmill_\S+) (\w+)$/gm), ([, name, type]) => `${name} ${type}`);
  expect(served.toSorted()).toEqual(metricNames.map((name) => `${name} ${metricDefinitions[name].type}`).toSorted());
  for (const [, sample = "", labels = ""] of text.matchAll(/^(rowmill_\w+)\{(.*)\} /gm)) {
    const name = metricNames.find((known) => known === sample.replace(/_(bucket|count|sum)$/, "") || known === sample);
    const seen = Array.from(labels.matchAll(/(\w+)="/g), ([, label = ""]) => label).filter((label) => label !== "le");
    expect([sample, seen]).toEqual([sample, Object.keys(metricDefinitions[name ?? "rowmill_limiters"].labels)]);
  }
});

test("dashboard and alert rules name metrics that exist", async () => {
  const text = await (await fetch(service.metricsUrl ?? "")).text();
  const known = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name));
  for (const file of ["grafana-dashboard.json", "prometheus-alerts.yaml"]) {
    const content = await readFile(new URL(`../../../deploy/${file}`, import.meta.url), "utf8");
    const named = Array.from(content.matchAll(/\b(?:rowmill|process|nodejs)_[a-z0-9_]+/g), ([name]) =>
      name.replace(/_(?:bucket|count|sum)$/, ""),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  }
});

test("the metrics count how many connections their providers slow down, and not whose", async () => {
  const other = await startTestService({ ROWMILL_METRICS_PORT: "0" });
  const add = (model: string, used: number, cooling: number, slowed: number, rate: number | null = null) =>
    other.query(
      `insert into limiters (organization_id, connection_id, model, used_at, cooling_until, slowed_at, rate, ceiling)
         select gen_random_uuid(), gen_random_uuid(), $1, now + $2, now + $3, now + $4, $5, $5
         from extract(epoch from now()) as now`,
      [model, used, cooling, slowed, rate],
    );
  await add("free", -1, -1, -3600);
  await add("slowed", -1, -1, -5);
  await add("held back since", -1, -1, -300, 9);
  await add("held back long ago", -1, -1, -3600, 9);
  await add("cooling", -1, 60, -5);
  await add("unused", -600, -600, -5);
  const text = await (await fetch(other.metricsUrl ?? "")).text();
  expect(text.match(/^rowmill_limiters\{.*$/gm)?.toSorted()).toEqual([
    'rowmill_limiters{state="cooling"} 1',
    'rowmill_limiters{state="free"} 2',
    'rowmill_limiters{state="slowed"} 2',
  ]);
});

test("the metrics have an address of their own, on the loopback interface, and nothing else is there", async () => {
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect(service.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect((await fetch(new URL("/v1/me", service.metricsUrl))).status).toBe(404);
  expect((await fetch(service.metricsUrl ?? "", { method: "POST" })).status).toBe(404);
});

test("a second process on the same metrics port starts without metrics, and names the setting", async () => {
  const port = new URL(service.metricsUrl ?? "").port;
  const second = await startTestService({ ...service.settings, ROWMILL_ROLE: "api", ROWMILL_METRICS_PORT: port });
  expect(second.metricsUrl).toBeUndefined();
  expect(second.logs().join("\n")).toContain("ROWMILL_METRICS_PORT");
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  await second.stop();
});

/** A database that responds to each query with what `respond` returns. */
function madeDatabase(respond: () => Promise<unknown>): Parameters<typeof createMetrics>[0] {
  const executor = { transformQuery: (node: unknown) => node, compileQuery: () => ({}), executeQuery: respond };
  const pool = { totalCount: 3, idleCount: 1, waitingCount: 0 };
  return { db: { getExecutor: () => executor }, pool } as unknown as Parameters<typeof createMetrics>[0];
}

test("while the database is away, the process reports its own metrics, and no old ones of the installation", async () => {
  let now = 0;
  const rows = [{ label: "running", count: 7 }];
  let respond = (): Promise<unknown> => Promise.resolve({ rows });
  const metrics = createMetrics(
    madeDatabase(() => respond()),
    { now: () => now },
  );
  const ofInstallation = 'rowmill_runs_in_progress{state="running"} 7';
  expect(await metrics.text()).toContain(ofInstallation);
  expect(await metrics.text()).toContain("rowmill_database_reachable 1");

  respond = () => Promise.reject(Object.assign(new Error("away"), { code: "EAI_AGAIN" }));
  now += 5_000;
  metrics.observeStall({ ms: 400, work: { name: "createJobSpec" }, stack: [] });
  for (const expected of [
    'rowmill_event_loop_stall_seconds_count{work="createJobSpec"} 1',
    'rowmill_database_connections{state="in_use"} 2',
    "rowmill_database_reachable 0",
  ])
    expect(await metrics.text()).toContain(expected);
  expect(await metrics.text()).not.toContain(ofInstallation);

  respond = () => Promise.resolve({ rows });
  now += 1_000;
  expect(await metrics.text()).toContain(ofInstallation);
  expect(await metrics.text()).toContain("rowmill_database_reachable 1");

  // A statement that is refused is no outage: somebody is to see it.
  respond = () => Promise.reject(Object.assign(new Error("permission denied"), { code: "42501" }));
  now += 5_000;
  await expect(metrics.text()).rejects.toThrow("permission denied");
});

test("services of one process report its event loop, and watch it once", async () => {
  const watch = vi.spyOn(performanceHooks, "monitorEventLoopDelay");
  const metrics = [1, 2].map(() => createMetrics(madeDatabase(() => Promise.resolve({ rows: [] }))));
  for (const each of metrics) expect(await each.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  // The service of this file watches it already.
  expect(watch).not.toHaveBeenCalled();
});

test("readers within a second get one text, and the database is asked once", async () => {
  let now = 0;
  let queries = 0;
  const database = madeDatabase(() => {
    queries++;
    return Promise.resolve({ rows: [] });
  });
  const metrics = createMetrics(database, { now: () => now });
  const [first, second] = await Promise.all([metrics.text(), metrics.text()]);
  const asked = queries;
  now = 999;
  expect(await metrics.text()).toBe(first);
  expect(second).toBe(first);
  now = 1_000;
  metrics.observeStall({ ms: 400, work: { name: "createJobSpec" }, stack: [] });
  expect(await metrics.text()).toContain('rowmill_event_loop_stall_seconds_count{work="createJobSpec"} 1');
  expect(queries).toBe(asked);
});

test("everybody who asks for readiness at once, or within a moment, shares one query; a failure is not kept", async () => {
  let now = 0;
  let queries = 0;
  let respond: () => Promise<unknown> = () => Promise.resolve();
  const check = createReadiness(
    () => {
      queries++;
      return respond();
    },
    () => now,
  );
  await Promise.all(Array.from({ length: 32 }, () => check()));
  await check();
  expect(queries).toBe(1);
  now = 500;
  respond = () => Promise.reject(new Error("away"));
  await expect(check()).rejects.toThrow("away");
  await expect(check()).rejects.toThrow("away");
  expect(queries).toBe(3);
});
