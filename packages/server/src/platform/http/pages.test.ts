import { expect, test } from "vitest";
import type { Page } from "@rowmill/contract/operation";
import { MAX_PAGE_CHARACTERS, cutPage, fittedPage, readInParts } from "./pages.ts";

interface Row {
  id: number;
  text: string;
}

/** Rows by their sizes, and the parts in which they were read. */
function table(sizes: readonly number[]) {
  const parts: number[] = [];
  return {
    parts,
    read: ({ limit, after }: Page): Promise<Row[]> => {
      const from = after === undefined ? 0 : Number(after[0]) + 1;
      const rows = sizes.slice(from, from + limit).map((size, i) => ({ id: from + i, text: "x".repeat(size) }));
      parts.push(rows.length);
      return Promise.resolve(rows);
    },
  };
}

const idOf = (row: Row): [number] => [row.id];
const largest = 1024 * 1024;

async function readAll(sizes: readonly number[], limit: number) {
  const { read, parts } = table(sizes);
  const pages: number[][] = [];
  let after: Page["after"];
  for (;;) {
    const { rows, next } = await readInParts(read, { limit, after }, idOf);
    pages.push(rows.map(({ id }) => id));
    if (next === null) return { pages, parts };
    after = next;
  }
}

test.each([0, 1, 24, 25, 26, 74, 75, 76, 200])("every one of %i small rows is on one page", async (count) => {
  for (const limit of [1, 25, 75, 1_000]) {
    const { pages } = await readAll(Array<number>(count).fill(100), limit);
    expect(pages.flat()).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(pages).toHaveLength(Math.max(1, Math.ceil(count / limit)));
  }
});

test("a page of large rows ends at the budget, goes on behind it, and reads little more than it gives", async () => {
  const { pages, parts } = await readAll(Array<number>(40).fill(largest), 1_000);
  expect(pages.flat()).toEqual(Array.from({ length: 40 }, (_, id) => id));
  expect(Math.max(...pages.map((page) => page.length))).toBe(Math.floor(MAX_PAGE_CHARACTERS / largest));
  expect(Math.max(...parts)).toBe(25);
});

test("large rows behind small ones are not read all at once", async () => {
  const sizes = [...Array<number>(25).fill(10), ...Array<number>(100).fill(largest)];
  const { pages, parts } = await readAll(sizes, 1_000);
  expect(pages.flat()).toHaveLength(125);
  expect(Math.max(...parts)).toBe(50);
});

test("a page of rows that one statement has bounded continues behind the last of them", () => {
  const page = (rows: object[], limit: number) => {
    const found = rows.map((row, id) => ({ id, ...row }));
    const { rows: shown, next } = fittedPage(found, { limit, after: undefined }, ({ id }) => [id]);
    return [shown.map(({ id }) => id), next];
  };
  expect(page([], 2)).toEqual([[], null]);
  expect(page([{}, {}], 2)).toEqual([[0, 1], null]);
  expect(page([{}, {}, {}], 2)).toEqual([[0, 1], [1]]);
  // The statement has left out what is behind the second.
  expect(page([{ isFollowed: true }, { isFollowed: true }], 5)).toEqual([[0, 1], [1]]);
  expect(page([{ isFollowed: true }, { isFollowed: false }], 5)).toEqual([[0, 1], null]);
});

test("a row larger than the budget is a page of its own", async () => {
  const { pages } = await readAll([10, MAX_PAGE_CHARACTERS + 1, MAX_PAGE_CHARACTERS + 1, 10], 100);
  expect(pages).toEqual([[0], [1], [2], [3]]);
});

test("rows that were read at once are cut by the same budget, members of every kind included", () => {
  const row = (id: number) => ({ id, at: new Date(), metadata: { list: ["y".repeat(MAX_PAGE_CHARACTERS / 2)] } });
  const { rows, next } = cutPage([row(1), row(2), row(3)], { limit: 100, after: undefined }, ({ id }) => [id]);
  expect(rows.map(({ id }) => id)).toEqual([1]);
  expect(next).toEqual([1]);
});
