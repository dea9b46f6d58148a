import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readLines } from "./file-lines.ts";

const text = `id,amount\r\n1,20\r\n2,30,${"x".repeat(1000)}\n\n3,"open`;

test.each([
  ["text", new File([text], "orders.csv")],
  ["packed text", new File([gzipSync(text)], "orders.csv.gz")],
])("lines of %s are found by their numbers, the last one too, and long ones are cut", async (_what, file) => {
  const lines = await readLines(file, [2, 3, 4, 5, 9]);
  expect([...lines]).toEqual([
    [2, "1,20"],
    [3, `2,30,${"x".repeat(295)}`],
    [4, ""],
    [5, '3,"open'],
  ]);
});

test("what has no lines is not read", async () => {
  expect((await readLines(new File([text], "orders.parquet"), [2])).size).toBe(0);
  expect((await readLines(new File([text], "orders.csv"), [])).size).toBe(0);
});
