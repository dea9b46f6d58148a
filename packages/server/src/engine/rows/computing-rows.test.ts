/** Rows that compute wait for a thread: that is no time of theirs, and it ends when nothing is to begin any more. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { RowPostponedError } from "../../processors/processor.ts";
import type { Step } from "../../processors/processor.ts";
import { config, contextOf, rowsOf } from "../../processors/transform/transform-testing.ts";
import { createTransformProcessor } from "../../processors/transform/transform.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./try-rows.ts";
import { planOf, rowsUpTo } from "./rows-testing.ts";
import { RunControl } from "./run-control.ts";

const HANGS = "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)";
/** No thread is ended before the test is over. */
const BACKSTOP_MS = 3_600_000;
const TIMEOUT_MS = 500;
/** A wait that does not end fails the test earlier than the suite's limit does. */
const LIMIT_MS = 60_000;

async function startPool() {
  const processor = createTransformProcessor({ threads: 1, callBackstopMs: BACKSTOP_MS });
  onTestFinished(() => processor.close());
  const stepOf = (code: string, runId: string): Promise<Step> =>
    processor.prepare(config(code), contextOf("org", runId));
  /** Another run of the organization has the only thread until it is released. */
  async function holdThread(): Promise<() => Promise<void>> {
    const holder = new AbortController();
    const step = await stepOf(`export default () => ${HANGS};`, "run_hanging");
    const ofHolder = step.processRows(rowsOf([{}]), holder.signal).catch(() => undefined);
    return async () => {
      holder.abort();
      await ofHolder;
    };
  }
  return { stepOf, holdThread };
}

async function endsOf(plan: RowPlan, count: number, control = new RunControl()): Promise<FinishedRowOutcome[]> {
  const ended: FinishedRowOutcome[] = [];
  for await (const together of processRows(plan, rowsUpTo(count), control)) ended.push(...together);
  return ended;
}

test("what a row waits for a thread is not counted as its time", { timeout: LIMIT_MS }, async () => {
  const { stepOf, holdThread } = await startPool();
  const step = await stepOf("export default (row) => row.n;", "run");
  const steps: string[] = [];
  const waits = Promise.withResolvers<void>();
  const compute = () =>
    step.processRows(rowsUpTo(1), new AbortController().signal, {
      isTimeUp: () => false,
      async offTheClock(waiting) {
        steps.push("waits");
        waits.resolve();
        return waiting().finally(() => steps.push("has waited"));
      },
    });
  const release = await holdThread();
  const outcomes = compute();
  await waits.promise;
  steps.push("the thread is free");
  await release();
  expect(await outcomes).toEqual([{ ok: true, output: "0" }]);
  expect(steps).toEqual(["waits", "the thread is free", "has waited"]);
  // A thread that has started and is idle makes no row wait.
  expect(await compute()).toEqual([{ ok: true, output: "0" }]);
  expect(steps).toHaveLength(3);
});

test("a row that takes longer than its time fails, when it has a thread", { timeout: LIMIT_MS }, async () => {
  const { stepOf, holdThread } = await startPool();
  const release = await holdThread();
  const plan = planOf(await stepOf(`export default () => ${HANGS};`, "run"), { timeoutMs: TIMEOUT_MS });
  let hasEnded = false;
  const ends = endsOf(plan, 1).finally(() => (hasEnded = true));
  await wait(3 * TIMEOUT_MS);
  expect(hasEnded).toBe(false);
  await release();
  const [row] = await ends;
  expect(row).toMatchObject({ attempts: 1, outcome: { failure: { code: "row_timeout" } } });
});

test.each<[string, (control: RunControl) => void]>([
  ["the run is paused or the turn is over", (control) => control.drain("superseded")],
  ["the run is canceled", (control) => control.abort()],
  ["the run's deadline has passed", (control) => control.abort(new DeadlineReachedError())],
])("rows that wait for a thread are left as they were when %s", { timeout: LIMIT_MS }, async (_, endWith) => {
  const { stepOf, holdThread } = await startPool();
  const release = await holdThread();
  const control = new RunControl();
  const plan = planOf(await stepOf("export default (row) => row.n;", "run"));
  const rows = processRows(plan, rowsUpTo(2), control);
  // They wait: nothing has ended.
  expect(await rows.next()).toEqual({ done: false, value: [] });
  endWith(control);
  const rest: FinishedRowOutcome[][] = [];
  for await (const together of rows) rest.push(together);
  expect(rest.flat()).toEqual([]);
  expect(plan.slots.free()).toBe(1);
  await release();
});

test("a call that is computed in part is computed to its end", { timeout: LIMIT_MS }, async () => {
  const { stepOf, holdThread } = await startPool();
  // Together they take longer than a thread works on one work item.
  const step = await stepOf("export default (row) => { for (let i = 0; i < 2_000_000; i++); return row.n; };", "run");
  const rows = rowsOf(Array.from({ length: 40 }, (_unused, n) => ({ n })));
  const nothingBegins = new AbortController();
  const waitsAgain = Promise.withResolvers<void>();
  let waits = 0;
  const outcomes = step.processRows(rows, new AbortController().signal, {
    nothingBegins: nothingBegins.signal,
    isTimeUp: () => false,
    async offTheClock(waiting) {
      if (++waits === 2) waitsAgain.resolve();
      return waiting();
    },
  });
  const release = await holdThread();
  await waitsAgain.promise;
  nothingBegins.abort(new RowPostponedError("nothing_begins"));
  await release();
  expect((await outcomes).map((outcome) => outcome.ok && outcome.output)).toEqual(rows.map((_row, n) => String(n)));
});
