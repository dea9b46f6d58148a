/** Rows that wait for another attempt rest: their lane goes on with others, and they where they were. */
import { expect, onTestFinished, test, vi } from "vitest";
import { RowPostponedError } from "../../processors/processor.ts";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import { createCallSlots } from "./call-slots.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { processRows } from "./process-rows.ts";
import { good, planOf, rowsUpTo } from "./rows-testing.ts";
import { RowProgress } from "./row-progress.ts";
import type { PendingRetry } from "./row-progress.ts";
import { RunControl } from "./run-control.ts";
import type { DrainReason } from "./run-control.ts";
import type { FinishedRowOutcome, RowPlan } from "./try-rows.ts";

const RETRY_AFTER_MS = 600_000;
const busy = (retryAfterMs: number): RowOutcome => ({
  ok: false,
  failure: { code: "provider_overloaded", message: "busy", retryAfterMs },
});
const stepThat = (respond: (rows: InputRow[]) => RowOutcome[]) => ({
  maxRowsPerCall: 100,
  callsAtOnce: 1,
  processRows: (rows: InputRow[]): Promise<RowOutcome[]> => Promise.resolve(respond(rows)),
});

async function process(plan: RowPlan, rows: number, control = new RunControl()): Promise<FinishedRowOutcome[]> {
  const finished: FinishedRowOutcome[] = [];
  for await (const together of processRows(plan, rowsUpTo(rows), control)) finished.push(...together);
  return finished;
}

test("where all that is left is due in some minutes, it rests until then, with what was tried", async () => {
  const progress = new RowProgress();
  const step = stepThat((rows) => rows.map(({ index }) => (index === 1 ? busy(RETRY_AFTER_MS) : good)));
  const before = Date.now();
  const finished = await process(planOf(step, { progress }), 3);
  expect(finished.map(({ index }) => index)).toEqual([0, 2]);
  const [resting] = progress.takeAbandoned();
  expect(resting).toMatchObject({ index: 1, attempts: 1, retry: { tries: 1 } });
  expect(resting?.retry?.dueAt).toBeGreaterThanOrEqual(before + RETRY_AFTER_MS);
  expect(progress.restsUntil).toBe(resting?.retry?.dueAt);
});

test("a row that rested has the attempts that are left, and only those are counted again", async () => {
  const retries = new Map<number, PendingRetry>([
    [0, { tries: 3, startedAt: Date.now() - 60_000, dueAt: Date.now() - 50 }],
  ]);
  const step = stepThat((rows) => rows.map(() => busy(0)));
  const [row] = await process(
    planOf(step, { retries, retry: { maxAttempts: 4, initialDelayMs: 0, maxDelayMs: 0 } }),
    1,
  );
  expect(row).toMatchObject({ index: 0, attempts: 1, outcome: { ok: false } });
  expect(row?.durationMs).toBeGreaterThanOrEqual(59_000);
});

test("a row that is not due rests again with what is known of it, without another attempt", async () => {
  const progress = new RowProgress();
  const dueAt = Date.now() + RETRY_AFTER_MS;
  const retries = new Map<number, PendingRetry>([[0, { tries: 1, startedAt: Date.now(), dueAt }]]);
  const step = stepThat((rows) => rows.map(() => good));
  expect((await process(planOf(step, { progress, retries }), 2)).map(({ index }) => index)).toEqual([1]);
  expect(progress.restsUntil).toBe(dueAt);
  expect(progress.takeAbandoned()).toMatchObject([{ index: 0, attempts: 0, retry: { tries: 1, dueAt } }]);
});

test("a row whose time is that of a wrong clock rests for as long as a pause may be, and that is written", async () => {
  const progress = new RowProgress();
  const DAY_MS = 24 * 60 * 60_000;
  const retries = new Map<number, PendingRetry>([[0, { tries: 1, startedAt: Date.now(), dueAt: Date.now() + DAY_MS }]]);
  const step = stepThat((rows) => rows.map(() => good));
  expect(await process(planOf(step, { progress, retries }), 1)).toEqual([]);
  const [kept] = progress.takeAbandoned();
  expect(kept?.retry?.dueAt).toBeLessThanOrEqual(Date.now() + 900_000);
});

test("a clock that is set back while a row waits does not make it wait for longer than it was to wait", async () => {
  const HOURS_MS = 4 * 60 * 60_000;
  const PAUSE_MS = 60_000;
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start + HOURS_MS });
  onTestFinished(() => void vi.useRealTimers());
  const progress = new RowProgress();
  const isSetBack = Promise.withResolvers<RowOutcome[]>();
  const step = {
    maxRowsPerCall: 1,
    callsAtOnce: 2,
    processRows: ([row]: InputRow[]): Promise<RowOutcome[]> =>
      row?.index === 0 ? Promise.resolve([busy(PAUSE_MS)]) : isSetBack.promise,
  };
  const plan = planOf(step, { progress, slots: createCallSlots(() => 2) });
  for await (const finished of processRows(plan, rowsUpTo(2), new RunControl())) {
    if (finished.length > 0) continue;
    vi.setSystemTime(start);
    isSetBack.resolve([good]);
  }
  expect(progress.takeAbandoned()).toMatchObject([{ index: 0, retry: { tries: 1, dueAt: start + PAUSE_MS } }]);
  expect(progress.restsUntil).toBe(start + PAUSE_MS);
});

test("a row that was woken while nothing could begin is due at the next claim", async () => {
  const progress = new RowProgress();
  const retries = new Map<number, PendingRetry>([
    [0, { tries: 1, startedAt: Date.now(), dueAt: Date.now() + RETRY_AFTER_MS }],
  ]);
  const control = new RunControl({ obstacle: () => "turn_over" });
  control.wakeRows(new Date(0));
  const step = stepThat((rows) => rows.map(() => good));
  expect(await process(planOf(step, { progress, retries }), 1, control)).toEqual([]);
  const [kept] = progress.takeAbandoned();
  expect(kept?.retry?.dueAt).toBeLessThanOrEqual(Date.now());
});

test("what a row waits for its turn is taken off its time once, however often its lane leaves meanwhile", async () => {
  const MINUTE_MS = 60_000;
  let retry: PendingRetry = { tries: 1, startedAt: Date.now() - 2 * MINUTE_MS, dueAt: Date.now() - MINUTE_MS };
  const begun = Date.now();
  for (let claim = 0; claim < 4; claim++) {
    const progress = new RowProgress();
    const control = new RunControl();
    const step = {
      maxRowsPerCall: 1,
      callsAtOnce: 1,
      processRows: (): Promise<RowOutcome[]> => {
        control.drain("paused_calls");
        return Promise.reject(new RowPostponedError("nothing_begins"));
      },
    };
    expect(await process(planOf(step, { progress, retries: new Map([[0, retry]]) }), 1, control)).toEqual([]);
    const [kept] = progress.takeAbandoned();
    if (kept?.retry === undefined) throw new Error("the row has not begun");
    ({ retry } = kept);
    expect(retry.dueAt).toBeGreaterThanOrEqual(begun);
  }
  // A minute of its time was its own.
  expect(Date.now() - retry.startedAt).toBeGreaterThanOrEqual(MINUTE_MS);
});

test("a row rests beside one that has not begun where the run is paused, and keeps its attempts", async () => {
  const progress = new RowProgress();
  const control = new RunControl();
  const retries = new Map<number, PendingRetry>([[0, { tries: 2, startedAt: Date.now(), dueAt: Date.now() - 1 }]]);
  const step = {
    maxRowsPerCall: 1,
    callsAtOnce: 1,
    processRows: (): Promise<RowOutcome[]> => {
      control.drain("superseded");
      return Promise.resolve([busy(RETRY_AFTER_MS)]);
    },
  };
  expect(await process(planOf(step, { progress, retries }), 2, control)).toEqual([]);
  expect(control.signal.aborted).toBe(false);
  expect(progress.takeAbandoned()).toMatchObject([{ index: 0, attempts: 1, retry: { tries: 3 } }]);
});

test("a row that is stopped between attempts goes on where it was under the next claim", async () => {
  const progress = new RowProgress();
  const control = new RunControl();
  const step = {
    maxRowsPerCall: 1,
    callsAtOnce: 2,
    processRows: ([row]: InputRow[]): Promise<RowOutcome[]> => {
      if (row?.index === 0) return Promise.resolve([busy(RETRY_AFTER_MS)]);
      setTimeout(() => control.abort(), 50);
      return new Promise(() => undefined);
    },
  };
  const plan = planOf(step, { progress, slots: createCallSlots(() => 2) });
  expect(await process(plan, 2, control)).toEqual([]);
  expect(progress.takeAbandoned()).toMatchObject([{ index: 0, attempts: 1, retry: { tries: 1 } }]);
});

test("a row that rested ends at the run's deadline, as one between two attempts", async () => {
  const control = new RunControl();
  const retries = new Map<number, PendingRetry>([
    [0, { tries: 1, startedAt: Date.now(), dueAt: Date.now() + RETRY_AFTER_MS }],
  ]);
  const deadlineAt = Date.now();
  control.drain("deadline");
  setTimeout(() => control.abort(new DeadlineReachedError()), 50);
  const step = stepThat((rows) => rows.map(() => good));
  const finished = await process(planOf(step, { retries, deadlineAt: () => deadlineAt }), 1, control);
  expect(finished).toMatchObject([{ index: 0, attempts: 0, outcome: { failure: { code: "deadline_exceeded" } } }]);
});

test.each([undefined, "superseded", "policy"] as const)(
  "a row that was tried before rests where the budget is used up, and is not asked for again and again (stopped before: %s)",
  async (before) => {
    const progress = new RowProgress();
    const control = new RunControl();
    const usage = { requests: 1, costUsd: "0.01" };
    let calls = 0;
    const step = {
      maxRowsPerCall: 1,
      callsAtOnce: 1,
      processRows: (): Promise<RowOutcome[]> => {
        if (++calls > 1) return Promise.reject(new RowPostponedError("budget_exhausted"));
        if (before !== undefined) control.drain(before);
        return Promise.resolve([{ ok: false, failure: { code: "provider_overloaded", message: "busy" }, usage }]);
      },
    };
    const retry = { initialDelayMs: 0, maxDelayMs: 0 };
    expect(await process(planOf(step, { progress, retry }), 1, control)).toEqual([]);
    expect(calls).toBe(2);
    expect(control.reason).toBe(before ?? "budget_exhausted");
    expect(progress.takeAbandoned()).toMatchObject([{ index: 0, attempts: 1, usage, retry: { tries: 1 } }]);
  },
);

test("a row that rested goes on where it was once there is money again", async () => {
  const retries = new Map<number, PendingRetry>([[0, { tries: 1, startedAt: Date.now(), dueAt: Date.now() - 1 }]]);
  const progress = new RowProgress();
  const postponed = {
    ...stepThat(() => []),
    processRows: (): Promise<RowOutcome[]> => Promise.reject(new RowPostponedError("budget_exhausted")),
  };
  expect(await process(planOf(postponed, { progress, retries }), 1)).toEqual([]);
  const [kept] = progress.takeAbandoned();
  expect(kept).toMatchObject({ index: 0, attempts: 0, retry: { tries: 1 } });
  if (kept?.retry === undefined) throw new Error("nothing is known of the row");
  const paid = stepThat((rows) => rows.map(() => good));
  const [row] = await process(planOf(paid, { retries: new Map([[0, kept.retry]]) }), 1);
  expect(row).toMatchObject({ index: 0, attempts: 1, outcome: { ok: true } });
});

test("at the end of a turn rows rest that were to be tried alone, and are tried alone later", async () => {
  const progress = new RowProgress();
  let obstacle: DrainReason | undefined;
  const calls: number[] = [];
  const step = {
    ...stepThat(() => []),
    processRows: (rows: InputRow[]): Promise<RowOutcome[]> => {
      calls.push(rows.length);
      obstacle = "turn_over";
      return rows.length > 1 ? Promise.reject(new Error("broken")) : Promise.resolve([good]);
    },
  };
  const plan = planOf(step, { progress, reportError: () => undefined });
  expect(await process(plan, 3, new RunControl({ obstacle: () => obstacle }))).toEqual([]);
  expect(calls).toEqual([3]);
  expect(progress.restsUntil).toBeUndefined();
  const left = progress.takeAbandoned();
  expect(left.map(({ retry }) => retry?.isAlone)).toEqual([true, true, true]);

  obstacle = undefined;
  const retries = new Map(left.flatMap(({ index, retry }) => (retry === undefined ? [] : [[index, retry] as const])));
  const control = new RunControl();
  expect(await process({ ...plan, retries }, 3, control)).toHaveLength(3);
  expect(calls).toEqual([3, 1, 1, 1]);
});

test("a row that waits beside a call that is under way is due when it is woken", async () => {
  const control = new RunControl();
  const isWoken = Promise.withResolvers<RowOutcome[]>();
  let attempts = 0;
  const step = {
    maxRowsPerCall: 1,
    callsAtOnce: 2,
    processRows: ([row]: InputRow[]): Promise<RowOutcome[]> => {
      if (row?.index === 1) return isWoken.promise;
      if (++attempts === 1) return Promise.resolve([busy(RETRY_AFTER_MS)]);
      isWoken.resolve([good]);
      return Promise.resolve([good]);
    },
  };
  const finished: FinishedRowOutcome[] = [];
  for await (const together of processRows(planOf(step, { slots: createCallSlots(() => 2) }), rowsUpTo(2), control)) {
    finished.push(...together);
    if (attempts === 1) control.wakeRows(new Date(0));
  }
  expect(finished.toSorted((a, b) => a.index - b.index)).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
});

test("a run's deadline comes before the next attempt: the chunk is there again before it", async () => {
  const progress = new RowProgress();
  const deadlineAt = Date.now() + 60_000;
  const step = stepThat((rows) => rows.map(() => busy(RETRY_AFTER_MS)));
  expect(await process(planOf(step, { progress, deadlineAt: () => deadlineAt }), 1)).toEqual([]);
  expect(progress.restsUntil).toBe(deadlineAt - 1_000);
});
