import { expect, test } from "vitest";
import { checkLine } from "./outputs.ts";
import { threadsFor } from "./thread-pool.ts";

test.each([
  ['{"a":1}', undefined],
  ['"text"', undefined],
  ["", "output_not_json"],
  ['{"a":1', "output_not_json"],
  ["1],[2", "output_not_json"],
  ["undefined", "output_not_json"],
  ['"\\u0000"', "transform_error"],
  ['"\\ud800"', "transform_error"],
  ["[".repeat(65) + "]".repeat(65), "transform_error"],
])("a line %j of a sandbox has the failure %j", (line, code) => {
  expect(checkLine(line)?.code).toBe(code);
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [16, 15],
  [64, 16],
])("%i processors have %i threads for transforms", (processors, threads) => {
  expect(threadsFor(processors)).toBe(threads);
});
