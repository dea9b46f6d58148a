/** The reconcilers of runs and chunks, and the purge, called by hand on what should not happen. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import type { Dataset } from "@rowmill/contract/datasets";
import { openDatabase } from "../platform/database/database.ts";
import type { Database } from "../platform/database/database.ts";
import { prepareRoles } from "../platform/database/roles.ts";
import { queueTables } from "../platform/queue/queue-tables.ts";
import { createTasks } from "../platform/database/tenants.ts";
import type { Tasks } from "../platform/database/tenants.ts";
import { newUuid, parseId } from "../platform/ids.ts";
import { openQueue } from "../platform/queue/queue.ts";
import type { Repair } from "../platform/queue/reconcile.ts";
import { expectStatus } from "../testing/api.ts";
import type { Api } from "../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import { startByHand } from "../testing/started-run.ts";
import type { TestService } from "../testing/service.ts";
import { waitFor } from "../testing/wait.ts";
import { claimChunk } from "./chunks/chunk-claims.ts";
import { commitChunk } from "./chunks/commit-chunk.ts";
import { addOutcome, noResults } from "./chunks/chunk-results.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import { finishRunIfDone } from "../resources/runs/finish-run.ts";
import { eventTypes, getRun } from "../resources/runs/runs-testing.ts";
import { reconcileClaimedChunks } from "./chunks/reconcile-chunks.ts";
import { reconcileRuns } from "./lanes/reconcile-runs.ts";
import { purgeDeletedRuns } from "./runs.tasks.ts";

const CHUNK_ROWS = 5;
const log = pino({ level: "silent" });

let service: TestService;
let api: Api;
let database: Database;
let tasks: Tasks;
let parts: RunParts;
let stopQueue: () => Promise<void>;
let organizationId: string;
let dataset: Dataset;
let jobSpecId: string;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS), ROWMILL_ROLE: "api" });
  const organization = await service.newOrganization();
  ({ api } = organization);
  organizationId = parseId("organization", organization.organizationId) ?? "";
  const url = service.settings["ROWMILL_DATABASE_URL"] ?? "";
  database = openDatabase(url, { max: 4, onError: () => undefined });
  tasks = createTasks(database, (await prepareRoles(database.pool, queueTables, "required", log)).task);
  const queue = await openQueue(url, ["run-lane"], log);
  stopQueue = () => queue.stop();
  parts = { queue, limits: {} };
  dataset = await newDataset(api, numberedRows(2 * CHUNK_ROWS));
  jobSpecId = (await newJobSpec(api)).id;
});
afterAll(async () => {
  await stopQueue();
  await database.close();
});

interface TestRun {
  id: string;
  shownId: string;
  organizationId: string;
}

/** Old enough to be swept. */
async function oldRun(state: Run["state"]): Promise<TestRun> {
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId });
  const id = parseId("run", run.id) ?? "";
  await startByHand(service, id, state);
  await service.query("update runs set updated_at = now() - interval '1 hour' where id = $1", [id]);
  return { id, shownId: run.id, organizationId };
}

const loseJobs = (run: TestRun) => service.query("delete from pgboss.job where data->>'runId' = $1", [run.id]);

const lanesOf = async (run: TestRun): Promise<{ generation: number; current: number }[]> =>
  service.query(
    `select (j.data->>'generation')::int as generation, r.lane_generation as current from pgboss.job j join runs r on r.id::text = j.data->>'runId'
     where r.id = $1 and j.state = 'created'`,
    [run.id],
  );

const repairs: Repair[] = [];

async function reconcile(): Promise<void> {
  const report = (repair: Repair): void => void repairs.push(repair);
  await reconcileClaimedChunks({ database, tasks, log, ...parts }, report);
  await reconcileRuns({ database, tasks, log, ...parts }, report);
}

const repairsOf = (run: TestRun): string[] =>
  repairs.filter(({ ids }) => ids?.["runId"] === run.id).map(({ what }) => what);

/** All rows of the next chunk succeed. */
async function workOffChunk(run: TestRun): Promise<void> {
  const chunk = await claimChunk(database.pool, run, newUuid());
  if (chunk === undefined) throw new Error("there is no chunk left");
  const results = noResults();
  for (let index = chunk.firstRow; index <= chunk.lastRow; index++)
    addOutcome(results, { index, attempts: 1, durationMs: 0, outcome: { ok: true, output: "1" }, usage: undefined });
  const target = {
    organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  };
  expect(await commitChunk(database.pool, target, chunk, results, "done")).toBeDefined();
}

describe("the reconcilers", () => {
  beforeEach(() => void repairs.splice(0));

  test.each(["queued", "running"] as const)("gives lanes to a run that is %s and has lost them", async (state) => {
    const run = await oldRun(state);
    await loseJobs(run);
    await reconcile();
    const lanes = await lanesOf(run);
    expect(lanes).toHaveLength(2);
    expect(lanes.every(({ generation, current }) => generation === current)).toBe(true);
    // Once is enough.
    await reconcile();
    expect(await lanesOf(run)).toEqual(lanes);
    expect(repairsOf(run)).toEqual(["a run without lanes got new ones"]);
  });

  test("leaves runs alone that have lanes, are paused, or have only just begun", async () => {
    const [busy, paused, young] = [await oldRun("running"), await oldRun("paused"), await oldRun("running")];
    const before = await lanesOf(busy);
    await loseJobs(paused);
    await loseJobs(young);
    await service.query("update runs set updated_at = now() where id = $1", [young.id]);
    await reconcile();
    expect([busy, paused, young].flatMap(repairsOf)).toEqual([]);
    expect(await lanesOf(busy)).toEqual(before);
    expect(await lanesOf(paused)).toEqual([]);
    expect(await lanesOf(young)).toEqual([]);
  });

  test("gives back a chunk whose lane is no job any more", async () => {
    const run = await oldRun("running");
    await claimChunk(database.pool, run, newUuid());
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ running: CHUNK_ROWS });
    await reconcile();
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ running: 0, pending: 2 * CHUNK_ROWS });
    expect(await claimChunk(database.pool, run, newUuid())).toMatchObject({ chunkNo: 0, claimNo: 2, deaths: 1 });
  });

  test("ends a run that is done and whose lanes are lost", async () => {
    const run = await oldRun("running");
    await loseJobs(run);
    await workOffChunk(run);
    await workOffChunk(run);
    await reconcile();
    expect(await getRun(api, run.shownId)).toMatchObject({ state: "succeeded", rows: { succeeded: 2 * CHUNK_ROWS } });
    expect((await eventTypes(api, run.shownId)).slice(-2)).toEqual(["run.succeeded", "run.finished"]);
    expect(repairsOf(run)).toEqual(["a run without lanes was ended"]);
  });

  test("ends a run that is being canceled and whose worker is gone", async () => {
    const run = await oldRun("running");
    await workOffChunk(run);
    await claimChunk(database.pool, run, newUuid());
    expectStatus(await api("POST", `/v1/runs/${run.shownId}/cancel`), 200);
    expect((await getRun(api, run.shownId)).state).toBe("canceling");
    await reconcile();
    expect(await getRun(api, run.shownId)).toMatchObject({
      state: "canceled",
      rows: { succeeded: CHUNK_ROWS, canceled: CHUNK_ROWS },
    });
  });

  test("goes on with other runs when one cannot be swept", async () => {
    const [broken, other] = [await oldRun("running"), await oldRun("running")];
    await loseJobs(broken);
    await loseJobs(other);
    // Counted as done, and no result was recorded: it must not look like a success.
    await service.query("update run_chunks set state = 'done' where run_id = $1", [broken.id]);
    await reconcile();
    expect((await getRun(api, broken.shownId)).state).toBe("running");
    expect(await lanesOf(other)).toHaveLength(2);
    await expect(finishRunIfDone(database, organizationId, broken.id, parts)).rejects.toThrow(/its chunks count 0/);
    await service.query("update run_chunks set state = 'pending' where run_id = $1", [broken.id]);
  });
});

test("the purge removes what deleted runs leave behind, and nothing of others", async () => {
  const [gone, kept] = [await oldRun("running"), await oldRun("running")];
  for (const run of [gone, kept]) {
    await workOffChunk(run);
    await workOffChunk(run);
    await finishRunIfDone(database, organizationId, run.id, parts);
  }
  expectStatus(await api("DELETE", `/v1/runs/${gone.shownId}`), 204);
  await purgeDeletedRuns({ database, tasks });
  const left = await service.query<{ results: number; chunks: number; runs: number }>(
    `select (select coalesce(sum(row_count), 0)::int from run_segments where run_id = r) as results,
       (select count(*)::int from run_chunks where run_id = r) as chunks, (select count(*)::int from runs where id = r) as runs
     from unnest($1::uuid[]) with ordinality u(r, n) order by n`,
    [[gone.id, kept.id]],
  );
  expect(left).toEqual([
    { results: 0, chunks: 0, runs: 0 },
    { results: 2 * CHUNK_ROWS, chunks: 2, runs: 1 },
  ]);
});

test("the purge leaves nothing of a commit that a worker makes at the same moment", async () => {
  const run = await oldRun("running");
  const chunk = await claimChunk(database.pool, { organizationId, id: run.id }, newUuid());
  if (chunk === undefined) throw new Error("there was no chunk to claim");
  await service.query(
    "update runs set state = 'canceled', finished_at = now(), final_counts = '{}', deleted_at = now() where id = $1",
    [run.id],
  );
  const results = noResults();
  const outcome = { ok: true, output: "1" } as const;
  addOutcome(results, { index: chunk.firstRow, attempts: 1, durationMs: 0, outcome, usage: undefined });
  const target = {
    organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  };
  const worker = await database.pool.connect();
  try {
    await worker.query("begin");
    expect(await commitChunk(worker, target, chunk, results, "running")).toBeDefined();
    const purged = purgeDeletedRuns({ database, tasks });
    await waitFor(
      async () =>
        (
          await service.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from \"run_chunks\"%'",
          )
        ).length > 0,
      { what: "the purge waits for the chunk" },
    );
    await worker.query("commit");
    await purged;
  } finally {
    worker.release();
  }
  expect(await service.query("select from run_segments where run_id = $1", [run.id])).toEqual([]);
});
