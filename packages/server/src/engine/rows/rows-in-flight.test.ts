/** Rows that wait for others: many are under way at once, and each ends by itself. */
import { expect, test } from "vitest";
import { RowPostponedError } from "../../processors/processor.ts";
import type { AttemptClock, RowOutcome, Step } from "../../processors/processor.ts";
import { createCallSlots } from "./call-slots.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./try-rows.ts";
import { good, planOf, rowsUpTo } from "./rows-testing.ts";
import { RunControl } from "./run-control.ts";

/** Calls stay under way until the test ends them. */
function blockedStep() {
  const underWay = new Map<number, (outcome: RowOutcome | Error) => void>();
  const begun: number[] = [];
  const step: Step = {
    maxRowsPerCall: 1,
    callsAtOnce: 64,
    processRows([row], signal) {
      const index = row?.index ?? -1;
      begun.push(index);
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        underWay.set(index, (end) => {
          underWay.delete(index);
          if (end instanceof Error) reject(end);
          else resolve([end]);
        });
      });
    },
  };
  return { step, begun, underWay, end: (index: number, end: RowOutcome | Error = good) => underWay.get(index)?.(end) };
}

const planWith = (step: Step, callsAtOnce: () => number, more: Partial<RowPlan> = {}): RowPlan =>
  planOf(step, { slots: createCallSlots(callsAtOnce), random: () => 0, ...more });

/** What the generator yields next that is not empty. */
async function nextOf(rows: AsyncGenerator<FinishedRowOutcome[]>): Promise<number[] | undefined> {
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return undefined;
    if (next.value.length > 0) return next.value.map(({ index }) => index);
  }
}

test("as many calls are under way as there are slots, and a slow row holds nobody up", async () => {
  const { step, begun, end } = blockedStep();
  const control = new RunControl();
  const plan = planWith(step, () => 3);
  const rows = processRows(plan, rowsUpTo(5), control);
  const first = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  end(1);
  expect(await first).toEqual([1]);
  const second = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  end(3);
  expect(await second).toEqual([3]);
  expect(control.isBeginning).toBe(true);
  const third = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4]);
  expect(control.isBeginning).toBe(false);
  end(4);
  end(2);
  expect((await third)?.toSorted()).toEqual([2, 4]);
  const last = nextOf(rows);
  end(0);
  expect(await last).toEqual([0]);
  expect(await nextOf(rows)).toBeUndefined();
});

test("two chunks share the slots: what one leaves, the other takes", async () => {
  const { step, begun, end } = blockedStep();
  const plan = planWith(step, () => 2);
  const one = processRows(plan, rowsUpTo(2), new RunControl());
  const other = processRows(plan, [{ index: 10, text: "{}" }], new RunControl());
  const fromOne = nextOf(one);
  const fromOther = nextOf(other);
  await expect.poll(() => begun).toEqual([0, 1]);
  end(0);
  expect(await fromOne).toEqual([0]);
  await expect.poll(() => begun).toEqual([0, 1, 10]);
  end(10);
  expect(await fromOther).toEqual([10]);
  const rest = nextOf(one);
  end(1);
  expect(await rest).toEqual([1]);
});

test("fewer slots from now on means that fewer calls are begun", async () => {
  const { step, begun, end } = blockedStep();
  let limit = 3;
  const plan = planWith(step, () => limit);
  const rows = processRows(plan, rowsUpTo(6), new RunControl());
  const first = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  limit = 1;
  end(0);
  expect(await first).toEqual([0]);
  const second = nextOf(rows);
  end(1);
  expect(await second).toEqual([1]);
  expect(begun).toEqual([0, 1, 2]);
  const third = nextOf(rows);
  end(2);
  expect(await third).toEqual([2]);
  const fourth = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  end(3);
  expect(await fourth).toEqual([3]);
});

test("a row that is postponed stays unfinished, no further one is begun, and those under way end", async () => {
  const { step, begun, end } = blockedStep();
  const plan = planWith(step, () => 2);
  const control = new RunControl();
  const rows = processRows(plan, rowsUpTo(4), control);
  const first = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1]);
  end(1, new RowPostponedError("budget_exhausted"));
  end(0);
  expect(await first).toEqual([0]);
  expect(await nextOf(rows)).toBeUndefined();
  expect(begun).toEqual([0, 1]);
  expect([control.reason, control.isBeginning]).toEqual(["budget_exhausted", true]);
});

test("an abort leaves nothing under way, and what had ended is kept", async () => {
  const control = new RunControl();
  const { step, underWay, end } = blockedStep();
  const plan = planWith(step, () => 3);
  const rows = processRows(plan, rowsUpTo(3), control);
  const first = nextOf(rows);
  await expect.poll(() => underWay.size).toBe(3);
  end(0);
  expect(await first).toEqual([0]);
  const second = nextOf(rows);
  control.abort();
  expect(await second).toBeUndefined();
  expect(underWay.size).toBe(2);
  expect(plan.slots.enter()).toBe(true);
});

test("what has ended while the caller was at work is reported, though the work is aborted meanwhile", async () => {
  const control = new RunControl();
  const { step, begun, end } = blockedStep();
  const plan = planWith(step, () => 3);
  const rows = processRows(plan, rowsUpTo(3), control);
  const first = nextOf(rows);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  end(0);
  expect(await first).toEqual([0]);
  end(2);
  await new Promise(setImmediate);
  control.abort();
  expect(await nextOf(rows)).toEqual([2]);
  expect(await nextOf(rows)).toBeUndefined();
});

test("when nothing is to begin any more, rows that wait for their first call are released, and others may end", async () => {
  const begun: string[] = [];
  const control = new RunControl();
  const calls = new Map<number, (outcome: RowOutcome) => void>();
  const step: Step = {
    maxRowsPerCall: 1,
    callsAtOnce: 64,
    async processRows([row], _signal, clock?: AttemptClock) {
      const index = row?.index ?? -1;
      begun.push(String(index));
      // As a limiter does that has a slot for the first row alone.
      const waiting = clock?.nothingBegins;
      if (index !== 0 && waiting !== undefined)
        await clock?.offTheClock(
          () =>
            new Promise((_resolve, reject) => waiting.addEventListener("abort", () => reject(waiting.reason as Error))),
        );
      return new Promise((resolve) => calls.set(index, (outcome) => resolve([outcome])));
    },
  };
  const plan = planWith(step, () => 2);
  const rows = processRows(plan, rowsUpTo(3), control);
  const first = nextOf(rows);
  await expect.poll(() => begun).toEqual(["0", "1"]);
  control.drain("superseded");
  // What was paid for it would be lost without another attempt.
  calls.get(0)?.({ ok: false, failure: { code: "provider_overloaded", message: "busy" } });
  await expect.poll(() => begun).toEqual(["0", "1", "0"]);
  calls.get(0)?.(good);
  expect(await first).toEqual([0]);
  expect(await nextOf(rows)).toBeUndefined();
  expect(control.isBeginning).toBe(true);
  expect(plan.slots.enter()).toBe(true);
  expect(plan.slots.enter()).toBe(true);
});

/** Far above what a busy machine adds to a timeout of 50 ms. */
const OFF_THE_CLOCK_MS = 4_000;

test("what a row waits for its turn is not counted as its time", async () => {
  const waited = Promise.withResolvers<void>();
  const times: boolean[] = [];
  const step: Step = {
    maxRowsPerCall: 1,
    callsAtOnce: 1,
    async processRows(_rows, signal, clock?: AttemptClock) {
      await clock?.offTheClock(() => waited.promise);
      times.push(signal.aborted);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("time"))));
    },
  };
  const plan = planWith(step, () => 1, { timeoutMs: 50 });
  const rows = processRows(plan, rowsUpTo(1), new RunControl());
  const first = rows.next();
  await new Promise((resolve) => setTimeout(resolve, OFF_THE_CLOCK_MS));
  waited.resolve();
  let next = await first;
  while (next.done !== true && next.value.length === 0) next = await rows.next();
  expect(times).toEqual([false]);
  expect(next.value).toMatchObject([{ outcome: { failure: { code: "row_timeout" } } }]);
  const [row] = next.value as FinishedRowOutcome[];
  expect(row?.durationMs).toBeGreaterThanOrEqual(45);
  expect(row?.durationMs).toBeLessThan(OFF_THE_CLOCK_MS);
});
