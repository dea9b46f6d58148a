import { describe, expect, test } from "vitest";
import { parseRetryAfterMs, retryDelayMs } from "./retry.ts";

describe("Retry-After", () => {
  const now = Date.parse("2026-11-20T09:30:00Z");
  test.each([
    [null, undefined],
    ["0", 0],
    [" 12 ", 12_000],
    ["Fri, 20 Nov 2026 09:30:05 GMT", 5000],
    ["Fri, 20 Nov 2026 09:29:00 GMT", 0],
    ["soon", undefined],
    ["-3x", undefined],
  ])("%j is %j milliseconds", (value, expected) => {
    expect(parseRetryAfterMs(value, now)).toBe(expected);
  });
});

describe("the delay", () => {
  test.each([
    [0, undefined, 1, 500],
    [3, undefined, 1, 4000],
    [30, undefined, 1, 8000],
    [3, undefined, 0, 2000],
    [3, undefined, 0.5, 3000],
    [0, 2000, 0, 2000],
    [0, 2000, 1, 2500],
    [3, 2000, 1, 6000],
    [3, 2000, 0, 2000],
    [0, 120_001, 0, undefined],
  ])("of attempt %d after Retry-After %j with chance %d is %j", (attempt, retryAfterMs, random, expected) => {
    expect(retryDelayMs(attempt, retryAfterMs, random)).toBe(expected);
  });
});
