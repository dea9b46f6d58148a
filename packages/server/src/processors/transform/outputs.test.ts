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

const GIB = 1024 ** 3;

test.each([
  [1, 64, 1],
  [2, 64, 2],
  [3, 64, 2],
  [4, 64, 3],
  [16, 64, 15],
  [64, 64, 16],
  [64, 6, 12],
  [64, 1, 4],
])("%i processors and %i GiB have %i threads for transforms", (processors, gib, threads) => {
  expect(threadsFor(processors, gib * GIB)).toBe(threads);
});
