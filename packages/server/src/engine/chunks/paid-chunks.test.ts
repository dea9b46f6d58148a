/** What rows have paid for is counted once, however the work on their chunk ends. */
import { expect, test } from "vitest";
import { newUuid } from "../../platform/ids.ts";
import { RunControl } from "../rows/run-control.ts";
import { DEATHS_BEFORE_CARE } from "./chunk-deaths.ts";
import type { ChunkResults } from "./chunk-results.ts";
import type { ChunkWork } from "./chunk-work.ts";
import { CHUNK_ROWS } from "./chunks-testing.ts";
import { paid, startPaidChunks, untilAborted } from "./paid-chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";

const { pool, runIn, mustClaim, noPolicies, payingWork, countersOf, usesOf } = await startPaidChunks();

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
