import { expect, test } from "vitest";
import { MAX_SAMPLED_ROWS } from "@rowmill/contract/run-estimates";
import { planScopeSample, samplePoints } from "./estimate-sample.ts";

const ascending = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b);

test.each([0, 1, 2, 3, 7, 199, MAX_SAMPLED_ROWS])("of %d rows all are sampled, each once", (rows) => {
  expect(ascending(samplePoints(rows))).toEqual(Array.from({ length: rows }, (_, i) => i));
});

test.each([MAX_SAMPLED_ROWS + 1, 1_000, 123_457, 1_000_000_000])("of %d rows so many are sampled, evenly", (rows) => {
  const points = ascending(samplePoints(rows));
  expect(new Set(points).size).toBe(MAX_SAMPLED_ROWS);
  const gaps = points.map((point, i) => point - (points[i - 1] ?? point - rows / MAX_SAMPLED_ROWS));
  for (const gap of gaps) expect(Math.abs(gap - rows / MAX_SAMPLED_ROWS)).toBeLessThanOrEqual(1);
  expect(points[0]).toBeLessThan(rows / MAX_SAMPLED_ROWS);
  expect(points.at(-1)).toBeGreaterThan(rows - rows / MAX_SAMPLED_ROWS - 1);
});

test("every beginning of a sample is spread over the rows", () => {
  const points = samplePoints(10_000);
  for (const count of [10, 50, 100]) {
    const quarters = [0, 1, 2, 3].map(
      (quarter) => points.slice(0, count).filter((point) => Math.floor(point / 2_500) === quarter).length,
    );
    expect(Math.max(...quarters) - Math.min(...quarters)).toBeLessThanOrEqual(count / 5);
  }
});

test("rows of a scope are found by their place among them", () => {
  expect(planScopeSample({ by: "range", from: 5, to: 8 })).toEqual({ rows: 3, indexes: [5, 7, 6] });
  expect(planScopeSample({ by: "indexes", indexes: [2, 30, 31] })).toEqual({ rows: 3, indexes: [2, 31, 30] });
  const picked = [
    { chunkNo: 0, firstRow: 0, rowCount: 2, positions: Uint16Array.of(3, 9) },
    { chunkNo: 4, firstRow: 40, rowCount: 3, positions: null },
    { chunkNo: 6, firstRow: 60, rowCount: 1, positions: Uint16Array.of(7) },
  ];
  const plan = planScopeSample({ by: "chunks", picked });
  expect([plan.rows, ascending(plan.indexes)]).toEqual([6, [3, 9, 40, 41, 42, 67]]);
});
