import { expect, test } from "vitest";
import { laneCallsAtOnce, laneRowsPerCall } from "./lane-calls.ts";
import type { LaneOfRun } from "./lane-calls.ts";

const ROWS_PER_CALL = 10;
const computing = (more: Partial<LaneOfRun> = {}): LaneOfRun => ({
  kind: "computing",
  lane: 0,
  run: { chunkCount: 100, concurrency: null },
  step: { callsAtOnce: 15, maxRowsPerCall: ROWS_PER_CALL },
  turns: 1,
  probeRows: undefined,
  ...more,
});

test.each([
  { turns: 1, calls: 15 },
  { turns: 2, calls: 8 },
  { turns: 4, calls: 4 },
  { turns: 20, calls: 1 },
])("$turns lanes of a process share its 15 threads: $calls calls each", ({ turns, calls }) => {
  expect(laneCallsAtOnce(computing({ turns }))).toBe(calls);
});

test("without threads, rows that compute are one call at a time, and so they are while a run may be broken", () => {
  expect(laneCallsAtOnce(computing({ step: { callsAtOnce: 1, maxRowsPerCall: 500 } }))).toBe(1);
  expect(laneCallsAtOnce(computing({ probeRows: 5 }))).toBe(1);
});

test.each([
  { concurrency: 1, calls: 1, rows: 1 },
  { concurrency: 40, calls: 1, rows: 10 },
  { concurrency: 60, calls: 15, rows: 1 },
  { concurrency: 180, calls: 15, rows: 3 },
  { concurrency: 10_000, calls: 15, rows: 10 },
])(
  "a concurrency of $concurrency is $calls calls of $rows rows for each of its lanes",
  ({ concurrency, calls, rows }) => {
    const lane = computing({ run: { chunkCount: 100, concurrency } });
    expect({ calls: laneCallsAtOnce(lane), rows: laneRowsPerCall(lane) }).toEqual({ calls, rows });
  },
);

test("rows that wait share what the run may have under way, wherever its lanes are", () => {
  const step = { callsAtOnce: 64, maxRowsPerCall: 1 };
  const waiting = computing({ kind: "waiting", step, turns: 4 });
  expect(laneCallsAtOnce(waiting)).toBe(16);
  expect(laneCallsAtOnce({ ...waiting, probeRows: 3 })).toBe(3);
  expect(laneCallsAtOnce({ ...waiting, run: { chunkCount: 100, concurrency: 6 } })).toBe(2);
  expect(laneRowsPerCall(waiting)).toBe(1);
});
