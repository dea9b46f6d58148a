import { expect, test } from "vitest";
import { compareInstants, isDate, parseTimestamp } from "./text-dates.ts";

test.each(["2024-02-29", "2000-02-29", "1999-12-31", "0001-01-01"])("%s is a date", (text) => {
  expect(isDate(text)).toBe(true);
});

test.each([
  "2023-02-29",
  "1900-02-29",
  "2024-13-01",
  "2024-00-10",
  "2024-04-31",
  "2024-1-01",
  "24-01-01",
  "2024-01-01 ",
  "2024/01/01",
])("%s is no date", (text) => {
  expect(isDate(text)).toBe(false);
});

test.each([
  "2024-01-01T00:00:00Z",
  "2024-01-01t00:00:00z",
  "2024-01-01 00:00:00+02:00",
  "2024-06-30T23:59:60.123456789Z",
])("%s is a timestamp", (text) => {
  expect(parseTimestamp(text)).toBeDefined();
});

test.each([
  "2024-01-01T00:00:00",
  "2024-01-01T24:00:00Z",
  "2024-02-30T00:00:00Z",
  "2024-01-01T00:00Z",
  "2024-01-01T00:00:00.Z",
  "2024-01-01T00:00:00+0200",
  "2024-01-01T00:00:00+24:00",
  `2024-01-01T00:00:00.${"0".repeat(100)}Z`,
])("%s is no timestamp", (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});

test.each([
  ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000001Z"],
  ["2024-01-01T01:00:00+02:00", "2024-01-01T00:00:00Z"],
  ["0050-01-01T00:00:00Z", "1950-01-01T00:00:00Z"],
  ["2024-01-01T00:00:00.09Z", "2024-01-01T00:00:00.1Z"],
])("%s comes before %s", (earlier, later) => {
  const [a, b] = [parseTimestamp(earlier), parseTimestamp(later)];
  if (a === undefined || b === undefined) throw new Error("both are timestamps");
  expect(compareInstants(a, b)).toBeLessThan(0);
  expect(compareInstants(b, a)).toBeGreaterThan(0);
});

test("zeros at the end of a fraction make no difference", () => {
  const [a, b] = [parseTimestamp("2024-01-01T00:00:00.10Z"), parseTimestamp("2024-01-01T00:00:00.1Z")];
  if (a === undefined || b === undefined) throw new Error("both are timestamps");
  expect(compareInstants(a, b)).toBe(0);
});
