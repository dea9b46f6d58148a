/** A chunk whose rows were woken keeps the mark of it until its lane has seen that one. */
import { expect, test } from "vitest";
import { newUuid } from "../../platform/ids.ts";
import { releaseFailedChunk } from "./chunk-deaths.ts";
import { carriedUsageOf, noResults, textOfCarriedUsage, wokenUsageOf } from "./chunk-results.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";
import type { TestRun } from "./chunks-testing.ts";

const { service, pool, runIn, mustClaim, commit, workOf, echo, noPolicies } = await startChunkService();
const [FIRST, SECOND] = [new Date(1_000), new Date(2_000)];
const REST_MS = 600_000;

const wake = (run: TestRun, mark: Date) =>
  service.query("update run_chunks set not_before = $2 where run_id = $1 and chunk_no = 0", [run.id, mark]);

test("a commit ends the wake that its lane has seen, and the chunk rests", async () => {
  const run = await runIn("running");
  await wake(run, FIRST);
  const claimed = await mustClaim(run, newUuid());
  expect(claimed).toMatchObject({ chunkNo: 0, wake: FIRST });
  expect(await commit(run, claimed, { ...noResults(), seenWake: FIRST, restMs: REST_MS }, "pending")).toBe(true);
  expect(await mustClaim(run, newUuid())).toMatchObject({ chunkNo: 1, wake: null });
});

test.each([{ seenWake: FIRST }, { seenWake: null }])(
  "a commit that has seen $seenWake keeps a wake that came later, and the chunk is due",
  async ({ seenWake }) => {
    const run = await runIn("running");
    await wake(run, FIRST);
    const claimed = await mustClaim(run, newUuid());
    await wake(run, SECOND);
    expect(await commit(run, claimed, { ...noResults(), seenWake }, "running")).toBe(true);
    expect(await commit(run, claimed, { ...noResults(), seenWake, restMs: REST_MS }, "pending")).toBe(true);
    expect(await mustClaim(run, newUuid())).toMatchObject({ chunkNo: 0, wake: SECOND });
  },
);

test("only the commit that ends the work on a chunk ends its wake: a worker that dies before leaves it", async () => {
  const run = await runIn("running");
  await wake(run, FIRST);
  const commits: [state: string, seenWake: Date | null][] = [];
  const work = workOf(run, echo, {
    rowsPerCall: () => 1,
    policies: { ...noPolicies, probeRows: () => 1 },
    commit: (chunk, results, state) => {
      commits.push([state, results.seenWake]);
      return commit(run, chunk, results, state);
    },
  });
  expect(await processChunk(pool, work, await mustClaim(run, newUuid()))).toBe("done");
  expect(commits).toEqual([...Array.from({ length: CHUNK_ROWS - 1 }, () => ["running", null]), ["done", FIRST]]);
});

test.each([{ isWoken: true }, { isWoken: false }])(
  "a chunk whose work failed waits for its pause, and then its rows are due where they were woken: $isWoken",
  async ({ isWoken }) => {
    const run = await runIn("running");
    const dueAt = Date.now() + REST_MS;
    const retry = { tries: 1, startedAt: dueAt - REST_MS, dueAt };
    const carriedUsage = textOfCarriedUsage(new Map([[0, { attempts: 1, usage: undefined, retry }]]));
    await service.query("update run_chunks set booked = $2 where run_id = $1 and chunk_no = 0", [run.id, carriedUsage]);
    const claimed = await mustClaim(run, newUuid());
    // While the lane has the chunk.
    if (isWoken) await wake(run, FIRST);
    await releaseFailedChunk(pool, run.id, { ...claimed, wokenUsage: wokenUsageOf(claimed) }, false);
    expect((await mustClaim(run, newUuid())).chunkNo).toBe(1);
    await service.query("update run_chunks set not_before = now() where run_id = $1 and chunk_no = 0", [run.id]);
    const next = await mustClaim(run, newUuid());
    expect(next).toMatchObject({ chunkNo: 0, wake: null });
    const due = carriedUsageOf(next).get(0)?.retry?.dueAt ?? Infinity;
    expect(due <= Date.now()).toBe(isWoken);
  },
);
