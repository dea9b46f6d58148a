/** Commits and the work on one chunk, each by hand: what workers do to each other, and what their deaths leave. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Failure, Output, RunRow } from "@rowmill/contract/run-results";
import { newUuid } from "../../platform/ids.ts";
import { RowPostponedError } from "../../processors/processor.ts";
import type { RowOutcome } from "../../processors/processor.ts";
import { numberedRows } from "../../testing/factories.ts";
import { RunControl } from "../rows/run-control.ts";
import { releaseFailedChunk, secondsUntilNextChunk } from "./chunk-deaths.ts";
import { processChunk } from "./process-chunk.ts";
import { rejectUnstorableOutputs } from "./unstorable-outputs.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import type { Process, TestRun } from "./chunks-testing.ts";

const { service, noPolicies, api, pool, runIn, mustClaim, resultsOf, commit, workOf, echo, noAbort, dieAt } =
  await startChunkService();

describe("a commit", () => {
  test("under a claim that was lost writes nothing at all", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const old = await mustClaim(run, job);
    const current = await mustClaim(run, job);
    expect(await commit(run, old, resultsOf({ 0: '"late"', 1: "1" }), "done")).toBe(false);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 0, running: 1 });
    expect(await commit(run, current, resultsOf({ 0: '"in time"' }), "running")).toBe(true);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
    expect(outputs.map(({ data }) => data)).toEqual(["in time"]);
  });

  test("counts what it records, flush by flush", async () => {
    const run = await runIn("running");
    const chunk = await mustClaim(run, newUuid());
    await commit(run, chunk, resultsOf({ 0: "0", 2: "2" }), "running");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 2, running: 1, pending: 12 });
    await commit(run, chunk, resultsOf({ 1: "1", 3: "3", 4: "4" }), "done");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 5, running: 0, pending: 10 });
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.shownId}/rows`);
    expect(rows.map(({ state }) => state)).toEqual([
      ...Array<string>(5).fill("succeeded"),
      ...Array<string>(10).fill("pending"),
    ]);
  });

  test("records outputs that are not JSON, or too deep, as failures", async () => {
    const run = await runIn("running");
    const chunk = await mustClaim(run, newUuid());
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const results = resultsOf({ 0: "0", 1: '{"a":', 2: deep, 3: '{"a":01}', 4: "4" });
    expect(await commit(run, chunk, await rejectUnstorableOutputs(results), "done")).toBe(true);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
    expect(outputs.map(({ index, data }) => [index, data])).toEqual([
      [0, 0],
      [4, 4],
    ]);
    const failures = await readAll<Failure>(api, `/v1/runs/${run.shownId}/failures`);
    expect(failures.map(({ index, code }) => [index, code])).toEqual([
      [1, "output_not_json"],
      [2, "output_not_json"],
      [3, "output_not_json"],
    ]);
    expect(failures[1]?.message).toMatch(/nested deeper than 2000 levels/);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 2, failed: 3 });
  });
});

describe("the work on a chunk", () => {
  test("gives every row its result and leaves the chunk done", async () => {
    const run = await runIn("running");
    expect(await processChunk(pool, workOf(run, echo), await mustClaim(run, newUuid()))).toBe("done");
    const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
    expect(outputs.map(({ data }) => data)).toEqual(numberedRows(CHUNK_ROWS));
  });

  test("commits what has ended also where the clock of its process was set back", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: start + 4 * 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const run = await runIn("running");
    const setBackThenEcho: Process = (rows) => {
      vi.setSystemTime(start);
      return echo(rows, noAbort);
    };
    const states: string[] = [];
    const work = workOf(run, setBackThenEcho, {
      rowsPerCall: () => 1,
      flushAfterMs: 0,
      commit: (chunk, results, state) => {
        states.push(state);
        return commit(run, chunk, results, state);
      },
    });
    expect(await processChunk(pool, work, await mustClaim(run, newUuid()))).toBe("done");
    expect(states).toEqual([...Array<string>(CHUNK_ROWS - 1).fill("running"), "done"]);
  });

  /** As if the pause between two trials was over. */
  const endPause = (run: TestRun) =>
    service.query("update run_chunks set not_before = null where run_id = $1", [run.id]);

  test("a row at which workers die twice with nothing else in flight is abandoned, and no other row is", async () => {
    const run = await runIn("running");
    const job = newUuid();
    expect(await dieAt(run, job, 2)).toEqual([0, 1, 2, 3, 4]);
    expect(await dieAt(run, job, 2)).toEqual([0, 1, 2, 3, 4]);
    // From now on row by row; the suspect comes last.
    expect(await dieAt(run, job, 2)).toEqual([0, 1, 2]);
    expect(await dieAt(run, job, 2)).toEqual([3, 4, 2]);
    const paused = await mustClaim(run, job);
    expect(paused).toMatchObject({ chunkNo: 0, deaths: 4, suspects: { 2: 1 }, isPaused: true });
    expect(await processChunk(pool, workOf(run, echo), paused)).toBe("released");
    expect(await mustClaim(run, newUuid())).toMatchObject({ chunkNo: 1 });
    await endPause(run);
    expect(await dieAt(run, job, 2)).toEqual([2]);
    const chunk = await mustClaim(run, job);
    expect(chunk).toMatchObject({ suspects: { 2: 2 } });
    expect(await processChunk(pool, workOf(run, echo), chunk)).toBe("done");
    const [failure, ...others] = await readAll<Failure>(api, `/v1/runs/${run.shownId}/failures`);
    expect(failure).toMatchObject({ index: 2, code: "poison_row", class: "system", retryable: false, attempts: 3 });
    expect(others).toEqual([]);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 4, failed: 1 });
  });

  test("kills of everything, however many in quick succession, make no row a poison row", async () => {
    const run = await runIn("running");
    const job = newUuid();
    await dieAt(run, job, 0);
    await dieAt(run, job, 0);
    for (let index = 0; index < CHUNK_ROWS; index++) expect(await dieAt(run, job, index)).toEqual([index]);
    // The first suspect is in its trial; the next kill finds no row in flight.
    expect(await dieAt(run, job, 0)).toEqual([0]);
    expect(await processChunk(pool, workOf(run, echo), await mustClaim(run, job))).toBe("released");
    const ends: string[] = [];
    for (let round = 0; round < CHUNK_ROWS; round++) {
      await endPause(run);
      ends.push(await processChunk(pool, workOf(run, echo), await mustClaim(run, newUuid())));
    }
    expect(ends).toEqual(["released", "released", "released", "released", "done"]);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: CHUNK_ROWS, failed: 0 });
  });

  test("an error is no death: the chunk waits, longer each time, and nothing counts against its rows", async () => {
    const run = await runIn("running");
    const pauses: number[] = [];
    for (let failures = 1; failures <= 3; failures++) {
      const chunk = await mustClaim(run, newUuid());
      expect(chunk).toMatchObject({ chunkNo: 0, deaths: 0, suspects: {} });
      const work = workOf(run, echo, { commit: () => Promise.reject(new Error("no space")) });
      await expect(processChunk(pool, work, chunk)).rejects.toThrow("no space");
      // In a transaction no time passes between the two, however busy the machine is.
      const client = await pool.connect();
      await client.query("begin");
      expect(await releaseFailedChunk(client, run.id, chunk, false)).toBe(failures);
      pauses.push((await secondsUntilNextChunk(client, run.id)) ?? 0);
      await client.query("commit");
      client.release();
      expect(await releaseFailedChunk(pool, run.id, chunk, false)).toBeUndefined();
      await endPause(run);
    }
    expect(pauses).toEqual([1, 2, 4]);
    const chunk = await mustClaim(run, newUuid());
    expect(await processChunk(pool, workOf(run, echo), chunk)).toBe("done");
  });

  test("abandoned at the last of the rows that go one by one, the chunk is not done", async () => {
    const run = await runIn("running");
    const job = newUuid();
    await dieAt(run, job, 0);
    await dieAt(run, job, 0);
    const control = new RunControl();
    const process: Process = (rows, signal) => {
      if (rows[0]?.index !== CHUNK_ROWS - 1) return echo(rows, signal);
      control.abort();
      return Promise.reject(new Error("aborted"));
    };
    const work = workOf(run, process, { control });
    expect(await processChunk(pool, work, await mustClaim(run, job))).toBe("released");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 4, running: 0 });
    const chunk = await mustClaim(run, newUuid());
    expect(chunk.chunkNo).toBe(0);
    expect(await processChunk(pool, workOf(run, echo), chunk)).toBe("done");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 5 });
  });

  test("going one by one, a row rests with what it has cost where the money for its next attempt is gone", async () => {
    const run = await runIn("running");
    const job = newUuid();
    await dieAt(run, job, 0);
    await dieAt(run, job, 0);
    let attempts = 0;
    const paid: RowOutcome = {
      ok: false,
      failure: { code: "provider_overloaded", message: "busy" },
      usage: { requests: 1, costUsd: "0.01" },
    };
    const work = workOf(run, () => {
      if (++attempts > 1) throw new RowPostponedError("budget_exhausted");
      return Promise.resolve([paid]);
    });
    work.plan.retry = { initialDelayMs: 0, maxDelayMs: 0 };
    expect(await processChunk(pool, work, await mustClaim(run, job))).toBe("released");
    expect(attempts).toBe(2);
    const { rows, usage } = await getRun(api, run.shownId);
    expect(rows).toMatchObject({ failed: 0, running: 0 });
    expect(usage).toMatchObject({ requests: 1, costUsd: "0.010000" });
    const next = workOf(run, echo);
    expect(await processChunk(pool, next, await mustClaim(run, newUuid()))).toBe("done");
    expect((await getRun(api, run.shownId)).usage).toMatchObject({ requests: 1, costUsd: "0.010000" });
    const [first] = await readAll<{ index: number; attempts: number }>(api, `/v1/runs/${run.shownId}/outputs`);
    expect(first).toMatchObject({ index: 0, attempts: 2 });
  });

  test("what a row has used before it was abandoned is counted at once, and is in its result in the end", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const control = new RunControl();
    const usage = { requests: 1, costUsd: "0.01" };
    const overloaded = { code: "provider_overloaded", message: "", retryAfterMs: 4_000 } as const;
    const first = workOf(
      run,
      (rows) =>
        Promise.resolve(
          rows.map(({ index, text }) =>
            index === 0 ? { ok: false, failure: overloaded, usage } : { ok: true, output: text, usage },
          ),
        ),
      {
        control,
        commit: async (chunk, results, state) => {
          control.abort();
          return commit(run, chunk, results, state);
        },
      },
    );
    expect(await processChunk(pool, first, await mustClaim(run, job))).toBe("released");
    const used = { requests: CHUNK_ROWS, attempts: CHUNK_ROWS, costUsd: "0.050000" };
    expect(await getRun(api, run.shownId)).toMatchObject({ usage: used, rows: { succeeded: CHUNK_ROWS - 1 } });
    const second = workOf(run, (rows) => Promise.resolve(rows.map(({ text }) => ({ ok: true, output: text, usage }))));
    expect(await processChunk(pool, second, await mustClaim(run, job))).toBe("done");
    const ended = await getRun(api, run.shownId);
    expect(ended.usage).toMatchObject({ requests: CHUNK_ROWS + 1, attempts: CHUNK_ROWS + 1, costUsd: "0.060000" });
    const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
    expect(outputs[0]).toMatchObject({ index: 0, attempts: 2, usage: { requests: 2, costUsd: "0.02" } });
    expect(outputs[1]).toMatchObject({ index: 1, attempts: 1, usage: { requests: 1, costUsd: "0.01" } });
    const books = await service.query<{ rows: number; requests: number; costUsd: string }>(
      // Of a run that goes on over midnight, there are two days.
      `select sum(rows)::int as rows, sum(requests)::int as requests, sum(cost_usd)::text as "costUsd" from usage_days where run_id = $1`,
      [run.id],
    );
    expect(books).toEqual([{ rows: CHUNK_ROWS, requests: CHUNK_ROWS + 1, costUsd: "0.06" }]);
  });

  test("rows recorded before a death are not processed again", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const chunk = await mustClaim(run, job);
    await commit(run, chunk, resultsOf({ 1: '"first"', 3: '"first"' }), "running");
    const seen: number[] = [];
    const work = workOf(run, (rows) => {
      seen.push(...rows.map(({ index }) => index));
      return echo(rows, noAbort);
    });
    expect(await processChunk(pool, work, await mustClaim(run, job))).toBe("done");
    expect(seen).toEqual([0, 2, 4]);
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 5 });
  });

  test("a worker that was taken for dead stops when it wants to commit", async () => {
    const run = await runIn("running");
    const job = newUuid();
    const old = await mustClaim(run, job);
    const current = await mustClaim(run, job);
    expect(await processChunk(pool, workOf(run, echo), old)).toBe("lost");
    expect(await processChunk(pool, workOf(run, echo), current)).toBe("done");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 5 });
  });

  test("finished rows are committed while others wait for their next attempt", async () => {
    const run = await runIn("running");
    const control = new RunControl();
    const overloaded: RowOutcome = {
      ok: false,
      failure: { code: "provider_overloaded", message: "", retryAfterMs: 4_000 },
    };
    const commits: [number, string][] = [];
    const work = workOf(
      run,
      (rows) => Promise.resolve(rows.map(({ index, text }) => (index === 0 ? overloaded : { ok: true, output: text }))),
      {
        control,
        commit: async (chunk, results, state) => {
          commits.push([results.successes.length, state]);
          const committed = await commit(run, chunk, results, state);
          if (state === "running") control.abort();
          return committed;
        },
      },
    );
    expect(await processChunk(pool, work, await mustClaim(run, newUuid()))).toBe("released");
    expect(commits).toEqual([
      [4, "running"],
      [0, "pending"],
    ]);
  });

  test("at the end of a turn what has not begun is given back", async () => {
    const run = await runIn("running");
    const work = workOf(run, echo);
    work.rowsPerCall = () => 2;
    work.plan.step = {
      maxRowsPerCall: 2,
      callsAtOnce: 1,
      processRows(rows, signal) {
        work.control.drain("superseded");
        return echo(rows, signal);
      },
    };
    expect(await processChunk(pool, work, await mustClaim(run, newUuid()))).toBe("released");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 2, running: 0, pending: 13 });
  });

  test("stops where the run's policies stop it", async () => {
    const run = await runIn("running");
    const work = workOf(run, echo);
    work.policies = {
      ...noPolicies,
      probeRows: () => 2,
      check: () => Promise.resolve(work.control.drain("policy")),
    };
    expect(await processChunk(pool, work, await mustClaim(run, newUuid()))).toBe("released");
    expect((await getRun(api, run.shownId)).rows).toMatchObject({ succeeded: 2, running: 0, pending: 13 });
  });
});
