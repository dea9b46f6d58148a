import { expect, test } from "vitest";
import { layoutOf } from "./grid-scroll.ts";

const rowsOf = (count: number) => layoutOf({ count, rowHeight: 34, headHeight: 34 }, 614);
const MANY = 100_000_000;

test("few rows are as high as they are", () => {
  const layout = rowsOf(1000);
  expect(layout).toMatchObject({ isScaled: false, bodyHeight: 34_000, inSight: 614 / 34 - 1 });
  expect(layout.topFor(10)).toBe(340);
  expect(layout.moved({ top: 0, at: 0 }, 357)).toEqual({ top: 357, at: 10.5 });
});

test("of a hundred million rows, a wheel moves as many as of few, and a jump of the bar leads to its place", () => {
  const layout = rowsOf(MANY);
  expect(layout.isScaled).toBe(true);
  const before = { top: layout.topFor(60_000_000), at: 60_000_000 };
  expect(layout.moved(before, before.top + 340).at).toBe(60_000_010);
  expect(layout.moved(before, before.top - 34).at).toBe(59_999_999);
  expect(layout.moved(before, layout.topFor(30_000_000)).at).toBeCloseTo(30_000_000, -1);
});

test("the bar has room before the first and the last row for a wheel to reach them, and stands at its ends for them", () => {
  const layout = rowsOf(MANY);
  const last = MANY - layout.inSight;
  expect(layout.topFor(0)).toBe(0);
  expect(layout.topFor(last)).toBe(8_000_000 - 580);
  for (const rows of [1, 20, 500]) {
    const fromTop = { top: layout.topFor(rows), at: rows };
    expect(layout.moved(fromTop, fromTop.top - rows * 34).at).toBe(0);
    const fromEnd = { top: layout.topFor(last - rows), at: last - rows };
    expect(layout.moved(fromEnd, fromEnd.top + rows * 34).at).toBeCloseTo(last, 5);
    expect(fromTop.top).toBeGreaterThanOrEqual(rows * 34);
    expect(layout.topFor(last) - fromEnd.top).toBeGreaterThanOrEqual(rows * 34 - 1);
  }
});
