import { expect, test } from "vitest";
import { rowRate, usd } from "./numbers.ts";

test.each([
  [0, "$0.00"],
  [0.0004, "$0.00040"],
  [0.0000058, "$0.0000058"],
  [0.000000123, "$0.00000012"],
  ["0.000000096", "$0.000000096"],
  [0.0996, "$0.10"],
  [0.42, "$0.42"],
  [1234.5, "$1234.50"],
])("%j US dollars are %s: a small sum is not zero, and has no exponent", (value, text) => {
  expect(usd(value)).toBe(text);
});

test.each([
  [0, "0 rows/s"],
  [0.004, "1 row/min"],
  [0.16, "10 rows/min"],
  [1.04, "1.0 rows/s"],
  [9.84, "9.8 rows/s"],
  [1234.5, "1,235 rows/s"],
])("%j rows a second are %s: rows that take a while have a rate, too", (value, text) => {
  expect(rowRate(value)).toBe(text);
});
