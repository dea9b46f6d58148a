import { describe, expect, test } from "vitest";
import { parseRetrySchedule } from "../../platform/parse-retry-schedule.ts";
import { DEFAULT_RETRY_SCHEDULE, nextDelayMs } from "./retry-schedule.ts";

const secondsOf = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
const schedule = [0, 10, 1000];

describe("a schedule is read from a setting", () => {
  test.each([
    ["0,5,300", [0, 5, 300]],
    [" 1 , 2 ", [1, 2]],
    ["0", [0]],
    ["604800", [604_800]],
  ])("%j", (text, expected) => {
    expect(parseRetrySchedule(text)).toEqual(expected);
  });

  test.each(["", "0,,5", "0,5,", "-1", "1.5", "1e3", "0x10", "5s", "604801", "0;5", "NaN", "９"])(
    "%j is refused",
    (text) => {
      expect(() => parseRetrySchedule(text)).toThrow(/whole seconds/);
    },
  );

  test("of at most 50 attempts", () => {
    expect(parseRetrySchedule(Array(50).fill("1").join(","))).toHaveLength(50);
    expect(() => parseRetrySchedule(Array(51).fill("1").join(","))).toThrow(/at most 50/);
  });

  test("and the default survives the way through its text", () => {
    expect(parseRetrySchedule(DEFAULT_RETRY_SCHEDULE.join(","))).toEqual(DEFAULT_RETRY_SCHEDULE);
  });
});

describe("the next attempt", () => {
  test.each([
    ["the first is made at once", 0, undefined, 0.5, 0],
    ["the second waits as the schedule says", 1, undefined, 0.5, 10],
    ["10 % less at the low end", 2, undefined, 0, 900],
    ["10 % more at the high end", 2, undefined, 1, 1100],
    ["no further one after the last", 3, undefined, 0.5, undefined],
    ["not even when asked for", 3, 60, 0.5, undefined],
    ["Retry-After lengthens", 1, 60, 0.5, 60],
    ["Retry-After does not shorten", 2, 60, 0.5, 1000],
    ["Retry-After lengthens no further than a day", 1, 999_999_999, 0.5, 86_400],
    ["an empty schedule has no attempt", 9, 0, 0.5, undefined],
  ])("%s", (_name, attemptsMade, retryAfterSeconds, random, expected) => {
    expect(secondsOf(nextDelayMs({ schedule, attemptsMade, retryAfterSeconds, random }))).toBe(expected);
  });
});
