/** What rows have paid for is counted once, however the work on their chunk ends. */
import { expect, test } from "vitest";
import type { Step } from "../../processors/processor.ts";
import { newUuid } from "../../platform/ids.ts";
import { planOf } from "../rows/rows-testing.ts";
import { RunControl } from "../rows/run-control.ts";
import { createCallSlots } from "../rows/call-slots.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { DEATHS_BEFORE_CARE, releaseFailedChunk } from "./chunk-deaths.ts";
import { wokenUsageOf } from "./chunk-results.ts";
import type { ChunkResults } from "./chunk-results.ts";
import type { ChunkWork } from "./chunk-work.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import type { TestRun } from "./chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";

const { pool, runIn, mustClaim, workOf, noPolicies } = await startChunkService();

const PAID = { requests: 1, inputTokens: 10, outputTokens: 5, costUsd: "0.5" };
const paid = (times: number) => ({
  requests: times,
  inputTokens: 10 * times,
  outputTokens: 5 * times,
  costUsd: String(0.5 * times),
});

/** Each row calls once, which is paid, and then does what `more` does. */
function payingWork(
  run: TestRun,
  more: (index: number, signal: AbortSignal) => Promise<void>,
  others: Partial<ChunkWork> = {},
): ChunkWork {
  const processRows: Step["processRows"] = (rows, signal, clock) =>
    Promise.all(
      rows.map(async (row) => {
        clock?.noteUsage?.(row, PAID);
        await more(row.index, signal);
        return { ok: true, output: row.text, usage: PAID } as const;
      }),
    );
  const step = { maxRowsPerCall: 1, callsAtOnce: CHUNK_ROWS, processRows };
  const plan = planOf(step, { slots: createCallSlots(() => CHUNK_ROWS), reportError: () => undefined });
  return workOf(run, () => Promise.reject(new Error("not called")), { plan, rowsPerCall: () => 1, ...others });
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

async function countersOf(run: TestRun, { chunkNo }: ClaimedChunk) {
  const { rows } = await pool.query<object>({
    values: [run.id, chunkNo],
    text: `
      select attempts, requests::int, input_tokens::int as "inputTokens", output_tokens::int as "outputTokens", cost_usd::float8::text as "costUsd"
      from run_chunks where run_id = $1 and chunk_no = $2`,
  });
  return rows[0];
}

async function usesOf(run: TestRun): Promise<object[]> {
  const { rows } = await pool.query<{ requests: number }>({
    values: [run.id],
    text: `select sum(requests)::int as requests, sum(cost_usd)::float8::text as "costUsd" from usage_days where run_id = $1`,
  });
  return rows;
}

test("rows that are aborted after a call go on with what it has used", async () => {
  const run = await runIn("running");
  const job = newUuid();
  const control = new RunControl();
  let called = 0;
  const chunk = await mustClaim(run, job);
  const hangs = payingWork(
    run,
    (index, signal) => {
      if (++called === CHUNK_ROWS) control.abort();
      return index === 0 ? Promise.resolve() : untilAborted(signal);
    },
    { control },
  );
  expect(await processChunk(pool, hangs, chunk)).toBe("released");
  expect(await countersOf(run, chunk)).toEqual({ attempts: CHUNK_ROWS, ...paid(CHUNK_ROWS) });

  const again = await mustClaim(run, job);
  expect(again.chunkNo).toBe(chunk.chunkNo);
  let recorded: ChunkResults["successes"] = [];
  const work = payingWork(run, () => Promise.resolve());
  const commit: ChunkWork["commit"] = (of, results, state) => {
    recorded = [...recorded, ...results.successes];
    return work.commit(of, results, state);
  };
  expect(await processChunk(pool, { ...work, commit }, again)).toBe("done");
  expect(
    recorded.map(({ index, attempts, usage }) => ({ index, attempts, usage: JSON.parse(usage ?? "{}") as object })),
  ).toEqual(Array.from({ length: CHUNK_ROWS - 1 }, (_unused, n) => ({ index: n + 1, attempts: 2, usage: paid(2) })));
  expect(await countersOf(run, again)).toEqual({ attempts: 2 * CHUNK_ROWS - 1, ...paid(2 * CHUNK_ROWS - 1) });
  expect(await usesOf(run)).toEqual([{ requests: 2 * CHUNK_ROWS - 1, costUsd: "4.5" }]);
});

test("what was paid under a claim that is lost is counted apart from its rows, also of calls under way", async () => {
  const run = await runIn("running");
  const chunk = await mustClaim(run, newUuid());
  const lost: ChunkResults["usage"][] = [];
  const isLost = Promise.withResolvers<void>();
  const work = payingWork(
    run,
    async (index) => {
      // Rows 0 and 1 end, and are committed under a claim that is lost; the others respond a moment later.
      if (index > 1) await isLost.promise;
    },
    {
      flushAfterMs: 0,
      accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
      commit: () => {
        isLost.resolve();
        return Promise.resolve(false);
      },
    },
  );
  expect(await processChunk(pool, work, chunk)).toBe("lost");
  expect(lost).toEqual([{ attempts: CHUNK_ROWS, unpricedRequests: 0, ...paid(CHUNK_ROWS), costUsd: "2.5" }]);
});

test("rows that end while the chunk is aborted are counted once where their commit finds that the claim is lost", async () => {
  const run = await runIn("running");
  const chunk = await mustClaim(run, newUuid());
  const lost: ChunkResults["usage"][] = [];
  const control = new RunControl();
  let called = 0;
  const work = payingWork(
    run,
    async (index, signal) => {
      if (++called === CHUNK_ROWS) setImmediate(() => control.abort());
      // The first row takes its end for one, as a call does whose response is lost.
      await untilAborted(signal).catch((error: unknown) => {
        if (index !== 0) throw error;
      });
    },
    {
      control,
      flushAfterMs: 0,
      accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
      commit: () => Promise.resolve(false),
    },
  );
  expect(await processChunk(pool, work, chunk)).toBe("lost");
  expect(lost).toEqual([{ attempts: CHUNK_ROWS, unpricedRequests: 0, ...paid(CHUNK_ROWS), costUsd: "2.5" }]);
});

test("what was paid is counted where the work on a chunk fails and its claim is lost as well", async () => {
  const run = await runIn("running");
  const chunk = await mustClaim(run, newUuid());
  const lost: ChunkResults["usage"][] = [];
  const bug = new Error("a bug");
  let commits = 0;
  // The first row is recorded, and the check behind its commit fails; another worker has the chunk by then.
  const work = payingWork(run, (index) => (index === 0 ? Promise.resolve() : new Promise(setImmediate)), {
    flushAfterMs: 0,
    policies: { ...noPolicies, check: () => Promise.reject(bug) },
    accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
    commit: () => Promise.resolve(++commits === 1),
  });
  await expect(processChunk(pool, work, chunk)).rejects.toBe(bug);
  expect(commits).toBe(2);
  expect(lost).toMatchObject([paid(CHUNK_ROWS - 1)]);
});

/** A chunk at which workers have died goes row by row. */
const ways = [
  ["together", 0],
  ["row by row", DEATHS_BEFORE_CARE],
] as const;

test.each(ways)("a commit that was never sent is counted where the claim is lost, of rows %s", async (_, deaths) => {
  const run = await runIn("running");
  const chunk = await mustClaim(run, newUuid());
  const lost: ChunkResults["usage"][] = [];
  let tries = 0;
  const work = payingWork(run, () => Promise.resolve(), {
    accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
    commit: () => {
      if (++tries === 1) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
      return Promise.resolve(false);
    },
  });
  expect(await processChunk(pool, work, { ...chunk, deaths })).toBe("lost");
  expect(lost).toMatchObject([paid(deaths === 0 ? CHUNK_ROWS : 1)]);
});

test.each(ways)(
  "a commit that may have been made is not counted again where the claim is lost, of rows %s",
  async (_, deaths) => {
    const run = await runIn("running");
    const chunk = await mustClaim(run, newUuid());
    const lost: ChunkResults["usage"][] = [];
    let tries = 0;
    const work = payingWork(run, () => Promise.resolve(), {
      accountLost: (_chunk, usage) => Promise.resolve(void lost.push(usage)),
      commit: () => {
        if (++tries === 1) throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
        return Promise.resolve(false);
      },
    });
    expect(await processChunk(pool, work, { ...chunk, deaths })).toBe("lost");
    expect(lost.filter(({ requests }) => requests > 0)).toEqual([]);
  },
);

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
