/** Rows in bytes, and the array of some of them. */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { RowLines } from "./row-lines.ts";

const ROWS = ['{"a":1}', "2", '"größe 日本"', "[]"];
const lines = RowLines.split(Buffer.from(ROWS.join("\n")));

function arrayOf(rows: RowLines): string {
  const target = Buffer.alloc(100, "x");
  expect(rows.writeJson(target)).toBe(rows.jsonBytes);
  const text = target.toString("utf8", 0, rows.jsonBytes);
  expect(rows.json).toBe(text);
  expect(target.subarray(rows.jsonBytes).every((byte) => byte === 0x78)).toBe(true);
  return text;
}

test("any rows that follow each other are an array", () => {
  for (let from = 0; from < ROWS.length; from++)
    for (let count = 1; from + count <= ROWS.length; count++)
      expect(arrayOf(lines.slice(from, count))).toBe(`[${ROWS.slice(from, from + count).join(",")}]`);
});

test("part of a part", () => {
  expect(arrayOf(lines.slice(1, 3).slice(1, 5))).toBe(`[${ROWS.slice(2).join(",")}]`);
});

test("rows are counted and measured", () => {
  expect(lines.count).toBe(ROWS.length);
  expect(ROWS.map((_row, at) => lines.bytesOf(at))).toEqual(ROWS.map((row) => Buffer.byteLength(row)));
});
