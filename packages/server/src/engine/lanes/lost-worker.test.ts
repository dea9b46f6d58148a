/** A worker that is gone in the middle of a transaction: PostgreSQL keeps what it has locked for some seconds more. */
import { expect, test } from "vitest";
import { finishedRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { claimChunk } from "../chunks/chunk-claims.ts";
import { startChunkService } from "../chunks/chunks-testing.ts";

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
