/** Claims on chunks, each by hand: which chunk a job gets, and which rows count as running from then on. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RunRow } from "@rowmill/contract/run-results";
import { newUuid } from "../../platform/ids.ts";
import { RowProgress } from "../rows/row-progress.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";
import { claimChunk, findClaims, releaseClaims } from "./chunk-claims.ts";
import { releaseFailedChunk } from "./chunk-deaths.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";
import { reportInFlight } from "./report-in-flight.ts";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import type { Statements } from "../../platform/database/database.ts";

const { service, api, pool, runIn, mustClaim, resultsOf, commit, workOf, echo } = await startChunkService();

describe("a claim", () => {
  test("takes the chunks in order, each once, until none is left", async () => {
    const run = await runIn("running");
    const jobs = [newUuid(), newUuid(), newUuid(), newUuid()];
    const claims = await Promise.all(jobs.map((job) => claimChunk(pool, run, job)));
    expect(new Set(claims.map((claim) => claim?.chunkNo))).toEqual(new Set([0, 1, 2, undefined]));
    expect(
      claims.filter((claim) => claim !== undefined).every(({ claimNo, deaths }) => claimNo === 1 && deaths === 0),
    ).toBe(true);
  });

  test("takes chunks that rested and are due first, the one that is due longest before, and none that rests", async () => {
    const run = await runIn("running");
    const setNotBefore = (chunkNo: number, notBefore: string) =>
      service.query(`update run_chunks set not_before = ${notBefore} where run_id = $1 and chunk_no = $2`, [
        run.id,
        chunkNo,
      ]);
    await setNotBefore(0, "now() + interval '1 hour'");
    await setNotBefore(2, "now()");
    expect([(await mustClaim(run, newUuid())).chunkNo, (await mustClaim(run, newUuid())).chunkNo]).toEqual([2, 1]);
    expect(await claimChunk(pool, run, newUuid())).toBeUndefined();
    await service.query("update run_chunks set state = 'pending' where run_id = $1", [run.id]);
    await setNotBefore(0, "now()");
    await setNotBefore(1, "now() - interval '1 hour'");
    expect([(await mustClaim(run, newUuid())).chunkNo, (await mustClaim(run, newUuid())).chunkNo]).toEqual([1, 2]);
  });

  test("of a run whose dataset is named brings the chunk's rows, which are not read again", async () => {
    const run = await runIn("running");
    const work = workOf(run, echo);
    const chunk = await claimChunk(pool, { ...run, datasetId: work.datasetId }, newUuid());
    if (chunk?.body == null) throw new Error("the claim brought no rows");
    expect(await decodeChunk(chunk.body)).toHaveLength(CHUNK_ROWS);
    const sent: unknown[] = [];
    const client: Statements = {
      query: (statement) => {
        sent.push(statement.name);
        return pool.query(statement);
      },
    };
    expect(await processChunk(client, work, chunk)).toBe("done");
    expect(sent).not.toContain("read_dataset_chunk");
    const next = await mustClaim(run, newUuid());
    expect(next.body).toBeNull();
    expect(await processChunk(client, work, next)).toBe("done");
    expect(sent).toContain("read_dataset_chunk");
  });

  test("by the same job again takes the chunk that it had claimed, and counts a death", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const first = await mustClaim(run, job);
    expect(await mustClaim(run, job)).toMatchObject({ chunkNo: first.chunkNo, claimNo: 2, deaths: 1 });
    expect(await mustClaim(run, newUuid())).toMatchObject({ chunkNo: first.chunkNo + 1, claimNo: 1 });
  });

  test("by a job that begins for the first time takes nothing back: who has its chunk has the job, too", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const first = await mustClaim(run, job);
    const next = await claimChunk(pool, run, job);
    expect(next).toMatchObject({ chunkNo: first.chunkNo + 1, claimNo: 1, deaths: 0 });
  });

  test("by a worker that was taken for lost takes nothing from the next one that has the job", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const first = await mustClaim(run, job);
    // The second worker stands still between its look at what the first one has left and its claim; the third one has the job meanwhile.
    const takesBack = await findClaims(pool, run.id, job);
    expect(takesBack).toEqual([{ chunkNo: first.chunkNo, claimNo: 1 }]);
    const third = await mustClaim(run, job);
    expect(third).toMatchObject({ chunkNo: first.chunkNo, claimNo: 2, deaths: 1 });
    expect(await claimChunk(pool, run, job, { takesBack })).toMatchObject({ chunkNo: first.chunkNo + 1, claimNo: 1 });
    expect(await releaseClaims(pool, run.id, takesBack)).toBe(false);
    expect(await commit(run, third, resultsOf({}), "done")).toBe(true);
  });

  test("takes back first what a lost worker has left, before chunks of lower numbers that others have released", async () => {
    const run = await runIn("running");
    const [other, lost] = [newUuid(), newUuid()];
    const lower = await mustClaim(run, other);
    const left = await mustClaim(run, lost);
    await releaseClaims(pool, run.id, await findClaims(pool, run.id, other));
    const takesBack = await findClaims(pool, run.id, lost);
    expect(await claimChunk(pool, run, lost, { takesBack })).toMatchObject({ chunkNo: left.chunkNo, claimNo: 2 });
    expect(await claimChunk(pool, run, lost, { takesBack })).toMatchObject({ chunkNo: lower.chunkNo });
  });

  test("takes a chunk back that waits after a failure only when its pause is over", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const first = await mustClaim(run, job);
    const takesBack = await findClaims(pool, run.id, job);
    expect(await releaseFailedChunk(pool, run.id, first, false)).toBe(1);
    expect(await claimChunk(pool, run, job, { takesBack })).toMatchObject({ chunkNo: first.chunkNo + 1 });
  });

  test.each(["queued", "paused", "canceling"] as const)("takes nothing of a run that is %s", async (state) => {
    expect(await claimChunk(pool, await runIn(state), newUuid())).toBeUndefined();
  });

  test("counts the rows that begin at once as running, until the worker reports others", async () => {
    const run = await runIn("running");
    const runningIs = async (running: number): Promise<void> => {
      expect((await getRun(api, run.shownId)).rows).toMatchObject({ running, pending: 3 * CHUNK_ROWS - running });
      expect(await readAll(api, `/v1/runs/${run.shownId}/rows?state=running`)).toHaveLength(running);
    };
    const job = newUuid();
    const chunk = await mustClaim(run, job, 2);
    await runningIs(2);
    await mustClaim(run, newUuid(), 100);
    await runningIs(2 + CHUNK_ROWS);
    const progress = new RowProgress();
    progress.begin([1, 2, 4]);
    await reportInFlight(pool, run.id, chunk, progress);
    await runningIs(3 + CHUNK_ROWS);
    // The worker has died: another one begins again.
    await mustClaim(run, job, 1);
    await runningIs(1 + CHUNK_ROWS);
  });

  test("counts one row as running of a chunk whose rows go one by one", async () => {
    const run = await runIn("running");
    const job = newUuid();
    for (const running of [3, 3, 1]) {
      await mustClaim(run, job, 3);
      expect((await getRun(api, run.shownId)).rows).toMatchObject({ running });
    }
  });

  test("counts chosen rows of the chunk, where the run has not all of them", async () => {
    const run = await runIn("running");
    await service.query("update run_chunks set picked = '{1,3,4}', row_count = 3 where run_id = $1 and chunk_no = 1", [
      run.id,
    ]);
    await mustClaim(run, newUuid(), 1);
    await mustClaim(run, newUuid(), 2);
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.shownId}/rows?state=running`);
    expect(rows.map(({ index }) => index)).toEqual([0, CHUNK_ROWS + 1, CHUNK_ROWS + 3]);
  });

  test.each([
    ["all", null],
    ["chosen", "{0,2,3,4}"],
  ])("counts rows behind those that have results, of %s rows", async (_which, picked) => {
    const run = await runIn("running");
    const job = newUuid();
    const chunk = await mustClaim(run, job, 2);
    if (picked !== null)
      await service.query("update run_chunks set picked = $2, row_count = 4 where run_id = $1 and chunk_no = 0", [
        run.id,
        picked,
      ]);
    expect(
      await commit(run, chunk, resultsOf(picked === null ? { 0: "0", 1: "1" } : { 0: "0", 2: "2" }), "running"),
    ).toBe(true);
    await mustClaim(run, job, 2);
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.shownId}/rows?state=running`);
    expect(rows.map(({ index }) => index)).toEqual(picked === null ? [2, 3] : [3, 4]);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ running: 2, succeeded: 2 });
  });

  test("waits for whoever is about to end the run, and then takes nothing", async () => {
    const run = await runIn("running");
    const client = await pool.connect();
    await client.query("begin");
    await client.query("select 1 from runs where id = $1 for update", [run.id]);
    const claim = claimChunk(pool, run, newUuid());
    expect(await Promise.race([claim, pause(100, "waits")])).toBe("waits");
    await client.query("update runs set state = 'canceling' where id = $1", [run.id]);
    await client.query("commit");
    client.release();
    expect(await claim).toBeUndefined();
  });
});
