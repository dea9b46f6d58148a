import { describe, expect, test } from "vitest";
import { compareOnce, StuckError, until } from "./findings.ts";

describe("facts compared with what is found", () => {
  test.each<[string, number[], number[], string[]]>([
    ["all there once", [1, 2, 3], [3, 1, 2], []],
    ["one missing", [1, 2, 3], [1, 3], ["lost"]],
    ["one twice", [1, 2], [1, 2, 2], ["doubled"]],
    ["one that nobody made", [1], [1, 7], ["orphan"]],
    ["everything at once", [1, 2, 3], [1, 1, 9], ["lost", "doubled", "orphan"]],
    ["nothing at all", [1], [], ["lost"]],
  ])("%s", (_what, expected, found, kinds) => {
    expect(compareOnce("rows", expected, found).map(({ kind }) => kind)).toEqual(kinds);
  });

  test("a finding names the first few", () => {
    const [finding] = compareOnce("rows", [1, 2, 3, 4, 5, 6, 7], []);
    expect(finding?.what).toBe("rows: 1, 2, 3, 4, 5 and 2 more are missing");
  });
});

test("what does not come in its bound is stuck", async () => {
  await expect(until("the end", 0, () => Promise.resolve(undefined))).rejects.toThrow(StuckError);
});
