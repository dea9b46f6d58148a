/** A run that computes has more lanes than its own where processes have nothing else to do, and no more where they have. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";
import { MAX_LANES } from "../../resources/runs/lanes.ts";
import { parseId } from "../../platform/ids.ts";
import { openWorkerByHand } from "../worker-by-hand-testing.ts";
import { LaneLoad, addExtraLane, turnsThatFill } from "./extra-lanes.ts";

const CHUNK_ROWS = 20;
const LONG = { timeout: 600_000 };
/** Some milliseconds of a processor. */
const SLOW = "export default (row) => { let n = 0; while (n < 300_000) n++; return row.n; }";
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    ROWMILL_ROLE: "api",
    ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS),
    ROWMILL_WORKER_CONCURRENCY: "1",
    ROWMILL_TRANSFORM_THREADS: "1",
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** To the end of the file, or of the group of tests whose `beforeAll` starts it. `turns`: of one organization at a time. */
async function startWorker(turns: number): Promise<() => Promise<void>> {
  const worker = await startTestService({
    ...service.settings,
    ROWMILL_ROLE: "worker",
    ROWMILL_WORKER_CONCURRENCY: String(turns),
  });
  return () => worker.stop();
}

interface RunOptions {
  code?: string;
  more?: Record<string, unknown>;
}

async function startRun(api: Api, rows: number, { code = SLOW, more = {} }: RunOptions = {}): Promise<Run> {
  const spec = await newJobSpec(api, { type: "transform", language: "javascript", code });
  return newRun(api, { datasetId: (await newDataset(api, numberedRows(rows))).id, jobSpecId: spec.id, ...more });
}

/** Ends what would take minutes, and is no part of the test. */
async function cancel(api: Api, run: Run): Promise<void> {
  await api("POST", `/v1/runs/${run.id}/cancel`);
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "canceled" });
}

/** How many lanes of the run there are, extra lanes among them, and how many of these there have been. */
async function lanesOf({ id }: Pick<Run, "id">): Promise<{ all: number; extra: number; atWork: number; ever: number }> {
  const [lanes] = await service.query<{ all: number; extra: number; atWork: number; ever: number }>(
    `select count(*) filter (where is_open)::int as all, count(*) filter (where is_open and is_extra)::int as extra,
       count(*) filter (where state = 'active' and is_extra)::int as "atWork", count(*) filter (where is_extra)::int as ever
     from (select state, state in ('created', 'retry', 'active') as is_open, (data->>'lane')::int = $2 as is_extra from pgboss.job
       where name = 'run-lane' and data->>'runId' = $1) lane`,
    [parseId("run", id), MAX_LANES],
  );
  if (lanes === undefined) throw new Error("no count");
  return lanes;
}

/** As a worker adds one that has few turns. */
async function addLaneByHand(run: Run, load = { hasRoom: () => true }): Promise<void> {
  await service.query("update runs set started_at = started_at - interval '1 minute' where id = $1", [
    parseId("run", run.id),
  ]);
  const worker = await openWorkerByHand(service.settings["ROWMILL_DATABASE_URL"] ?? "");
  try {
    await addExtraLane(worker, worker, load);
  } finally {
    await worker.close();
  }
}

const untilBreakerIsClosed = (api: Api, run: Run) =>
  waitFor(async () => (await getRun(api, run.id)).rows.succeeded >= 30, { what: "the breaker is closed" });

describe("among five processes with one turn each", () => {
  beforeAll(async () => {
    const workers = await Promise.all(Array.from({ length: MAX_LANES + 1 }, () => startWorker(1)));
    return async () => void (await Promise.all(workers.map((stop) => stop())));
  });

  test.each([
    { chunks: "take less time than a turn", times: 10 },
    { chunks: "take longer than a turn", times: 100 },
  ])("the idle one joins a run whose chunks $chunks, and leaves it to other runs", LONG, async ({ times }) => {
    const { api } = await service.newOrganization();
    const long = await startRun(api, 10_000, { code: SLOW.replace("300_000", `${times * 300_000}`) });
    await waitFor(async () => (await lanesOf(long)).atWork === 1, { what: "a fifth process works on the run" });

    const others = await startRun(api, 10 * CHUNK_ROWS);
    await waitFor(async () => (await lanesOf(long)).extra === 0, { what: "the lane has ended" });
    expect(await finishedRun(api, others.id)).toMatchObject({
      state: "succeeded",
      rows: { succeeded: 10 * CHUNK_ROWS },
    });
    await waitFor(async () => (await lanesOf(long)).atWork === 1, { what: "the run has its lane again" });
    await cancel(api, long);
  });
});

describe("beside one process, which has all lanes of a run", () => {
  beforeAll(() => startWorker(6));

  test("lanes that come and go leave one result for each row, and no lane", LONG, async () => {
    const { api } = await service.newOrganization();
    const ROWS = 800;
    const run = await startRun(api, ROWS);
    await untilBreakerIsClosed(api, run);
    await addLaneByHand(run, { hasRoom: () => false });
    expect(await lanesOf(run)).toMatchObject({ ever: 0 });
    for (let i = 0; i < 3; i++) await addLaneByHand(run);
    expect((await lanesOf(run)).ever).toBeGreaterThan(0);
    await waitFor(async () => (await lanesOf(run)).extra === 0, {
      what: "they have ended, since there are turns enough",
    });
    expect(await finishedRun(api, run.id)).toMatchObject({
      state: "succeeded",
      rows: { total: ROWS, succeeded: ROWS },
    });
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_unused, i) => i));
    await waitFor(async () => (await lanesOf(run)).all === 0, { what: "all of its lanes have ended" });
  });

  /** The first chunks end at once. The others take seconds each. */
  const SLOW_LATER = `export default (row) => { let n = 0; while (n < (row.n < ${2 * CHUNK_ROWS} ? 1 : 3_000_000)) n++; return n; }`;

  test.each<{ name: string; lanes: number; rows?: number; more?: Record<string, unknown> }>([
    { name: "more chunks than lanes has one beyond its own", lanes: 1 },
    { name: "a concurrency has none", lanes: 0, more: { concurrency: 4 } },
    { name: "no chunk left to claim has none", lanes: 0, rows: MAX_LANES * CHUNK_ROWS },
  ])("a run with $name", LONG, async ({ lanes, rows = 10 * CHUNK_ROWS, more = {} }) => {
    const { api } = await service.newOrganization();
    const run = await startRun(api, rows, { code: SLOW_LATER, more });
    await untilBreakerIsClosed(api, run);
    await addLaneByHand(run);
    expect(await lanesOf(run)).toMatchObject({ ever: lanes });
    await cancel(api, run);
  });

  test("a run of which too few rows have ended for the breaker has none", LONG, async () => {
    const { api } = await service.newOrganization();
    const run = await startRun(api, 10 * CHUNK_ROWS, { code: "export default () => { for (;;); }" });
    await waitFor(async () => (await getRun(api, run.id)).state === "running", { what: "it runs" });
    await addLaneByHand(run);
    expect(await lanesOf(run)).toMatchObject({ ever: 0 });
    await cancel(api, run);
  });
});

test("turns are few after a second without enough of them", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const load = new LaneLoad(2);
  expect(load.hasRoom()).toBe(false);
  vi.advanceTimersByTime(1_000);
  const leave = load.enter();
  expect([load.hasRoom(), load.isFull()]).toEqual([true, false]);
  const leaveSecond = load.enter();
  vi.advanceTimersByTime(5_000);
  expect([load.hasRoom(), load.isFull()]).toEqual([false, true]);
  leaveSecond();
  expect([load.hasRoom(), load.isFull()]).toEqual([false, false]);
  vi.advanceTimersByTime(999);
  expect(load.hasRoom()).toBe(false);
  leave();
  vi.advanceTimersByTime(1);
  expect(load.hasRoom()).toBe(true);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [8, 4],
  [64, 4],
])("%i processors are kept at work by %i turns", (processors, turns) => {
  expect(turnsThatFill(processors)).toBe(turns);
});
