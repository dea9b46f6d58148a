import { expect, test } from "vitest";
import { leastLimit } from "./usable-memory.ts";

test.each([
  { constrained: 0, usable: 1_000 },
  { constrained: 2 ** 64, usable: 1_000 },
  { constrained: 600, usable: 600 },
])("of a machine with 1,000 bytes and a limit of $constrained, $usable are usable", ({ constrained, usable }) => {
  expect(leastLimit(1_000, constrained)).toBe(usable);
});
