/** What rows have paid for where the work on their chunk fails. */
import { expect, test } from "vitest";
import { createLateWrites } from "../../platform/database/late-writes.ts";
import { newUuid } from "../../platform/ids.ts";
import { waitFor } from "../../testing/wait.ts";
import { RunControl } from "../rows/run-control.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { DEATHS_BEFORE_CARE, releaseFailedChunk } from "./chunk-deaths.ts";
import { wokenUsageOf } from "./chunk-results.ts";
import type { ChunkResults } from "./chunk-results.ts";
import type { ChunkWork } from "./chunk-work.ts";
import { CHUNK_ROWS } from "./chunks-testing.ts";
import { PAID, paid, startPaidChunks, untilAborted } from "./paid-chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";

const { pool, runIn, mustClaim, noPolicies, payingWork, countersOf, usesOf } = await startPaidChunks();

test("where the work on a chunk fails, what its rows have used is kept for their end", async () => {
  const run = await runIn("running");
  const job = newUuid();
  const chunk = await mustClaim(run, job);
  await pool.query({ values: [run.id], text: "update run_chunks set failures = 3 where run_id = $1" });
  const failures = async () => {
    const { rows } = await pool.query<{ failures: number }>({
      values: [run.id, chunk.chunkNo],
      text: "select failures from run_chunks where run_id = $1 and chunk_no = $2",
    });
    return rows[0]?.failures;
  };
  const bug = new Error("a bug");
  let commits = 0;
  const broken = payingWork(run, () => Promise.resolve());
  const work = {
    ...broken,
    // The statement is refused for what it would write.
    commit: (of: ClaimedChunk, results: ChunkResults, state: "done" | "running" | "pending") => {
      if (++commits === 1) throw bug;
      return broken.commit(of, results, state);
    },
  };
  await expect(processChunk(pool, work, chunk)).rejects.toBe(bug);
  expect(await countersOf(run, chunk)).toEqual({ attempts: CHUNK_ROWS, ...paid(CHUNK_ROWS) });
  // Such a chunk fails its run some day, and is not paid again and again.
  expect(await failures()).toBe(3);

  const again = await mustClaim(run, job);
  expect(again.chunkNo).toBe(chunk.chunkNo);
  const checks = { ...noPolicies, check: () => Promise.reject(bug) };
  const called = { count: 0 };
  // Row 0 ends and is committed, and the check behind the commit fails while the others are in their calls.
  const failing = payingWork(
    run,
    (index) => (++called.count, index === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, 50))),
    { flushAfterMs: 0, policies: checks },
  );
  await expect(processChunk(pool, failing, again)).rejects.toBe(bug);
  expect(called.count).toBe(CHUNK_ROWS);
  expect(await countersOf(run, again)).toEqual({ attempts: 2 * CHUNK_ROWS, ...paid(2 * CHUNK_ROWS) });

  const last = await mustClaim(run, job);
  expect(
    await processChunk(
      pool,
      payingWork(run, () => Promise.resolve()),
      last,
    ),
  ).toBe("done");
  const repeated = 3 * CHUNK_ROWS - 1;
  expect(await countersOf(run, last)).toEqual({ attempts: repeated, ...paid(repeated) });
  expect(await usesOf(run)).toEqual([{ requests: repeated, costUsd: "7" }]);
});

test("where the work on a chunk fails that goes row by row, what its rows have used is kept for their end", async () => {
  const run = await runIn("running");
  const job = newUuid();
  const chunk = await mustClaim(run, job);
  const bug = new Error("a bug");
  let commits = 0;
  const broken = payingWork(run, () => Promise.resolve());
  // The first row is recorded; the statement of the second is refused for what it would write.
  const commit: ChunkWork["commit"] = (of, results, state) =>
    ++commits === 2 ? Promise.reject(bug) : broken.commit(of, results, state);
  await expect(processChunk(pool, { ...broken, commit }, { ...chunk, deaths: DEATHS_BEFORE_CARE })).rejects.toBe(bug);
  expect(await countersOf(run, chunk)).toEqual({ attempts: 2, ...paid(2) });

  // A row that ends with its call, in a process that stops.
  const again = await mustClaim(run, job);
  const control = new RunControl();
  const stopped = payingWork(
    run,
    (_index, signal) => {
      setImmediate(() => control.abort());
      return untilAborted(signal);
    },
    { control, commit: () => Promise.reject(bug) },
  );
  const retried = payingWork(run, () => Promise.resolve());
  let refusals = 0;
  const refusing: ChunkWork["commit"] = (of, results, state) =>
    ++refusals === 1 ? Promise.reject(bug) : retried.commit(of, results, state);
  const careful = { ...again, deaths: DEATHS_BEFORE_CARE };
  await expect(processChunk(pool, { ...stopped, commit: refusing }, careful)).rejects.toBe(bug);
  expect(await countersOf(run, again)).toEqual({ attempts: 3, ...paid(3) });

  const last = await mustClaim(run, job);
  const recorded: ChunkResults["successes"] = [];
  const ended = await processChunk(
    pool,
    {
      ...retried,
      commit: (of, results, state) => {
        recorded.push(...results.successes);
        return retried.commit(of, results, state);
      },
    },
    { ...last, deaths: DEATHS_BEFORE_CARE },
  );
  expect(ended).toBe("done");
  expect(recorded.map(({ index, attempts, usage }) => [index, attempts, JSON.parse(usage ?? "{}") as object])).toEqual([
    [1, 3, paid(3)],
    [2, 1, PAID],
    [3, 1, PAID],
    [4, 1, PAID],
  ]);
  expect(await usesOf(run)).toEqual([{ requests: CHUNK_ROWS + 2, costUsd: "3.5" }]);
});

/** The first commit fails by a bug, and then the database is away for three tries. */
async function failInOutage(isCommittedAfter: (commit: () => Promise<boolean>) => Promise<boolean>) {
  const run = await runIn("running");
  const chunk = await mustClaim(run, newUuid());
  const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
  const bug = new Error("a bug");
  const lost: ChunkResults["usage"][] = [];
  let commits = 0;
  const broken = payingWork(run, () => Promise.resolve());
  const work: ChunkWork = {
    ...broken,
    commit: (of, results, state) => {
      if (++commits === 1) return Promise.reject(bug);
      return commits < 5 ? Promise.reject(away) : isCommittedAfter(() => broken.commit(of, results, state));
    },
    accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
    lateWrites: createLateWrites(broken.log, { tryAgainMs: 1 }),
  };
  await expect(processChunk(pool, work, chunk)).rejects.toBe(bug);
  await waitFor(() => commits === 5, { what: "the database is back" });
  return { run, chunk, lost };
}

test("what rows have used is kept once the database is back", async () => {
  const { run, chunk, lost } = await failInOutage((commit) => commit());
  await waitFor(async () => (await usesOf(run)).length > 0 && (await countersOf(run, chunk))?.requests === CHUNK_ROWS);
  expect(await countersOf(run, chunk)).toEqual({ attempts: CHUNK_ROWS, ...paid(CHUNK_ROWS) });
  expect(lost).toEqual([]);
});

test("what rows have used is counted apart from them where the claim is lost once the database is back", async () => {
  const { run, lost } = await failInOutage(() => Promise.resolve(false));
  await waitFor(() => lost.length > 0, { what: "it is counted" });
  expect(lost).toMatchObject([paid(CHUNK_ROWS)]);
  expect(await usesOf(run)).toEqual([{ requests: null, costUsd: null }]);
});

test("what is kept of a chunk whose work fails stays where its rows were woken", async () => {
  const run = await runIn("running");
  await pool.query({
    values: [run.id, JSON.stringify({ 0: { attempts: 1, usage: PAID } })],
    text: "update run_chunks set booked = $2 where run_id = $1",
  });
  const chunk = await mustClaim(run, newUuid());
  await pool.query({
    values: [run.id, chunk.chunkNo],
    text: "update run_chunks set not_before = '1999-01-01' where run_id = $1 and chunk_no = $2",
  });
  const bug = new Error("a bug");
  let commits = 0;
  const broken = payingWork(run, () => Promise.resolve());
  const commit: ChunkWork["commit"] = (of, results, state) =>
    ++commits === 1 ? Promise.reject(bug) : broken.commit(of, results, state);
  await expect(processChunk(pool, { ...broken, commit }, chunk)).rejects.toBe(bug);
  // As the turn does.
  await releaseFailedChunk(pool, run.id, { ...chunk, wokenUsage: wokenUsageOf(chunk) }, false);
  const { rows } = await pool.query<{ booked: string }>({
    values: [run.id, chunk.chunkNo],
    text: "select booked from run_chunks where run_id = $1 and chunk_no = $2",
  });
  const once = { attempts: 1, usage: PAID };
  expect(JSON.parse(rows[0]?.booked ?? "{}")).toEqual({
    ...Object.fromEntries(Array.from({ length: CHUNK_ROWS }, (_unused, n) => [n, once])),
    0: { attempts: 2, usage: paid(2) },
  });
});
