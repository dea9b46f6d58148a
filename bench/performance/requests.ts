/** Requests: creating runs, pages at any depth, the cost of a request beside a bare route, and deleting a run. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { Pool } from "undici";
import { collectGarbageLessOften } from "@rowmill/server/platform/garbage";
import { withClient } from "../support/plain-table.ts";
import { quantile } from "../support/measure.ts";
import { cpuSecondsOfTree } from "../support/processes.ts";
import { bytes, microseconds, milliseconds, seconds, times } from "./table.ts";
import type { Table } from "./table.ts";
import { makeRunToRead } from "./run-times.ts";
import type { RunToRead } from "./run-times.ts";
import { finishedRun, uploadRows } from "./world.ts";
import type { World } from "./world.ts";

const BARE_ROUTE = new URL("../support/bare-route.ts", import.meta.url);
/** Lists of this many are asked from the beginning and from far in. */
const PAGE_ROWS = 100;
/** Not counted, for each that is: code is compiled and statements are planned in the first requests. */
const FIRST_SHARE = 0.5;
/** Clocks of processes count in hundredths of a second, and a request takes some ten-thousandths. */
const COST_REQUESTS = 50;
/** Rounds of those before the first that counts: V8 compiles again what has run some thousand times, and the service has more code. */
const COST_FIRST_ROUNDS = 3;
/** Of pages, more than of others: their first hundred requests are slower, and the p99 is to be that of a service which has run for a minute. */
const FIRST_PAGES = 2;
/** For each request of other kinds: they take milliseconds, and a p99 of few is the slowest alone. */
const PAGES = 10;

export async function measureRequests(world: World, table: Table, rows: number): Promise<void> {
  const run = await makeRunToRead(world, rows);
  table.section("Requests, one at a time");
  // By itself, this process stops for its own garbage every fifty requests, and some would take twice the time.
  collectGarbageLessOften();
  await measureCreates(world, table, run);
  await untilDeleted(world);
  await measurePages(world, table, run);
  await measureCostOfRequest(world, table, run);
}

async function measureCreates({ service, sizes }: World, table: Table, { rows }: RunToRead): Promise<void> {
  const { rowmill } = service;
  const small = await uploadRows(rowmill, 100);
  const large = await uploadRows(rowmill, rows);
  const jobSpec = await rowmill.jobSpecs.create({ name: "slow", processor: { type: "mock", delayMs: 1_000 } });
  // One that occupies the lanes: those that are measured wait behind it.
  for (const [datasetId, count] of [
    [small, 100],
    [large, rows],
  ] as const) {
    const took: number[] = [];
    for (let i = -sizes.requests * FIRST_SHARE; i < sizes.requests * 2; i++) {
      const startedAt = performance.now();
      const created = await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } });
      if (i >= 0) took.push(performance.now() - startedAt);
      await rowmill.runs.cancel(created.id);
      await rowmill.runs.waitFor(created.id);
      await rowmill.runs.delete(created.id);
    }
    const of = `creating a run of ${count.toLocaleString("en")} rows`;
    table.add({ what: `${of}, p50`, samples: took, show: milliseconds, goal: { most: 10 } });
    table.add({ what: `${of}, p99`, samples: [quantile(took, 0.99)], show: milliseconds, goal: { most: 30 } });
  }
}

/** Hundreds of runs are deleted behind the requests that asked for it: what follows is measured without this work. */
async function untilDeleted({ connectionString }: World): Promise<void> {
  await withClient(connectionString, async (client) => {
    for (;;) {
      const { rows } = await client.query("select from runs where deleted_at is not null limit 1");
      if (rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
}

async function measurePages({ service, sizes }: World, table: Table, run: RunToRead): Promise<void> {
  const { rowmill } = service;
  for (const list of ["outputs", "resolvedResults", "rows"] as const) {
    for (const depth of [0, Math.floor(run.rows * 0.75)]) {
      const took: number[] = [];
      for (let i = -sizes.requests * FIRST_PAGES; i < sizes.requests * PAGES; i++) {
        const startedAt = performance.now();
        const page = await rowmill.runs[list](run.id, { limit: PAGE_ROWS, fromIndex: depth });
        if (i >= 0) took.push(performance.now() - startedAt);
        if (page.data.length !== PAGE_ROWS) throw new Error(`a page has ${page.data.length} rows`);
      }
      const of = `page of ${PAGE_ROWS} \`${list}\` at row ${depth.toLocaleString("en")}`;
      table.add({ what: `${of}, p50`, samples: took, show: milliseconds, goal: { most: 3 } });
      table.add({ what: `${of}, p99`, samples: [quantile(took, 0.99)], show: milliseconds, goal: { most: 10 } });
    }
  }
}

/** The service's `GET /v1/runs/{id}` in turns with a route of Fastify that reads the same row by its key. */
async function measureCostOfRequest(world: World, table: Table, run: RunToRead): Promise<void> {
  const { service, sizes } = world;
  const child = fork(BARE_ROUTE, { env: { ...process.env, DATABASE_URL: world.connectionString } });
  process.once("exit", () => child.kill());
  const [port] = (await once(child, "message")) as [number]; // what it sends when it listens
  const key = await withClient(world.connectionString, async (client) => {
    const text = "select organization_id || '/' || id as key from runs where finished_at is not null limit 1";
    return (await client.query<{ key: string }>(text)).rows[0]?.key ?? "";
  });
  const targets = {
    service: { pid: service.pid, pool: new Pool(service.url), path: `/v1/runs/${run.id}` },
    bare: { pid: child.pid ?? 0, pool: new Pool(`http://127.0.0.1:${port}`), path: `/runs/${key}` },
  };
  const cost = async ({ pid, pool, path }: (typeof targets)["bare"], requests: number): Promise<number> => {
    const before = cpuSecondsOfTree(pid);
    for (let i = 0; i < requests; i++) {
      const response = await pool.request({
        method: "GET",
        path,
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`a request ended with ${response.statusCode}`);
    }
    return ((cpuSecondsOfTree(pid) - before) / requests) * 1e6;
  };
  const requests = sizes.requests * COST_REQUESTS;
  const costs: { service: number[]; ratio: number[] } = { service: [], ratio: [] };
  for (const target of Object.values(targets)) await cost(target, requests * COST_FIRST_ROUNDS);
  for (let round = 0; round < sizes.rounds; round++) {
    const ofService = await cost(targets.service, requests);
    costs.service.push(ofService);
    costs.ratio.push(ofService / (await cost(targets.bare, requests)));
  }
  table.add({ what: "processor time of `GET /v1/runs/{id}`", samples: costs.service, show: microseconds });
  table.add({
    what: "the same ÷ a bare Fastify route with one indexed query",
    samples: costs.ratio,
    show: times,
    goal: { most: 1.5 },
  });
  for (const { pool } of Object.values(targets)) await pool.close();
  child.kill();
}

/** Bytes that a run leaves, and how long it takes until nothing is left of it. */
export async function measureDeletion(world: World, table: Table, rows: number): Promise<void> {
  const { rowmill } = world.service;
  table.section(`Storing and deleting a run of ${rows.toLocaleString("en")} rows`);
  const dataset = await uploadRows(rowmill, rows);
  const jobSpec = await rowmill.jobSpecs.create({ name: "transform", processor: { type: "mock" } });
  await withClient(world.connectionString, async (client) => {
    const sum = async (): Promise<number> => {
      const { rows: sizes } = await client.query<{ bytes: number }>(
        `select sum(pg_total_relation_size(c))::float8 as bytes from unnest('{run_chunks,run_segments,run_failures,runs}'::regclass[]) c`,
      );
      return sizes[0]?.bytes ?? 0;
    };
    const wal = async (): Promise<number> =>
      (await client.query<{ at: number }>("select (pg_current_wal_insert_lsn() - '0/0')::float8 as at")).rows[0]?.at ??
      0;
    const [sizeBefore, walBefore] = [await sum(), await wal()];
    const run = await finishedRun(rowmill, dataset, jobSpec.id, rows);
    const stored = (await sum()) - sizeBefore;
    const logged = (await wal()) - walBefore;
    table.add({ what: "on disk for a row", samples: [stored / rows], show: bytes, goal: { most: 60 } });
    table.add({ what: "WAL for a row", samples: [logged / rows], show: bytes, goal: { most: 80 } });
    const respondedFrom = performance.now();
    await rowmill.runs.delete(run.id);
    const responded = (performance.now() - respondedFrom) / 1000;
    const uuid = (
      await client.query<{ id: string }>(
        "select id from runs where deleted_at is not null order by deleted_at desc limit 1",
      )
    ).rows[0]?.id;
    const left = async (): Promise<number> =>
      (
        await client.query<{ count: number }>(
          `select (select count(*) from run_segments where run_id = $1)::int + (select count(*) from runs where id = $1)::int as count`,
          [uuid],
        )
      ).rows[0]?.count ?? 0;
    const before = await left();
    const startedAt = performance.now();
    let beganAt = startedAt;
    for (let count = before; count > 0; count = await left()) {
      // A periodic task deletes the rows: its wait is not the cost.
      if (count === before) beganAt = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    table.add({ what: "`DELETE /v1/runs/{id}`", samples: [responded], show: seconds });
    const took = (performance.now() - beganAt) / 1000;
    table.add({
      what: "until its rows are gone, from the first one",
      samples: [took],
      show: seconds,
      goal: { most: 2 },
    });
    await client.query("vacuum (truncate) run_segments, run_chunks, run_failures, runs");
    const bloat = (await sum()) - sizeBefore;
    table.add({
      what: "left on disk after a vacuum",
      samples: [Math.max(0, bloat) / stored],
      show: (value) => `${(value * 100).toFixed(0)} %`,
    });
  });
}
