import { expect, test } from "vitest";
import { formatTable, widthOf } from "./table.ts";

test("characters of two columns, emoji of several parts and marks stand below each other", () => {
  const rows = [
    ["東京タワー", "塔"],
    ["👨‍👩‍👧‍👦 family", "🇩🇪"],
    ["e\u0301te\u0301\u200b", "plain"],
  ];
  expect(formatTable(["name", "kind"], rows, 80).split("\n")).toEqual([
    "name        kind",
    "東京タワー  塔",
    "👨‍👩‍👧‍👦 family   🇩🇪",
    "e\u0301te\u0301         plain",
  ]);
});

test("a cell is cut between two characters that a person sees, and no line is wider than the screen", () => {
  const long = ["東京スカイツリーの展望台からの眺め", "👨‍👩‍👧‍👦".repeat(9), "x".repeat(40)];
  const table = formatTable(["a", "b", "c"], [long], 40).split("\n");
  expect(table.map(widthOf).every((width) => width <= 40)).toBe(true);
  expect(table[1]).toMatch(/^東京スカ.*…\s+(👨‍👩‍👧‍👦)+…\s+x+…$/);
});

test("what turns the direction of text or steers the screen does not reach it", () => {
  expect(formatTable(["a"], [["x\u202e\u001b[2Jy\nz"]], 80)).toBe("a\nxy z");
});
