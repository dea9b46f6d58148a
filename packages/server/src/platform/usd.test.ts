import { describe, expect, test } from "vitest";
import { addUsd, formatUsd, parseUsd, showUsd } from "./usd.ts";

describe("a sum of money", () => {
  test.each([
    ["0", "0.000000"],
    ["1.5", "1.500000"],
    ["12", "12.000000"],
    ["0.0003755", "0.0003755"],
    // The same sum, after an addend with eight places.
    ["0.00037550", "0.0003755"],
    ["0.100000000000", "0.100000"],
  ])("%s is shown as %s", (stored, shown) => {
    expect(showUsd(stored)).toBe(shown);
  });

  test("is exact to twelve places", () => {
    expect(addUsd("0.000000000001", "99999999.999999999999")).toBe("100000000");
    expect(formatUsd(parseUsd("0.1") * 3n)).toBe("0.3");
    expect(formatUsd(-1n)).toBe("-0.000000000001");
  });
});
