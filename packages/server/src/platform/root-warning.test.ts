import { expect, test } from "vitest";
import { warnOfRoot } from "./root-warning.ts";

test.each([
  [0, 1],
  [1000, 0],
])("user %i is warned %i times", (userId, times) => {
  const lines: unknown[] = [];
  warnOfRoot({ warn: (line: unknown) => void lines.push(line) }, userId);
  expect(lines).toHaveLength(times);
});
