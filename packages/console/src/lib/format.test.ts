import { expect, test } from "vitest";
import { ago, shortDecimal } from "./format.ts";

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
