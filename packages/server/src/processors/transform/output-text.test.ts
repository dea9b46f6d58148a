/** Numbers are written as `String` writes them, without a string. */
import { expect, test } from "vitest";
import { OutputText } from "./output-text.ts";

const text = new OutputText();

function written(write: (text: OutputText) => void): string {
  text.clear();
  text.begin();
  write(text);
  text.finish();
  return text.bytes.toString("latin1");
}

test("whole numbers of 32 bits", () => {
  const powers = Array.from({ length: 32 }, (_unused, bit) => 2 ** bit);
  const tens = Array.from({ length: 10 }, (_unused, digits) => 10 ** digits);
  const near = [...powers, ...tens].flatMap((value) => [value - 1, value, value + 1, -value - 1, -value, 1 - value]);
  const values = [0, -0, ...near].filter((value) => Math.trunc(value) === (value | 0));
  for (const value of values) expect(written((to) => to.integer(value))).toBe(String(value));
});

test("fractions of up to two digits, and all others", () => {
  const hundredths = Array.from({ length: 20_001 }, (_unused, n) => (n - 10_000) / 100);
  const near = [0.005, 0.015, 1.005, 4.35, 0.1 + 0.2, 8.2 * 100, 1 / 3, 99.995, 100.001, 1e-7, 1e-8, 5e-324];
  const large = [21_474_836.46, 21_474_836.47, 21_474_836.48, 21_474_836.5, 1e15 + 0.25, 2 ** 53, 1e21, 1.797e308];
  const beside = [...near, ...large].flatMap((value) => [value, value * (1 + Number.EPSILON), value / 100]);
  for (const value of [...hundredths, ...beside, ...beside.map((some) => -some), -0])
    expect(written((to) => to.number(value))).toBe(String(value));
});

test("what is no number is null", () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) expect(written((to) => to.number(value))).toBe("null");
});
