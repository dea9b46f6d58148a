import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("a cell is quoted where it must be, and is no formula in a spreadsheet", () => {
  expect(
    toCsv(
      ["name", "cost"],
      [
        ['a "b", c', 1.5],
        ["two\nlines", null],
        ["=HYPERLINK(1)", -3],
        ["＝1", "-1"],
      ],
    ),
  ).toBe('name,cost\n"a ""b"", c",1.5\n"two\nlines",\n\'=HYPERLINK(1),-3\n\'＝1,\'-1\n');
});
