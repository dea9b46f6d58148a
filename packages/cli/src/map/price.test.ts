import { expect, test } from "vitest";
import { PRICE_OF_CONNECTION, describePrice } from "./price.ts";

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
