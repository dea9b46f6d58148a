import type { FailureGroup, Run } from "@rowmill/client";
import { expect, test } from "vitest";
import { slowedSentence } from "./slowed-calls.ts";
import type { SlowedCalls } from "./slowed-calls.ts";
import { createPace } from "./pace.ts";
import { describe, stripOf } from "./progress.ts";

const sample = { datasetRowId: "row_1", index: 0, message: "It does not fit.", failedAt: "2026-11-22T10:00:00.000Z" };
const failed = (code: FailureGroup["code"], count: number): FailureGroup => ({
  code,
  class: "output",
  retryable: false,
  path: null,
  count,
  sample,
});
const noPace = { rowsPerSecond: null, secondsLeft: null, stillSeconds: 0 };
/** What the line is made of. */
const run = (failedRows: number): Pick<Run, "rows" | "usage" | "budget" | "state" | "stateReason"> => ({
  rows: {
    total: 100,
    pending: 40,
    running: 10,
    succeeded: 50 - failedRows,
    failed: failedRows,
    canceled: 0,
    skipped: 0,
  },
  usage: { inputTokens: 1, outputTokens: 1, requests: 50, attempts: 50, unpricedRequests: 0, costUsd: "0.420000" },
  budget: { maxCostUsd: "5.00", onExceeded: "pause" },
  state: "running",
  stateReason: null,
});

test("the rate and the time left are those of the last seconds, also after a pause of an hour", () => {
  let now = 0;
  const pace = createPace(() => now);
  const look = (finished: number) => pace({ finished, total: 1000 });
  expect(look(500)).toEqual(noPace);
  now = 1_000;
  expect(look(600)).toEqual({ rowsPerSecond: 100, secondsLeft: 4, stillSeconds: 0 });
  now = 3_600_000;
  expect(look(600)).toEqual({ rowsPerSecond: 0, secondsLeft: null, stillSeconds: 3_599 });
  now += 2_000;
  expect(look(700)).toEqual({ rowsPerSecond: 50, secondsLeft: 6, stillSeconds: 0 });
  // All rows are there; the run itself is about to end.
  now += 2_000;
  expect(look(1000)).toMatchObject({ rowsPerSecond: 100, secondsLeft: null });
});

test("what is said of failures adds up, and fits the screen", () => {
  const groups = [failed("output_schema_invalid", 8), failed("refused", 3)];
  const pace = { rowsPerSecond: 1234, secondsLeft: 12, stillSeconds: 0 };
  // Two more have failed since the causes were read.
  expect(describe(run(13), groups, pace)).toBe(
    "1,234 rows/s, 12 s left, $0.42 of $5.00, 11 failed: output_schema_invalid 8, refused 3",
  );
  expect(describe(run(13), groups, pace, { columns: 80 })).toBe(
    "1,234 rows/s, 12 s left, $0.42 of $5.00, 11 failed: output_schema_invalid 8",
  );
  expect(describe(run(13), groups, noPace, { columns: 70 })).toBe(
    "$0.42 of $5.00, 11 failed: output_schema_invalid 8, refused 3",
  );
  expect(describe(run(13), groups, pace, { columns: 60 })).toBe("1,234 rows/s, 12 s left, $0.42 of $5.00, 11 failed");
  expect(describe(run(13), groups, pace, { columns: 44 })).toBe("12 s left, $0.42 of $5.00, 11 failed");
  expect(describe(run(13), groups, pace, { columns: 30 })).toBe("12 s left, $0.42, 11 failed");
  expect(describe(run(2), [], noPace)).toBe("$0.42 of $5.00, 2 failed");
});

test("where nothing moves, that is said with how many rows wait, in place of a rate of zero", () => {
  const still = { rowsPerSecond: 0, secondsLeft: null, stillSeconds: 25 };
  expect(describe(run(0), [], still)).toBe("no row has finished for 25 s, 10 in flight, $0.42 of $5.00");
  expect(describe({ ...run(0), state: "paused" }, [], still)).toBe("paused, 0 rows/s, $0.42 of $5.00");
});

test("calls that refusals of the provider hold back are in the line, before the budget, and are left out last", () => {
  const pace = { rowsPerSecond: 2, secondsLeft: 12, stillSeconds: 0 };
  const slowed: SlowedCalls = {
    connectionId: "conn_1",
    name: "small",
    model: "m",
    requestsPerMinute: 120,
    pausedSeconds: 0.5,
    slowedAt: "2026-11-22T10:00:00.000Z",
  };
  expect(describe(run(0), [], pace, { slowed })).toBe(
    "2.0 rows/s, 12 s left, at most 120 calls/min after refusals, $0.42 of $5.00",
  );
  expect(describe(run(0), [], pace, { slowed, columns: 55 })).toBe(
    "12 s left, at most 120 calls/min after refusals, $0.42",
  );
  expect(describe(run(0), [], pace, { slowed, columns: 30 })).toBe("12 s left, $0.42");
  expect(describe(run(0), [], noPace, { slowed: { ...slowed, pausedSeconds: 90 } })).toBe(
    "no call for 90 s after refusals, $0.42 of $5.00",
  );
  const at = Date.parse("2026-11-22T10:00:03.000Z");
  expect(slowedSentence(slowed, at)).toBe(
    '"small" refuses calls of m, or is overloaded (the last time 3 s ago): at most 120 calls a minute begin.',
  );
});

test("a strip has a character for each cell: under way, with failures, done, or waiting", () => {
  const cell = (rows: number, succeeded: number, failed: number, runningChunks: number) => ({
    firstIndex: 0,
    lastIndex: rows - 1,
    chunks: 1,
    runningChunks,
    rows,
    succeeded,
    failed,
  });
  const cells = [cell(10, 10, 0, 0), cell(10, 9, 1, 0), cell(10, 4, 1, 1), cell(10, 0, 0, 1), cell(10, 0, 0, 0)];
  expect(stripOf({ chunks: 5, cells })).toBe("█▓▒▒░");
});
