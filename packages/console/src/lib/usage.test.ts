import { expect, test } from "vitest";
import { costOf, everyDay, groupingOf, rangeOf, totalOf } from "./usage.ts";

const NOW = Date.UTC(2026, 2, 3, 23, 59);
const group = (day: string, costUsd: string | null) => ({
  day,
  costUsd,
  pricedCostUsd: costUsd ?? "0.25",
  rows: 1,
  attempts: 1,
  requests: 2,
  inputTokens: 3,
  outputTokens: 4,
  unpricedRequests: costUsd === null ? 2 : 0,
  tests: { requests: 0, costUsd: "0" },
});

test.each([
  [undefined, "2026-02-02"],
  ["7", "2026-02-25"],
  ["month", "2026-03-01"],
  ["365", "2025-03-04"],
  ["-1", "2026-02-02"],
  ["1e9", "2025-03-04"],
  ["<b>", "2026-02-02"],
])("the range %s begins on %s", (range, from) => {
  expect(rangeOf(range, NOW)).toEqual({ from, to: "2026-03-03" });
});

test("every day of a range is there, over the end of a month, with its usage if it has any", () => {
  const days = everyDay([group("2026-03-01", "1.5")], "2026-02-27", "2026-03-02");
  expect(days.map(({ day, group: own }) => [day, own?.costUsd])).toEqual([
    ["2026-02-27", undefined],
    ["2026-02-28", undefined],
    ["2026-03-01", "1.5"],
    ["2026-03-02", undefined],
  ]);
});

test("a total adds up what has a price, and counts what has none", () => {
  expect(totalOf([group("2026-03-01", "1.5"), group("2026-03-02", null)])).toMatchObject({
    pricedCostUsd: 1.75,
    requests: 4,
    unpricedRequests: 2,
  });
});

test.each([
  ["1.5", 0, "$1.50"],
  ["0", 0, "$0"],
  ["1.5", 2, "at least $1.50"],
  ["0.000000", 2, "not known"],
])("what %s cost beside %i calls without a price is shown as %s", (pricedCostUsd, unpricedRequests, text) => {
  expect(costOf({ pricedCostUsd, unpricedRequests })).toBe(text);
});

test("an unknown grouping is that by day", () => {
  expect([groupingOf("model"), groupingOf("constructor"), groupingOf(undefined)]).toEqual(["model", "day", "day"]);
});
