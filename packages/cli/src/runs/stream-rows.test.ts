import { RowmillConnectionError } from "@rowmill/client";
import { expect, test } from "vitest";
import { streamRows } from "./stream-rows.ts";

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** A list whose streams break off after so many rows. */
const broken = (total: number, rowsEach: number, error: Error) => {
  const opened: number[] = [];
  const open = (fromIndex: number) => ({
    async *stream() {
      opened.push(fromIndex);
      for (let index = fromIndex; index < total; index++) {
        if (index === fromIndex + rowsEach) throw error;
        yield await Promise.resolve({ index });
      }
    },
  });
  return { open, opened };
};

test("a stream that breaks off continues after the last row: each row comes once", async () => {
  const { open, opened } = broken(7, 3, new RowmillConnectionError("broke off"));
  expect(await collect(streamRows(open, 1))).toEqual([1, 2, 3, 4, 5, 6].map((index) => ({ index })));
  expect(opened).toEqual([1, 4]);
});

test("a stream that breaks off before a row came, and an error of the service, end it", async () => {
  const silent = broken(7, 0, new RowmillConnectionError("broke off"));
  await expect(collect(streamRows(silent.open))).rejects.toThrow("broke off");
  expect(silent.opened).toEqual([0]);
  await expect(collect(streamRows(broken(7, 3, new Error("the run is gone")).open))).rejects.toThrow("is gone");
});
