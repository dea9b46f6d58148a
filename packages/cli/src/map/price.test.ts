import { expect, test } from "vitest";
import { PRICE_OF_CONNECTION, describePrice, priceOf } from "./price.ts";

const price = { rows: 120, costUsd: { low: 0.0014, high: 2.3 }, seconds: undefined, tokens: 9_000 };
const describe = (maxCost?: string) => describePrice(price, false, PRICE_OF_CONNECTION, maxCost);

test.each([
  ["without a budget", undefined, "120 rows: $0.0014–2.30"],
  ["with a budget that is large enough", "2.30", "120 rows: $0.0014–2.30"],
  ["with a budget within the range", "1", "120 rows: $0.0014 or more, at most $1.00 in all (--max-cost)"],
  ["with a budget below the range", "0.001", "120 rows: $0.0014–2.30, of which --max-cost allows $0.0010"],
])("a price %s", (_, maxCost, said) => {
  expect(describe(maxCost)).toBe(said);
});

test("a budget says nothing of the first rows, which are paid before it", () => {
  expect(describePrice(price, true, PRICE_OF_CONNECTION, "1")).toBe(
    "120 more rows: $0.0014 or more, at most $1.00 for them (--max-cost)",
  );
});

test("what the cache has is shown, and is taken off what the rows that were tried have cost", () => {
  const bounds = { low: 700, expected: 1_000, high: 1_300 };
  const estimate = {
    basis: "limits" as const,
    sampledRows: 200,
    failingSampledRows: 0,
    cachedSampledRows: 180,
    requests: bounds,
    inputTokens: bounds,
    outputTokens: bounds,
    costUsd: { low: "0.01", expected: "1", high: "100" },
    durationSeconds: null,
    unpricedModels: [],
  };
  const called = { costUsd: 0.001, durationMs: 1_000 };
  const tried = [called, called, called, { costUsd: undefined, durationMs: 0, isCached: true }];
  const found = priceOf(10_000, tried, { estimate });
  expect(describePrice(found, true, PRICE_OF_CONNECTION)).toBe(
    "10,000 more rows (the cache has 180 of 200 looked up): $0.67–1.36, 8–26 s",
  );
});
