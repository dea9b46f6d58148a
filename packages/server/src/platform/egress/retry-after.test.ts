import { expect, test } from "vitest";
import { parseRetryAfterSeconds } from "./retry-after.ts";

const now = new Date("2026-01-01T00:00:00.500Z");

test.each([
  ["120", 120],
  [" 0 ", 0],
  ["Thu, 01 Jan 2026 00:01:00 GMT", 60],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  [undefined, undefined],
  ["", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["1e9", undefined],
  ["99999999999", undefined],
  ["soon", undefined],
  ["2026-01-01", undefined],
  ["Thu, 99 Foo 2026 99:99:99 GMT", undefined],
  ["120, 240", undefined],
])("Retry-After %j is %j seconds", (header, expected) => {
  expect(parseRetryAfterSeconds(header, now)).toBe(expected);
});
