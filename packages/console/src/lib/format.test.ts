import { expect, test } from "vitest";
import { ago, decimal, preview, rowNumber, shortDecimal, usd, visible } from "./format.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const HOUR = 3600;
const DAY = 24 * HOUR;

test.each([
  [-2, "now"],
  [-7, "7 s ago"],
  [-119, "1 min ago"],
  [-47 * HOUR, "47 h ago"],
  [-3.9 * DAY, "3 days ago"],
  [-400 * DAY, "13 months ago"],
  [-800 * DAY, "2 years ago"],
  [30 * DAY - 20, "in 30 days"],
  [90 * DAY - 20, "in 3 months"],
  [12 * HOUR - 20, "in 12 h"],
])("%d seconds from now are “%s”", (seconds, text) => {
  expect(ago(new Date(NOW + seconds * 1000).toISOString(), NOW)).toBe(text);
});

test("a sum loses the zeros behind its point, and no others", () => {
  expect(["100", "100.000000", "0.040000", "12.50", ""].map(shortDecimal)).toEqual(["100", "100", "0.04", "12.5", ""]);
});

test.each([
  ["0.000000120000", "$0.00000012"],
  ["0.000001", "$0.000001"],
  ["0.00042", "$0.00042"],
  ["0.00996", "$0.01"],
  ["0.1", "$0.10"],
  ["0.000000", "$0"],
  [null, "unknown"],
])("%s is %s", (text, shown) => {
  expect(usd(text)).toBe(shown);
});

test.each([
  ["a family", "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}", undefined],
  ["a flag", "\u{1f3f3}\ufe0f\u200d\u{1f308}", undefined],
  ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", undefined],
  ["Hindi", "\u0915\u094d\u200d\u0937", undefined],
  ["a joiner in an English word", "pay\u200dpal", "pay⟨U+200D⟩pal"],
  ["a joiner at the beginning", "\u200cpaid", "⟨U+200C⟩paid"],
  ["joiners behind each other", "\u0645\u200c\u200c\u062e", "\u0645\u200c⟨U+200C⟩\u062e"],
  ["a text that is turned around", "invoice\u202efdp.exe", "invoice⟨U+202E⟩fdp.exe"],
])("%s shows what cannot be seen, and nothing else", (_, text, shown = text) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  [0, "0"],
  [0.0456, "0.0456"],
  [-0.000001234567, "-1.23E-6"],
  [12.345, "12.3"],
  [1234.56, "1,234.6"],
  [1_000_000, "1,000,000"],
  [-9.876543e19, "-9.88E19"],
])("%d is %s at a glance", (value, shown) => {
  expect(decimal(value)).toBe(shown);
});

test("a text is cut between two characters, and the first row is 1", () => {
  expect(preview("ab\u{1f3ab}cd", 3)).toBe("ab…");
  expect([0, 1233].map(rowNumber)).toEqual(["1", "1,234"]);
});
