import { expect, test } from "vitest";
import { subtractUsd } from "./max-cost.ts";

test.each([
  ["5", [], "5"],
  ["0.50", ["0.000000"], "0.50"],
  ["1", ["0.000180", "0.000000000001"], "0.999819999999"],
  ["10.5", ["0.500000"], "10"],
  ["0.000001", ["0.0000005"], "0.0000005"],
  ["1", ["0.6", "0.4"], undefined],
  ["1", ["2"], undefined],
])("of %s, %j leave %s", (amount, costs, left) => {
  expect(subtractUsd(amount, costs)).toBe(left);
});
