/** What one run, or one row, may take from the others: nothing. */
import { describe, expect, test } from "vitest";
import { MAX_CPU_MS, RETIRE_AFTER_ENGINE_FAILURES } from "./transform-limits.ts";
import { createTransformProcessor } from "./transform.ts";
import { config, contextOf, goodRun, results, rowsOf, signal, startProcessors } from "./transform-testing.ts";

/** What all threads together may add to the process: 2 × (64 MiB of sandbox in use, those not collected yet, the heap). */
const RSS_GROWTH_LIMIT_BYTES = 500 * 1024 * 1024;
/** Of two rows each. */
const HANGING_CALLS = 40;

const { run, runBetweenGoodRows } = startProcessors();

describe("between runs", () => {
  test("two organizations with the same code share no state, nor do a test and a run", async () => {
    const alone = createTransformProcessor({ threads: 1 });
    try {
      const code =
        "globalThis.seen ??= []; export default (row) => { globalThis.seen.push(row.who); return globalThis.seen; };";
      expect(results(await run(code, rowsOf([{ who: "a" }]), "org_a", alone))).toEqual([["a"]]);
      expect(results(await run(code, rowsOf([{ who: "b" }]), "org_b", alone))).toEqual([["b"]]);
      expect(results(await alone.testRows(config(code), rowsOf([{ who: "t" }]), contextOf("org_a", "run_t")))).toEqual([
        ["t"],
      ]);
      expect(results(await run(`${code}\n`, rowsOf([{ who: "c" }]), "org_a", alone))).toEqual([["c"]]);
    } finally {
      await alone.close();
    }
  });

  test("a run whose code hangs threads does not keep another run from being computed", async () => {
    // Long enough for a call that is quick, on a busy machine, too.
    const callBackstopMs = 2_000;
    const patient = createTransformProcessor({ threads: 2, callBackstopMs });
    const hanging = "export default () => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);";
    const controller = new AbortController();
    const step = await patient.prepare(config(hanging), contextOf("org_h", "run_h"));
    // Before anything else it hangs once, so that it is known for it.
    expect(results(await step.processRows(rowsOf([{}]), signal))).toEqual(["transform_timeout"]);
    const hangs = Promise.allSettled(
      Array.from({ length: HANGING_CALLS }, () => step.processRows(rowsOf([{}, {}]), controller.signal)),
    );
    const rows = rowsOf(Array.from({ length: 2_000 }, (_, n) => ({ n })));
    const startedAt = performance.now();
    expect(results(await run("export default (row) => row.n;", rows, "org_g", patient))).toEqual(
      rows.map(({ index }) => index),
    );
    // Each of the other rows takes one of two threads for the whole time, on any machine.
    expect(performance.now() - startedAt).toBeLessThan((HANGING_CALLS * 2 * callBackstopMs) / 2 / 2);
    controller.abort();
    expect((await hangs).map(({ status }) => status)).toEqual(Array(HANGING_CALLS).fill("rejected"));
    await patient.close();
  });

  test("thirty memory bombs fail one by one and leave the process of bounded size", async () => {
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    const code =
      "export default (row) => { if (row.n % 2 === 0) return row.n; const a = []; while (true) a.push(new Uint8Array(1 << 20).fill(1)); };";
    const outcomes = await run(code, rowsOf(Array.from({ length: 60 }, (_, n) => ({ n }))));
    clearInterval(watch);
    // Together they have filled four times the limit.
    expect(results(outcomes)).toEqual(Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? n : "transform_memory")));
    expect(most - before).toBeLessThan(RSS_GROWTH_LIMIT_BYTES);
  });

  test("a thread whose engines have failed fifty times is replaced, and what it kept is loaded again", async () => {
    const alone = createTransformProcessor({ threads: 1 });
    try {
      const counting = "let calls = 0; export default () => ++calls;";
      const count = async () => results(await run(counting, rowsOf([{}]), "org_a", alone));
      expect([await count(), await count()]).toEqual([[1], [2]]);
      // More than there is at once: nothing is filled before it fails.
      const bomb = "export default () => new ArrayBuffer(2 ** 30);";
      const bombs = await run(
        bomb,
        rowsOf(Array.from({ length: RETIRE_AFTER_ENGINE_FAILURES }, () => ({}))),
        "org_b",
        alone,
      );
      expect(new Set(results(bombs))).toEqual(new Set(["transform_memory"]));
      expect(await count()).toEqual([1]);
    } finally {
      await alone.close();
    }
  });

  test("code that hoards memory in a global fails no row for the hoard of others", async () => {
    const code =
      "const hoard = []; export default (row) => { hoard.push(new Uint8Array(300_000).fill(1)); return row.n; };";
    const rows = rowsOf(Array.from({ length: 1_000 }, (_, n) => ({ n })));
    expect(results(await run(code, rows))).toEqual(rows.map(({ index }) => index));
  });

  test("an endless row costs its budget twice: once among others and once alone", async () => {
    // The start of a thread is not counted.
    await run(goodRun.code, goodRun.rows);
    const before = process.cpuUsage();
    const outcomes = await runBetweenGoodRows("while (true) { try { null.x } catch {} }");
    const { user, system } = process.cpuUsage(before);
    expect(outcomes.filter(({ ok }) => !ok)).toHaveLength(1);
    expect((user + system) / 1_000).toBeLessThan(3.5 * MAX_CPU_MS);
  });

  test("outputs that are too much for one call are computed in smaller ones", async () => {
    const rows = rowsOf(Array.from({ length: 120 }, (_, n) => ({ n })));
    const outcomes = await run("export default (row) => String(row.n % 10).repeat(1_000_000);", rows);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.output.length : outcome.failure.code))).toEqual(
      Array(120).fill(1_000_002),
    );
  });

  test("more codes than a thread holds are all computed, again and again", async () => {
    const alone = createTransformProcessor({ threads: 1 });
    try {
      for (const round of [1, 2]) {
        const all = Array.from({ length: 20 }, (_, n) =>
          run(`export default (row) => [${n}, row.round];`, rowsOf([{ round }]), "org_a", alone),
        );
        // The second round finds the sandboxes that the first one left.
        expect((await Promise.all(all)).flatMap(results)).toEqual(Array.from({ length: 20 }, (_, n) => [n, round]));
      }
    } finally {
      await alone.close();
    }
  });

  test("a row that breaks the promise of one line is an error of the service, and the next batch works", async () => {
    await expect(run("export default (row) => row;", [{ index: 0, text: '{"a":\n1}' }])).rejects.toThrow(
      "thread broke",
    );
    expect(results(await run(goodRun.code, goodRun.rows))).toEqual([{ sum: "2+2" }]);
  });
});
