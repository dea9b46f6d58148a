/** A worker that is gone in the middle of a transaction, of which PostgreSQL keeps the locks for a while; and one that lives, and was taken for lost. */
import { expect, test } from "vitest";
import { newUuid, parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { claimChunk } from "../chunks/chunk-claims.ts";
import { startChunkService } from "../chunks/chunks-testing.ts";
import { findLeftClaims, releaseForgottenClaim } from "./lane-turns.ts";

test("the lane that takes over waits for a chunk that is still locked, and leaves it to no reconciler", async () => {
  const { service, api, pool, runIn } = await startChunkService();
  const run = await runIn("running");
  const { rows: jobs } = await pool.query<{ id: string }>(
    `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute'
     where id = (select id from pgboss.job where name = 'run-lane' and data->>'runId' = $1 limit 1) returning id`,
    [run.id],
  );
  expect(await claimChunk(pool, run, jobs[0]?.id ?? "")).toMatchObject({ chunkNo: 0 });
  const lost = await pool.connect();
  const { rows: sessions } = await lost.query<{ pid: number }>("select pg_backend_pid() as pid");
  await lost.query("begin");
  await lost.query("select 1 from run_chunks where run_id = $1 and chunk_no = 0 for update", [run.id]);

  const worker = await startTestService({ ...service.settings, ROWMILL_ROLE: "worker" });
  await waitFor(
    async () => {
      const waiting = "select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
      return (await pool.query(waiting, [sessions[0]?.pid])).rows.length > 0;
    },
    { what: "somebody waits for the chunk" },
  );
  await lost.query("rollback");
  lost.release();
  expect(await finishedRun(api, run.shownId)).toMatchObject({ state: "succeeded", rows: { succeeded: 15 } });
  expect(worker.logs().filter((line) => line.includes("was released"))).toEqual([]);
  const { rows } = await pool.query("select deaths::int from run_chunks where run_id = $1 order by chunk_no", [run.id]);
  expect(rows).toEqual([{ deaths: 1 }, { deaths: 0 }, { deaths: 0 }]);
});

test("a worker that gets a job finds what those before it have left, and nothing once the job is another one's", async () => {
  const { pool, runIn } = await startChunkService();
  const run = await runIn("running");
  const parts = { database: { statements: pool } };
  const data = { organizationId: run.organizationId, runId: run.id, generation: 1, lane: 0 };
  const job = { id: newUuid(), data, isRepeated: true, isOurs: () => Promise.resolve(true) };
  await claimChunk(pool, run, job.id);
  await claimChunk(pool, run, newUuid());
  expect(await findLeftClaims(parts, job)).toEqual([{ chunkNo: 0, claimNo: 1 }]);
  expect(await findLeftClaims(parts, { ...job, isRepeated: false })).toEqual([]);
  expect(await findLeftClaims(parts, { ...job, isOurs: () => Promise.resolve(false) })).toBeUndefined();
});

test("a claim without a response is released by the job that made it, where it can be no other one's", async () => {
  const { pool, runIn, mustClaim } = await startChunkService();
  const run = await runIn("running");
  const parts = { database: { statements: pool } };
  const data = { organizationId: run.organizationId, runId: run.id, generation: 1, lane: 0 };
  const job = { id: newUuid(), data, isOurs: () => Promise.resolve(true) };
  const [lost, first, second] = [await mustClaim(run, job.id), await claimChunk(pool, run, job.id), newUuid()];
  const left = [{ chunkNo: lost.chunkNo, claimNo: lost.claimNo }];
  const inHand = new Map([[first?.chunkNo ?? -1, "work"]]);
  // It has not come: what the job has are the chunk that it works on, and one of a lost worker.
  expect(await releaseForgottenClaim(parts, job, { left, inHand })).toBe(false);
  expect(await claimChunk(pool, run, second)).toMatchObject({ chunkNo: 2 });
  expect(await releaseForgottenClaim(parts, job, { left, inHand })).toBe(false);
  // Two are not both of one turn.
  expect(await releaseForgottenClaim(parts, job, { left: [], inHand: new Map() })).toBe(false);
  const isOurs = () => Promise.resolve(false);
  expect(await releaseForgottenClaim(parts, { ...job, isOurs }, { left, inHand: new Map() })).toBe(false);
  expect(await releaseForgottenClaim(parts, job, { left, inHand: new Map() })).toBe(true);
  expect(await claimChunk(pool, run, newUuid())).toMatchObject({ chunkNo: first?.chunkNo, claimNo: 2, deaths: 0 });
});

test("a worker that lives and was taken for lost leaves its chunks to the next one, and its lane is not doubled", async () => {
  const http = await startHttpService();
  http.respond((_request, response) => void setTimeout(() => response.end("1"), 1_500));
  const service = await startTestService({
    ROWMILL_CHUNK_ROWS: "2",
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin,
  });
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(4));
  const jobSpec = await newJobSpec(api, { type: "http", method: "GET", url: `${http.origin}/{{ row.n }}` });
  const { id } = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id, concurrency: 1 });
  const runId = parseId("run", id) ?? "";
  await waitFor(() => Promise.resolve(http.requests.length > 0), { what: "the first row is under way" });
  // As a look takes them.
  const taken = await service.query(
    `update pgboss.job set state = 'retry', heartbeat_on = null, start_after = now()
     where state = 'active' and data->>'runId' = $1 and name like '%lane%' returning id`,
    [runId],
  );
  expect(taken.length).toBe(1);
  expect(await finishedRun(api, id)).toMatchObject({ state: "succeeded", rows: { succeeded: 4 } });
  // The row that was under way is requested again, and no other; on a slow machine it may have ended before.
  const [counted] = await service.query<{ deaths: number }>(
    "select sum(deaths)::int as deaths from run_chunks where run_id = $1",
    [runId],
  );
  expect(counted?.deaths).toBeLessThanOrEqual(1);
  expect(http.requests.length).toBeLessThanOrEqual(5);
  const open = "select 1 from pgboss.job where data->>'runId' = $1 and name like '%lane%' and state < 'completed'";
  await waitFor(async () => (await service.query(open, [runId])).length === 0, { what: "all lanes have ended" });
});
