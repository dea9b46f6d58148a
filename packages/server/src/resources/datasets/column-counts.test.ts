import { expect, test } from "vitest";
import { ColumnCounts } from "./column-counts.ts";
import { chunksToExamine } from "./column-statistics.ts";
import type { Column } from "./dataset-columns.ts";

const counted = (column: Omit<Column, "name" | "nullCount">, values: readonly unknown[]) => {
  const counts = new ColumnCounts({ name: "c", nullCount: 0, ...column });
  for (const value of values) counts.add(value);
  return counts.describe();
};
const counts = (described: ReturnType<typeof counted>): number[] | undefined =>
  described.histogram?.map(({ count }) => count);

test("whole numbers are not divided, and the greatest is in the last bin", () => {
  const few = counted({ type: "integer", min: 1, max: 5 }, [1, 2, 2, 5, null, undefined]);
  expect(few.histogram?.map(({ from }) => from)).toEqual([1, 2, 3, 4, 5]);
  expect([counts(few), few.nullCount]).toEqual([[1, 2, 0, 0, 1], 2]);
  const many = counted(
    { type: "integer", min: 0, max: 99 },
    Array.from({ length: 100 }, (_, n) => n),
  );
  expect(counts(many)).toEqual(Array(20).fill(5));
});

test("numbers, decimals, dates and timestamps have bins of one width", () => {
  const numbers = counted({ type: "number", min: 0, max: 1 }, [0, 0.5, 1, Infinity]);
  expect([numbers.histogram?.length, counts(numbers)?.[0], counts(numbers)?.[10], counts(numbers)?.[19]]).toEqual([
    20, 1, 1, 1,
  ]);
  expect(counts(counted({ type: "decimal", min: "0.10", max: "0.10" }, ["0.10", "0.10"]))).toEqual([2]);
  const dates = counted({ type: "date", min: "2026-01-01", max: "2026-01-03" }, ["2026-01-01", "2026-01-03"]);
  expect(dates.histogram).toEqual([
    { from: "2026-01-01", to: "2026-01-02", count: 1 },
    { from: "2026-01-02", to: "2026-01-03", count: 0 },
    { from: "2026-01-03", to: "2026-01-04", count: 1 },
  ]);
  const times = counted({ type: "timestamp", min: "2026-01-01T00:00:00Z", max: "2026-01-01T20:00:00+00:00" }, [
    "2026-01-01T01:30:00+01:00",
  ]);
  expect(times.histogram?.[0]).toEqual({
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-01T01:00:00.000Z",
    count: 1,
  });
});

test("texts and booleans have their most frequent values; too many different ones have no number", () => {
  const texts = counted({ type: "string" }, ["b", "a", "b", "x".repeat(500)]);
  expect(texts.frequentValues).toEqual([
    { value: "b", count: 2 },
    { value: "a", count: 1 },
    { value: "x".repeat(100), count: 1 },
  ]);
  expect([texts.distinctValues, texts.histogram]).toEqual([3, null]);
  const many = counted(
    { type: "string" },
    Array.from({ length: 5000 }, (_, n) => `text ${n}`),
  );
  expect([many.distinctValues, many.frequentValues?.length]).toEqual([null, 5]);
  expect(counted({ type: "boolean" }, [true, false, true]).frequentValues).toEqual([
    { value: "true", count: 2 },
    { value: "false", count: 1 },
  ]);
  expect(counted({ type: "mixed" }, [1, "a"])).toMatchObject({ histogram: null, frequentValues: null });
});

test("chunks lie evenly over the dataset, and so do the first of them", () => {
  expect(chunksToExamine(0)).toEqual([]);
  expect(chunksToExamine(3).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  const chosen = chunksToExamine(20_000);
  expect(chosen.length).toBe(40);
  expect(chosen.slice(0, 5)).toEqual([0, 4000, 8000, 12_000, 16_000]);
});
