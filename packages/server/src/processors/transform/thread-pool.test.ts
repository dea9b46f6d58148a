import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { ThreadPool } from "./thread-pool.ts";
import type { ThreadPoolOptions, Urgency } from "./thread-pool.ts";
import { BACKSTOP_CHECKS } from "./transform-limits.ts";

const workOf = (code: string, rows: readonly unknown[]) =>
  ({
    type: "rows",
    sandboxKey: code,
    code,
    text: rows.map((row) => JSON.stringify(row)).join("\n"),
    rowCount: rows.length,
    oneByOne: 0,
    capturesLogs: false,
  }) as const;

const HANGS = "export default () => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);";
const QUICK = "export default (row) => row;";
/** No thread is ended before the test is over. */
const BACKSTOP_MS = 3_600_000;
/** A wait that does not end fails the test earlier than the suite's limit does. */
const LIMIT_MS = 120_000;

const partyOf = (name: string) => ({ organizationId: `org_${name}`, ownerId: `run_${name}` });

/** `started`: the threads, in the order of their start. */
function startPool(options: ThreadPoolOptions) {
  const pool = new ThreadPool({ callBackstopMs: BACKSTOP_MS, ...options });
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on("worker", note);
  onTestFinished(async () => {
    process.off("worker", note);
    await pool.close();
  });
  const ending = new AbortController();
  const ofHanging: Promise<unknown>[] = [];
  return {
    pool,
    started,
    hang: (name: string, urgency: Urgency) =>
      void ofHanging.push(pool.perform(partyOf(name), urgency, workOf(HANGS, [0]), ending.signal).catch(() => null)),
    endHanging: async () => {
      ending.abort();
      await Promise.all(ofHanging);
    },
    compute: async (name: string) => (await pool.perform(partyOf(name), "run", workOf(QUICK, [1]), null)).end.outcome,
  };
}

test(
  "while calls of an organization keep all threads, others have one more between them, which is ended afterwards",
  { timeout: LIMIT_MS },
  async () => {
    const { hang, endHanging, compute, started } = startPool({ threads: 2, reliefKeptMs: 100 });
    hang("a", "run");
    hang("a", "run");
    let hasEnded = false;
    const ofSame = compute("a").finally(() => (hasEnded = true));
    expect(await Promise.all([compute("b"), compute("c"), compute("b")])).toEqual(Array(3).fill("responded"));
    expect(hasEnded).toBe(false);
    expect(started).toHaveLength(3);
    await expect.poll(() => started[2]?.threadId, { timeout: LIMIT_MS }).toBe(-1);

    expect(await compute("b")).toBe("responded");
    expect(hasEnded).toBe(false);
    expect(started).toHaveLength(4);
    await endHanging();
    expect(await ofSame).toBe("responded");
  },
);

test(
  "a test of a job spec that hangs keeps no check of another organization waiting",
  { timeout: LIMIT_MS },
  async () => {
    const { hang, endHanging, pool } = startPool({ threads: 1 });
    hang("a", "interactive");
    const { end } = await pool.perform(partyOf("b"), "interactive", { type: "check", code: QUICK }, null);
    expect(end).toMatchObject({ outcome: "responded", response: { problem: null } });
    await endHanging();
  },
);

test("what a thread has worked does not include the wait for it, by which the next calls would become smaller", async () => {
  // Of one organization, which gets no relief thread.
  const pool = new ThreadPool({ threads: 1 });
  const startedAt = performance.now();
  const [endless, quick] = await Promise.all([
    pool.perform(
      { organizationId: "org_a", ownerId: "run_a" },
      "run",
      workOf("export default () => { while (true); };", [0]),
      null,
    ),
    pool.perform(
      { organizationId: "org_a", ownerId: "run_b" },
      "run",
      workOf("export default (row) => row;", [1]),
      null,
    ),
  ]);
  const elapsedMs = performance.now() - startedAt;
  expect(quick.end.outcome).toBe("responded");
  expect(endless.workedMs + quick.workedMs).toBeLessThanOrEqual(elapsedMs);
  expect(quick.workedMs).toBeGreaterThan(0);
  await pool.close();
});

test("a time in which the whole process is stopped counts as little of a call's time", async () => {
  const backstopMs = 2_000;
  const checkMs = backstopMs / BACKSTOP_CHECKS;
  const pool = new ThreadPool({ threads: 1, callBackstopMs: backstopMs });
  onTestFinished(() => pool.close());
  // The thread has started, so that the call begins at once.
  await pool.perform(partyOf("a"), "run", workOf(QUICK, [1]), null);
  const hanging = pool.perform(partyOf("a"), "run", workOf(HANGS, [0]), null);
  // One check has seen the call by then.
  await sleep(checkMs * 1.5);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, backstopMs * 1.5);
  const goesOnAt = performance.now();
  const { end } = await hanging;
  expect(end).toMatchObject({ outcome: "died", reason: "hung" });
  // Three checks more.
  expect(performance.now() - goesOnAt).toBeGreaterThan(2 * checkMs);
});
