/**
 * What a worker does by itself where large tables are distributed, called by hand: an error there would only be logged. And a run in
 * batches.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimChunk, findClaims, releaseClaims } from "@rowmill/server/engine/chunks/chunk-claims";
import type { ClaimedChunk } from "@rowmill/server/engine/chunks/chunk-claims";
import { markSuspect, releaseFailedChunk } from "@rowmill/server/engine/chunks/chunk-deaths";
import type { ClaimOfChunk } from "@rowmill/server/engine/chunks/chunk-deaths";
import { reconcileClaimedChunks } from "@rowmill/server/engine/chunks/reconcile-chunks";
import { endTurn } from "@rowmill/server/engine/lanes/lane-turns";
import { reconcileRuns } from "@rowmill/server/engine/lanes/reconcile-runs";
import { newBatchRun } from "@rowmill/server/engine/provider-batches/batches-testing";
import { expectOwnOutputs } from "@rowmill/server/engine/provider-batches/batch-service-testing";
import { reconcileSubmittedChunks } from "@rowmill/server/engine/provider-batches/reconcile-batches";
import { expireRuns, purgeDeletedRuns, purgeRowKeys } from "@rowmill/server/engine/runs.tasks";
import { collectRepairs, newTenant, openWorkerByHand } from "@rowmill/server/engine/worker-by-hand-testing";
import type { Tenant, WorkerByHand } from "@rowmill/server/engine/worker-by-hand-testing";
import { statementsOf } from "@rowmill/server/platform/database/database";
import { newUuid, parseId } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import { purgeDeletedDatasets } from "@rowmill/server/resources/datasets/datasets.tasks";
import { expectStatus } from "@rowmill/server/testing/api";
import { startBatchProvider } from "@rowmill/server/testing/batch-provider";
import { finishedRun, newDataset, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

const CHUNK_ROWS = 5;

/** With the key of the services before, at the database at `urlOf()`. */
export function describeSweeps(urlOf: () => string, encryptionKey: string): void {
  describe("sweeps of a distributed database", () => {
    let settings: Record<string, string>;
    let service: TestService;
    let worker: WorkerByHand;
    let tenant: Tenant;

    beforeAll(async () => {
      settings = {
        ROWMILL_DATABASE_URL: urlOf(),
        ROWMILL_ENCRYPTION_KEY: encryptionKey,
        ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS),
      };
      service = await startTestService({ ...settings, ROWMILL_ROLE: "api" });
      worker = await openWorkerByHand(urlOf(), true);
      tenant = await newTenant(service, CHUNK_ROWS);
    });
    afterAll(async () => {
      await worker.close();
      await service.stop();
    });

    interface StartedRun {
      id: string;
      shownId: string;
    }

    /** Started, with its chunks, and old enough to be swept. */
    async function startedRun(): Promise<StartedRun> {
      const { api, organizationId, dataset, jobSpecId } = tenant;
      const run = await newRun(api, { datasetId: dataset.id, jobSpecId });
      const id = parseId("run", run.id) ?? "";
      for (const chunkNo of [0, 1])
        await service.query(
          "insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count) values ($1, $2, $3, $4, $5, $6)",
          [organizationId, id, chunkNo, chunkNo * CHUNK_ROWS, (chunkNo + 1) * CHUNK_ROWS - 1, CHUNK_ROWS],
        );
      await service.query(
        "update runs set chunks_made = true, state = 'running', started_at = now(), updated_at = now() - interval '1 hour' where id = $1",
        [id],
      );
      return { id, shownId: run.id };
    }

    async function claim(run: StartedRun, job = newUuid(), takesBack: ClaimOfChunk[] = []): Promise<ClaimedChunk> {
      const { organizationId } = tenant;
      const chunk = await worker.tasks
        .of(organizationId)
        .transaction((tx) => claimChunk(statementsOf(tx), { organizationId, id: run.id }, job, { takesBack }));
      if (chunk === undefined) throw new Error("there was no chunk to claim");
      return chunk;
    }

    const databaseTime = async (): Promise<string | undefined> =>
      (await service.query<{ time: string }>("select clock_timestamp()::text as time"))[0]?.time;

    /** Paused: for more than a second from `since` on. The pause may be over when this is read. */
    const chunksOf = (run: StartedRun, since?: string): Promise<Record<string, unknown>[]> =>
      service.query(
        `select state, claimed_by, deaths, failures, suspects, suspect_row, not_before > $2::timestamptz + interval '1 second' as is_paused,
       batch_id
     from run_chunks where run_id = $1 order by chunk_no`,
        [run.id, since],
      );

    const repairs = collectRepairs();

    describe("chunks whose worker is gone", () => {
      test("are released, and a run without lanes gets new ones", async () => {
        const run = await startedRun();
        await claim(run);
        await service.query("delete from pgboss.job where data->>'runId' = $1", [run.id]);
        await reconcileClaimedChunks(worker, repairs.report);
        await reconcileRuns(worker, repairs.report);
        expect(repairs.of(run)).toEqual(["a chunk without a lane was released", "a run without lanes got new ones"]);
        expect(await chunksOf(run)).toMatchObject([
          { state: "pending", claimed_by: null, deaths: 1 },
          { state: "pending", deaths: 0 },
        ]);
      });

      test("are taken back by the next worker that has the job, or released by it", async () => {
        const run = await startedRun();
        const job = newUuid();
        const chunk = await claim(run, job);
        const { statements } = worker.tasks.of(tenant.organizationId);
        const left = await findClaims(statements, run.id, job);
        expect(left).toEqual([{ chunkNo: 0, claimNo: chunk.claimNo }]);
        expect(await claim(run, job, left)).toMatchObject({ chunkNo: 0, claimNo: chunk.claimNo + 1, deaths: 1 });
        expect(await releaseClaims(statements, run.id, left)).toBe(false);
        expect(await releaseClaims(statements, run.id, await findClaims(statements, run.id, job))).toBe(true);
        expect((await chunksOf(run))[0]).toMatchObject({ state: "pending", claimed_by: null, deaths: 2 });
      });

      test("remember the row that was on trial, and wait before the next one", async () => {
        const run = await startedRun();
        const chunk = await claim(run);
        const { statements } = worker.tasks.of(tenant.organizationId);
        expect(await markSuspect(statements, run.id, chunk, 3, true)).toBe(true);
        const since = await databaseTime();
        await reconcileClaimedChunks(worker, repairs.report);
        const released = { state: "pending", deaths: 1, suspects: { 3: 1 }, suspect_row: null, is_paused: true };
        expect((await chunksOf(run, since))[0]).toMatchObject(released);
      });

      test("are released with a pause after an error, and without one after an outage", async () => {
        const run = await startedRun();
        const { statements } = worker.tasks.of(tenant.organizationId);
        expect(await releaseFailedChunk(statements, run.id, await claim(run), true)).toBe(0);
        expect((await chunksOf(run, await databaseTime()))[0]).toMatchObject({ state: "pending", is_paused: null });
        const claimed = await claim(run);
        const since = await databaseTime();
        expect(await releaseFailedChunk(statements, run.id, claimed, false)).toBe(1);
        expect((await chunksOf(run, since))[0]).toMatchObject({ state: "pending", failures: 1, is_paused: true });
      });
    });

    test("runs past their deadline end, and those with a claimed chunk after a while", async () => {
      const [idle, claimed, late] = [await startedRun(), await startedRun(), await startedRun()];
      for (const run of [claimed, late]) await claim(run);
      for (const [run, seconds] of [
        [idle, 1],
        [claimed, 1],
        [late, 600],
      ] as const)
        await service.query("update runs set deadline_at = now() - make_interval(secs => $2) where id = $1", [
          run.id,
          seconds,
        ]);
      await expireRuns(worker, worker);
      const states: string[] = [];
      for (const { shownId } of [idle, claimed, late])
        states.push((await tenant.api<{ state: string }>("GET", `/v1/runs/${shownId}`)).body.state);
      expect(states).toEqual(["expired", "running", "expired"]);
    });

    test("each run past its deadline ends, however many come before it that cannot", async () => {
      const runs = [await startedRun(), await startedRun(), await startedRun()];
      for (const run of runs.slice(0, 2)) await claim(run);
      await service.query("update runs set deadline_at = now() - interval '1 second' where id = any($1)", [
        runs.map(({ id }) => id),
      ]);
      await expireRuns(worker, worker, undefined, 1);
      const read = runs.map(({ shownId }) => tenant.api<{ state: string }>("GET", `/v1/runs/${shownId}`));
      expect((await Promise.all(read)).map(({ body }) => body.state)).toEqual(["running", "running", "expired"]);
    });

    test("a dataset is deleted with its rows", async () => {
      const { id } = await newDataset(tenant.api, numberedRows(2 * CHUNK_ROWS));
      const read = () =>
        service.query("select chunk_no from dataset_chunks where dataset_id = $1", [parseId("dataset", id)]);
      expect(await read()).toHaveLength(2);
      expectStatus(await tenant.api("DELETE", `/v1/datasets/${id}`), 204);
      await purgeDeletedDatasets(worker);
      expect(await read()).toEqual([]);
    });

    test("a lane whose run has no chunks yet comes again, later each time, and logs it", async () => {
      const run = await startedRun();
      await service.query("delete from run_chunks where run_id = $1", [run.id]);
      const lines: string[] = [];
      const warn = (_fields: unknown, line: string): void => void lines.push(line);
      const speaking = Object.assign(createLog("silent"), { warn });
      const secondsAfter = async (age: string): Promise<number | undefined> => {
        const [aged] = await service.query<{ generation: number }>(
          "update runs set started_at = now() - $2::interval where id = $1 returning lane_generation as generation",
          [run.id, age],
        );
        await service.query("delete from pgboss.job where data->>'runId' = $1", [run.id]);
        const job = {
          id: newUuid(),
          data: { organizationId: tenant.organizationId, runId: run.id, generation: aged?.generation ?? 0, lane: 0 },
        };
        await endTurn({ ...worker, database: worker.tasks.of(tenant.organizationId), log: speaking }, job, "ended");
        const [sent] = await service.query<{ seconds: number }>(
          "select extract(epoch from start_after - created_on)::int as seconds from pgboss.job where data->>'runId' = $1",
          [run.id],
        );
        return sent?.seconds;
      };
      expect(await secondsAfter("0")).toBe(1);
      expect(lines).toEqual([]);
      expect(await secondsAfter("1 hour")).toBe(60);
      expect(lines.join()).toContain("the chunks of a run are not on their server");
    });

    test("row keys of ended runs are purged, and all of a deleted run", async () => {
      const [open, ended] = [await startedRun(), await startedRun()];
      for (const { id } of [open, ended])
        await service.query(
          "insert into run_row_keys (organization_id, run_id, key, row_index) values ($1, $2, '\\x01', 0)",
          [tenant.organizationId, id],
        );
      expectStatus(await tenant.api("POST", `/v1/runs/${ended.shownId}/cancel`), 200);
      await waitFor(
        async () =>
          (await tenant.api<{ finishedAt: string | null }>("GET", `/v1/runs/${ended.shownId}`)).body.finishedAt,
      );
      await purgeRowKeys(worker);
      const keys = "select run_id from run_row_keys where run_id = any($1::uuid[])";
      expect(await service.query(keys, [[open.id, ended.id]])).toEqual([{ run_id: open.id }]);
      expectStatus(await tenant.api("DELETE", `/v1/runs/${ended.shownId}`), 204);
      await purgeDeletedRuns(worker);
      expect(await chunksOf(ended)).toEqual([]);
      expect(await service.query("select id from runs where id = $1", [ended.id])).toEqual([]);
    });

    describe("chunks in batches", () => {
      const submit = (run: StartedRun, chunkNo: number, batchId: string) =>
        service.query("update run_chunks set state = 'submitted', batch_id = $3 where run_id = $1 and chunk_no = $2", [
          run.id,
          chunkNo,
          batchId,
        ]);

      test("are released when their batch is over, and stay in one that is being opened", async () => {
        const run = await startedRun();
        await service.query(`update runs set execution = '{"mode":"provider_batch"}' where id = $1`, [run.id]);
        const [opened, over] = [newUuid(), newUuid()];
        const connection = await tenant.api<{ id: string }>("POST", "/v1/connections", {
          body: { name: "Provider", type: "anthropic", secret: "sk-test-secret-of-the-provider" },
        });
        expectStatus(connection, 201);
        // As `openBatch` is when the worker has committed and the coordinator has not: the run is locked, the batch is not seen.
        const opener = await worker.database.pool.connect();
        await opener.query("begin");
        await opener.query("select from runs where id = $1 for no key update", [run.id]);
        await submit(run, 0, opened);
        await submit(run, 1, over);
        const swept = reconcileSubmittedChunks(worker, repairs.report).then(() => "swept");
        const waits = waitFor(async () => {
          const waiting = await service.query(
            "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          return waiting.length > 0 ? "waits" : undefined;
        });
        expect(await Promise.race([swept, waits])).toBe("waits");
        await opener.query(
          "insert into provider_batches (organization_id, id, run_id, connection_id, model, next_turn_at) values ($1, $2, $3, $4, 'm', now())",
          [tenant.organizationId, opened, run.id, parseId("connection", connection.body.id)],
        );
        await opener.query("commit");
        opener.release();
        await swept;
        expect(await chunksOf(run)).toMatchObject([
          { state: "submitted", batch_id: opened },
          { state: "pending", batch_id: null },
        ]);
      });

      test("a run in batches gets every response to its row, and pays for none twice", async () => {
        const provider = await startBatchProvider();
        const worker = await startTestService(
          { ...settings, ROWMILL_ADMIN_KEY: service.adminKey, ROWMILL_CONNECTION_ALLOWED_ORIGINS: provider.origin },
          { batchPollSeconds: 0.1 },
        );
        const own = await worker.newOrganization();
        const { run } = await newBatchRun(own.api, provider, { rows: 40 });
        await expectOwnOutputs(own.api, await finishedRun(own.api, run.id), 40);
        const { inBatches, inRealTime } = provider.paid;
        expect([...inBatches.values(), ...inRealTime.values()].filter((times) => times > 1)).toEqual([]);
        expect(inBatches.size + inRealTime.size).toBe(40);
        await worker.stop();
      });
    });
  });
}
