import { expect, test } from "vitest";
import { CALL_MS, FIRST_CALL_ROWS, MAX_CPU_MS, ROWS_PER_REQUEST } from "./transform-limits.ts";
import { nextRowsPerCall } from "./transform.ts";

/** Of `engine/lanes/turn-lengths.ts`: how long a lane has its place where another run may want it. */
const PLACE_MS = 2_000;

test("the first call of a run is over within two seconds, however slow its code is, and the next one has a row", () => {
  expect(FIRST_CALL_ROWS * MAX_CPU_MS).toBeLessThanOrEqual(PLACE_MS);
  const workedMs = FIRST_CALL_ROWS * MAX_CPU_MS;
  expect(nextRowsPerCall(FIRST_CALL_ROWS, FIRST_CALL_ROWS, workedMs)).toBe(1);
});

test("rows that take a while are as many as fit into the length of a call", () => {
  expect(nextRowsPerCall(100, 100, 2 * CALL_MS)).toBe(50);
  expect(nextRowsPerCall(20, 20, CALL_MS / 2)).toBe(40);
});

test("a call of fewer rows than it may have makes the next ones smaller only where it takes long", () => {
  expect(nextRowsPerCall(2, 1, 0.2)).toBe(8);
  expect(nextRowsPerCall(500, 1, 0.2)).toBe(500);
  expect(nextRowsPerCall(500, 8, CALL_MS - 1)).toBe(500);
  expect(nextRowsPerCall(500, 8, 2 * CALL_MS)).toBe(4);
});

test("fast rows reach the largest call with the fifth one", () => {
  const calls = [FIRST_CALL_ROWS];
  while (calls.length < 5) {
    const rows = calls.at(-1) ?? 0;
    calls.push(nextRowsPerCall(rows, rows, 1));
  }
  expect(calls.at(-1)).toBe(ROWS_PER_REQUEST);
});
