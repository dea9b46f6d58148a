import { describe, expect, test } from "vitest";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import { addUsd } from "../../platform/usd.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./try-rows.ts";
import { delayBeforeAttempt } from "./retry-delay.ts";
import { good, noChecks, planOf, rowsUpTo } from "./rows-testing.ts";
import { RunControl } from "./run-control.ts";

const overloaded: RowOutcome = { ok: false, failure: { code: "provider_overloaded", message: "busy" } };
type Reply = (row: InputRow, attempt: number) => RowOutcome;

/** A step that responses row by row, and notes which rows came together. */
function stepOf(respond: Reply) {
  const calls: number[][] = [];
  const attempts = new Map<number, number>();
  return {
    calls,
    maxRowsPerCall: 1000,
    callsAtOnce: 1,
    processRows: (rows: InputRow[], _signal: AbortSignal): Promise<RowOutcome[]> => {
      calls.push(rows.map(({ index }) => index));
      return Promise.resolve(
        rows.map((row) => {
          const attempt = (attempts.get(row.index) ?? 0) + 1;
          attempts.set(row.index, attempt);
          return respond(row, attempt);
        }),
      );
    },
  };
}

async function processAll(plan: RowPlan, rows: InputRow[], control = new RunControl()) {
  const finished: FinishedRowOutcome[] = [];
  for await (const together of processRows(plan, rows, control)) finished.push(...together);
  return finished;
}

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(new Error("aborted"));
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

test("every row ends once, in groups of the plan's size", async () => {
  const step = stepOf(() => good);
  const finished = await processAll(planOf(step, { rowsPerCall: 4 }), rowsUpTo(10));
  expect(finished.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(step.calls.map((call) => call.length)).toEqual([4, 4, 2]);
  expect(finished.every(({ attempts, outcome }) => attempts === 1 && outcome.ok)).toBe(true);
});

test("no rows are no calls", async () => {
  const step = stepOf(() => good);
  expect(await processAll(planOf(step), [])).toEqual([]);
  expect(step.calls).toEqual([]);
});

describe("another attempt", () => {
  test("is made after a transient failure, as often as the policy says, and the last failure stays", async () => {
    const step = stepOf(() => overloaded);
    const [row] = await processAll(planOf(step, { retry: { maxAttempts: 3, initialDelayMs: 0 } }), rowsUpTo(1));
    expect(row).toMatchObject({ attempts: 3, outcome: overloaded });
    expect(step.calls).toHaveLength(3);
  });

  test("may succeed, and the row is then a success", async () => {
    const step = stepOf((row, attempt) => (row.index === 1 && attempt < 3 ? overloaded : good));
    const finished = await processAll(planOf(step), rowsUpTo(3));
    expect(finished.map(({ index, attempts }) => [index, attempts])).toEqual([
      [0, 1],
      [2, 1],
      [1, 3],
    ]);
  });

  test.each<[string, RowOutcome]>([
    ["configuration", { ok: false, failure: { code: "provider_auth_failed", message: "" } }],
    ["input", { ok: false, failure: { code: "content_rejected", message: "" } }],
    ["output", { ok: false, failure: { code: "refused", message: "" } }],
    ["transform", { ok: false, failure: { code: "transform_error", message: "" } }],
    ["http", { ok: false, failure: { code: "http_4xx", message: "" } }],
    [
      "a processor that says no",
      { ok: false, failure: { code: "provider_overloaded", message: "", triedAgain: false } },
    ],
    ["what is known not to pass", { ok: false, failure: { code: "network_error", message: "", retryable: false } }],
    [
      "whoever asks for a pause of a day",
      { ok: false, failure: { code: "provider_rate_limited", message: "", retryAfterMs: 86_400_000 } },
    ],
  ])("is not made after a failure of %s", async (_name, outcome) => {
    const step = stepOf(() => outcome);
    const [row] = await processAll(planOf(step), rowsUpTo(1));
    expect(row).toMatchObject({ attempts: 1, outcome });
    expect(step.calls).toHaveLength(1);
  });

  test("comes after growing pauses with full jitter, never beyond the longest", () => {
    const policy = { maxAttempts: 6, initialDelayMs: 1000, multiplier: 3, maxDelayMs: 4000 };
    const failure = { code: "network_error", message: "" } as const;
    const delays = (chance: number) => [1, 2, 3, 4, 5].map((made) => delayBeforeAttempt(policy, failure, made, chance));
    expect(delays(1)).toEqual([1000, 3000, 4000, 4000, 4000]);
    expect(delays(0.5)).toEqual([500, 1500, 2000, 2000, 2000]);
    expect(delays(0)).toEqual([0, 0, 0, 0, 0]);
    expect(delayBeforeAttempt(policy, failure, 6, 0)).toBeUndefined();
  });

  test("uses the defaults for what a policy leaves out", () => {
    const failure = { code: "network_error", message: "" } as const;
    const delays = [1, 2, 3, 4].map((made) => delayBeforeAttempt({}, failure, made, 1));
    expect(delays).toEqual([1000, 2000, 4000, undefined]);
    expect(delayBeforeAttempt({ maxAttempts: 20 }, failure, 19, 1)).toBe(60_000);
  });

  test("waits at least as long as the other side asks", async () => {
    const startedAt: number[] = [];
    const asking: RowOutcome = { ok: false, failure: { code: "provider_rate_limited", message: "", retryAfterMs: 80 } };
    const step = stepOf((_row, attempt) => {
      startedAt.push(Date.now());
      return attempt === 1 ? asking : good;
    });
    expect(await processAll(planOf(step), rowsUpTo(1))).toMatchObject([{ attempts: 2, outcome: good }]);
    expect((startedAt[1] ?? 0) - (startedAt[0] ?? 0)).toBeGreaterThanOrEqual(79);
  });

  test("does not keep other rows waiting", async () => {
    const step = stepOf((row, attempt) => (row.index === 0 && attempt === 1 ? overloaded : good));
    // The others take no time, and a busy machine takes less than that in between.
    const retry = { initialDelayMs: 1_000, maxDelayMs: 1_000 };
    const finished = await processAll(planOf(step, { retry, random: () => 1, rowsPerCall: 1 }), rowsUpTo(4));
    expect(finished.map(({ index }) => index)).toEqual([1, 2, 3, 0]);
  });
});

test("usage is summed over attempts, costs without rounding", async () => {
  const step = stepOf((_row, attempt) => ({
    ...(attempt < 3 ? overloaded : good),
    usage: { inputTokens: 10, requests: 1, costUsd: "0.1" },
  }));
  const [row] = await processAll(planOf(step), rowsUpTo(1));
  expect(row?.usage).toEqual({ inputTokens: 30, outputTokens: 0, requests: 3, costUsd: "0.3" });
});

test.each([
  ["0", "0", "0"],
  ["0.1", "0.2", "0.3"],
  ["1", "2", "3"],
  ["9.999999", "0.000001", "10"],
  ["0.000000000001", "0", "0.000000000001"],
  ["100", "0", "100"],
])("%s USD and %s USD are %s USD", (a, b, sum) => {
  expect(addUsd(a, b)).toBe(sum);
});

describe("a row's time", () => {
  test("ends it, when it is alone", async () => {
    const step = {
      maxRowsPerCall: 1,
      callsAtOnce: 1,
      processRows: (_rows: InputRow[], signal: AbortSignal) => never(signal),
    };
    const finished = await processAll(planOf(step, { timeoutMs: 30, rowsPerCall: 1 }), rowsUpTo(1));
    expect(finished).toMatchObject([{ attempts: 1, outcome: { ok: false, failure: { code: "row_timeout" } } }]);
  });

  test("is its own: rows of a call that ran out of time are tried one by one", async () => {
    const calls: number[][] = [];
    const step = {
      maxRowsPerCall: 10,
      callsAtOnce: 1,
      processRows(rows: InputRow[], signal: AbortSignal): Promise<RowOutcome[]> {
        calls.push(rows.map(({ index }) => index));
        return rows.some(({ index }) => index === 1) ? never(signal) : Promise.resolve(rows.map(() => good));
      },
    };
    const finished = await processAll(planOf(step, { timeoutMs: 60 }), rowsUpTo(3));
    expect(calls).toEqual([[0, 1, 2], [0], [1], [2]]);
    expect(finished.map(({ index, outcome }) => [index, outcome.ok])).toEqual([
      [0, true],
      [1, false],
      [2, true],
    ]);
  });

  test("counts the pauses: an attempt that could not begin in time is not waited for", async () => {
    const step = stepOf(() => overloaded);
    const retry = { initialDelayMs: 60_000, maxDelayMs: 60_000 };
    const [row] = await processAll(planOf(step, { retry, timeoutMs: 1_000, random: () => 1 }), rowsUpTo(1));
    expect(row).toMatchObject({ attempts: 1, outcome: overloaded });
  });
});

describe("a processor that breaks", () => {
  const breaking = (isBad: (row: InputRow) => boolean) =>
    stepOf((row) => {
      if (isBad(row)) throw new Error("a bug");
      return good;
    });

  test("at one row makes that row a failure, and its neighbours succeed", async () => {
    const errors: unknown[] = [];
    const step = breaking(({ index }) => index === 2);
    const plan = planOf(step, {
      reportError: (error) => errors.push(error),
      retry: { maxAttempts: 2, initialDelayMs: 0 },
    });
    const finished = await processAll(plan, rowsUpTo(4));
    expect(
      Object.fromEntries(finished.map(({ index, outcome }) => [index, outcome.ok ? "ok" : outcome.failure.code])),
    ).toEqual({ 0: "ok", 1: "ok", 2: "internal_error", 3: "ok" });
    expect(errors).toHaveLength(3);
  });

  test("by returning too few outcomes is no better", async () => {
    const errors: unknown[] = [];
    const step = { maxRowsPerCall: 10, callsAtOnce: 1, processRows: () => Promise.resolve([]) };
    const plan = planOf(step, { reportError: (error) => errors.push(error), retry: { maxAttempts: 1 } });
    const finished = await processAll(plan, rowsUpTo(2));
    expect(finished).toMatchObject([
      { index: 0, outcome: { failure: { code: "internal_error" } } },
      { index: 1, outcome: { failure: { code: "internal_error" } } },
    ]);
    expect(errors).toHaveLength(3);
  });
});

describe("an abort", () => {
  test("abandons the rows in flight and keeps those that have ended", async () => {
    const control = new RunControl();
    const step = {
      maxRowsPerCall: 1,
      callsAtOnce: 1,
      processRows(rows: InputRow[], signal: AbortSignal): Promise<RowOutcome[]> {
        if (rows[0]?.index !== 2) return Promise.resolve([good]);
        control.abort();
        return never(signal);
      },
    };
    const finished = await processAll(planOf(step, { rowsPerCall: 1 }), rowsUpTo(5), control);
    expect(finished.map(({ index }) => index)).toEqual([0, 1]);
  });

  test("ends the wait for another attempt at once", async () => {
    const control = new RunControl();
    const step = stepOf(() => {
      setTimeout(() => control.abort(), 5);
      return overloaded;
    });
    const retry = { initialDelayMs: 600_000, maxDelayMs: 600_000 };
    const finished = await processAll(planOf(step, { retry, random: () => 1 }), rowsUpTo(1), control);
    expect(finished).toEqual([]);
  });
});

test("once nothing more may begin, what has begun is brought to its end", async () => {
  const step = stepOf((row, attempt) => (row.index === 0 && attempt < 3 ? overloaded : good));
  const finished: number[] = [];
  const control = new RunControl();
  const retry = { initialDelayMs: 5, maxDelayMs: 5 };
  const plan = planOf(step, { rowsPerCall: 2, retry, random: () => 1 });
  for await (const together of processRows(plan, rowsUpTo(6), control)) {
    finished.push(...together.map(({ index }) => index));
    control.drain("superseded");
  }
  expect(finished).toEqual([1, 0]);
  expect(step.calls).toEqual([[0, 1], [0], [0]]);
});

test("while rows wait, the caller is called, and can commit what has ended", async () => {
  const step = stepOf((row, attempt) => (row.index === 0 && attempt === 1 ? overloaded : good));
  const retry = { initialDelayMs: 1_000, maxDelayMs: 1_000 };
  const sizes: number[] = [];
  for await (const together of processRows(planOf(step, { retry, random: () => 1 }), rowsUpTo(2), new RunControl()))
    sizes.push(together.length);
  expect(sizes[0]).toBe(1);
  expect(sizes.at(-1)).toBe(1);
  expect(sizes.slice(1, -1)).toContain(0);
});

test("rows that the input check refuses never reach the processor", async () => {
  const step = stepOf(() => good);
  const refusal: RowOutcome = { ok: false, failure: { code: "input_schema_invalid", message: "no" } };
  const checks: RowPlan["checks"] = {
    ...noChecks,
    checkInputs: (rows) => Promise.resolve(rows.map((row) => (row.index === 1 ? refusal : undefined))),
  };
  const finished = await processAll(planOf(step, { checks }), rowsUpTo(3));
  expect(step.calls).toEqual([[0, 2]]);
  expect(finished.find(({ index }) => index === 1)).toMatchObject({ attempts: 1, outcome: refusal });
});

test("rows in flight are known to be paid for from their first call that cost something until they are recorded", async () => {
  const seen: boolean[] = [];
  const plan = planOf({
    maxRowsPerCall: 1,
    callsAtOnce: 1,
    processRows: ([row], _signal, clock) => {
      const note = (costUsd: string): void => {
        if (row !== undefined) clock?.noteUsage?.(row, { requests: 1, costUsd });
        seen.push(plan.progress.hasPaid);
      };
      note("0");
      note("0.5");
      return Promise.resolve([good]);
    },
  });
  await processAll(plan, rowsUpTo(1));
  expect(seen).toEqual([false, true]);
  plan.progress.end([0]);
  expect(plan.progress.hasPaid).toBe(false);
});
