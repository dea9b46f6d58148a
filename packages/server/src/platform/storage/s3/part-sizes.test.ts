import { expect, test } from "vitest";
import { equalPartBytes, MAX_PARTS, MIN_PART_BYTES, partSizesFor } from "./part-sizes.ts";

const GIB = 1024 ** 3;
const sumOf = (sizes: (n: number) => number, count: number): number =>
  Array.from({ length: count }, (_, n) => sizes(n + 1)).reduce((sum, size) => sum + size, 0);

test("parts are of one size where that is enough, and grow where nobody knows", () => {
  expect(new Set(Array.from({ length: MAX_PARTS }, (_, n) => partSizesFor(50 * GIB)(n + 1)))).toEqual(
    new Set([MIN_PART_BYTES]),
  );
  expect(partSizesFor(undefined)(2_000)).toBe(MIN_PART_BYTES);
  expect(partSizesFor(undefined)(2_001)).toBe(2 * MIN_PART_BYTES);
  expect(sumOf(partSizesFor(undefined), MAX_PARTS)).toBeGreaterThan(480 * GIB);
});

test.each([0, 1, 50 * GIB, 1024 * GIB, 5 * 1024 * GIB])("equal parts are enough for %i bytes", (bytes) => {
  expect(equalPartBytes(bytes) * MAX_PARTS).toBeGreaterThanOrEqual(bytes);
  expect(equalPartBytes(bytes)).toBeGreaterThanOrEqual(MIN_PART_BYTES);
});
