/** The reconcilers of runs and chunks, and the purge, called by hand on what should not happen. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { newUuid, parseId } from "../platform/ids.ts";
import { expectStatus } from "../testing/api.ts";
import { newRun } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import { startByHand } from "../testing/started-run.ts";
import type { TestService } from "../testing/service.ts";
import { waitFor } from "../testing/wait.ts";
import { claimChunk } from "./chunks/chunk-claims.ts";
import { commitChunk } from "./chunks/commit-chunk.ts";
import { addOutcome, noResults } from "./chunks/chunk-results.ts";
import { finishRunIfDone } from "../resources/runs/finish-run.ts";
import { eventTypes, getRun } from "../resources/runs/runs-testing.ts";
import { reconcileClaimedChunks } from "./chunks/reconcile-chunks.ts";
import { reconcileRuns } from "./lanes/reconcile-runs.ts";
import { expireRuns, purgeDeletedRuns } from "./runs.tasks.ts";
import { followStorageLimits } from "./storage.tasks.ts";
import { followSuspensions } from "./suspension.tasks.ts";
import { collectRepairs, newTenant, openWorkerByHand } from "./worker-by-hand-testing.ts";
import type { Tenant, WorkerByHand } from "./worker-by-hand-testing.ts";

const CHUNK_ROWS = 5;

let service: TestService;
let worker: WorkerByHand;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS), ROWMILL_ROLE: "api" });
  worker = await openWorkerByHand(service.settings["ROWMILL_DATABASE_URL"] ?? "");
  tenant = await newTenant(service, CHUNK_ROWS);
});
afterAll(() => worker.close());

interface TestRun {
  id: string;
  shownId: string;
  organizationId: string;
}

/** Old enough to be swept. */
async function oldRun(state: Run["state"]): Promise<TestRun> {
  const { api, organizationId, dataset, jobSpecId } = tenant;
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

const repairs = collectRepairs();

async function reconcile(): Promise<void> {
  await reconcileClaimedChunks(worker, repairs.report);
  await reconcileRuns(worker, repairs.report);
}

/** All rows of the next chunk succeed. */
async function workOffChunk(run: TestRun): Promise<void> {
  const chunk = await claimChunk(worker.database.pool, run, newUuid());
  if (chunk === undefined) throw new Error("there is no chunk left");
  const results = noResults();
  for (let index = chunk.firstRow; index <= chunk.lastRow; index++)
    addOutcome(results, { index, attempts: 1, durationMs: 0, outcome: { ok: true, output: "1" }, usage: undefined });
  const target = {
    organizationId: run.organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  };
  expect(await commitChunk(worker.database.pool, target, chunk, results, "done")).toBeDefined();
}

describe("the reconcilers", () => {
  beforeEach(() => repairs.forget());

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
    expect(repairs.of(run)).toEqual(["a run without lanes got new ones"]);
  });

  test("leaves runs alone that have lanes, are paused, or have only just begun", async () => {
    const [busy, paused, young] = [await oldRun("running"), await oldRun("paused"), await oldRun("running")];
    const before = await lanesOf(busy);
    await loseJobs(paused);
    await loseJobs(young);
    await service.query("update runs set updated_at = now() where id = $1", [young.id]);
    await reconcile();
    expect([busy, paused, young].flatMap(repairs.of)).toEqual([]);
    expect(await lanesOf(busy)).toEqual(before);
    expect(await lanesOf(paused)).toEqual([]);
    expect(await lanesOf(young)).toEqual([]);
  });

  test("gives back a chunk whose lane is no job any more", async () => {
    const run = await oldRun("running");
    await claimChunk(worker.database.pool, run, newUuid());
    expect((await getRun(tenant.api, run.shownId)).rows).toMatchObject({ running: 1 });
    await reconcile();
    expect((await getRun(tenant.api, run.shownId)).rows).toMatchObject({ running: 0, pending: 2 * CHUNK_ROWS });
    expect(await claimChunk(worker.database.pool, run, newUuid())).toMatchObject({ chunkNo: 0, claimNo: 2, deaths: 1 });
  });

  test("ends a run that is done and whose lanes are lost", async () => {
    const run = await oldRun("running");
    await loseJobs(run);
    await workOffChunk(run);
    await workOffChunk(run);
    await reconcile();
    expect(await getRun(tenant.api, run.shownId)).toMatchObject({
      state: "succeeded",
      rows: { succeeded: 2 * CHUNK_ROWS },
    });
    expect((await eventTypes(tenant.api, run.shownId)).slice(-2)).toEqual(["run.succeeded", "run.finished"]);
    expect(repairs.of(run)).toEqual(["a run without lanes was ended"]);
  });

  test("ends a run that is being canceled and whose worker is gone", async () => {
    const run = await oldRun("running");
    await workOffChunk(run);
    await claimChunk(worker.database.pool, run, newUuid());
    expectStatus(await tenant.api("POST", `/v1/runs/${run.shownId}/cancel`), 200);
    expect((await getRun(tenant.api, run.shownId)).state).toBe("canceling");
    await reconcile();
    expect(await getRun(tenant.api, run.shownId)).toMatchObject({
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
    expect((await getRun(tenant.api, broken.shownId)).state).toBe("running");
    expect(await lanesOf(other)).toHaveLength(2);
    await expect(finishRunIfDone(worker.database, tenant.organizationId, broken.id, worker)).rejects.toThrow(
      /its chunks count 0/,
    );
    await service.query("update run_chunks set state = 'pending' where run_id = $1", [broken.id]);
  });
});

test("a look each second that finds no run begins no transaction", async () => {
  const transaction = () => Promise.reject(new Error("a transaction was begun"));
  const idle = { ...worker, database: { ...worker.database, transaction } };
  for (const look of [expireRuns, followSuspensions, followStorageLimits])
    await expect(look(idle, worker)).resolves.toBeUndefined();
});

test("the purge removes what deleted runs leave behind, and nothing of others", async () => {
  const [gone, kept] = [await oldRun("running"), await oldRun("running")];
  for (const run of [gone, kept]) {
    await workOffChunk(run);
    await workOffChunk(run);
    await finishRunIfDone(worker.database, tenant.organizationId, run.id, worker);
  }
  expectStatus(await tenant.api("DELETE", `/v1/runs/${gone.shownId}`), 204);
  await purgeDeletedRuns(worker);
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
  const chunk = await claimChunk(worker.database.pool, run, newUuid());
  if (chunk === undefined) throw new Error("there was no chunk to claim");
  await service.query(
    "update runs set state = 'canceled', finished_at = now(), final_counts = '{}', deleted_at = now() where id = $1",
    [run.id],
  );
  const results = noResults();
  const outcome = { ok: true, output: "1" } as const;
  addOutcome(results, { index: chunk.firstRow, attempts: 1, durationMs: 0, outcome, usage: undefined });
  const target = {
    organizationId: run.organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  };
  const writer = await worker.database.pool.connect();
  try {
    await writer.query("begin");
    expect(await commitChunk(writer, target, chunk, results, "running")).toBeDefined();
    const purged = purgeDeletedRuns(worker);
    await waitFor(
      async () =>
        (
          await service.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from \"run_chunks\"%'",
          )
        ).length > 0,
      { what: "the purge waits for the chunk" },
    );
    await writer.query("commit");
    await purged;
  } finally {
    writer.release();
  }
  expect(await service.query("select from run_segments where run_id = $1", [run.id])).toEqual([]);
});
