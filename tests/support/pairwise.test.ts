import { expect, test } from "vitest";
import { pairwise } from "./pairwise.ts";

test.each([
  [[["a", "b"]]],
  [[["a"], ["b"]]],
  [
    [
      ["a", "b", "c"],
      ["d", "e"],
      ["f", "g", "h", "i"],
      ["j", "k"],
    ],
  ],
])("each value of a parameter meets each value of every other parameter: %j", (parameters) => {
  const rows = pairwise(parameters);
  for (const [i, values] of parameters.entries())
    for (const [j, others] of parameters.entries())
      for (const a of values)
        for (const b of i === j ? [a] : others) expect(rows.some((row) => row[i] === a && row[j] === b)).toBe(true);
  expect(rows.every((row) => row.length === parameters.length)).toBe(true);
});

test("six parameters of four values need a few dozen combinations, and not 4,096", () => {
  expect(pairwise(Array.from({ length: 6 }, () => [1, 2, 3, 4])).length).toBeLessThan(40);
});
