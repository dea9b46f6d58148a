/**
 * One page of a list. It ends at its limit, or earlier at a budget of characters, and the cursor goes on from there: a thousand
 * resources of a megabyte would not fit into memory. The statement counts their sizes, or rows are read in parts, so that the database does
 * not send what would be thrown away. One row more than asked says whether there is a next page.
 */
import type { Page } from "@rowmill/contract/operation";
import type { Position } from "./cursors.ts";

/** Of one page of any list. A page has one item at least, however large. */
export const MAX_PAGE_CHARACTERS = 8_000_000;

/** The first part shows how large the rows are. Each part may turn out to be rows of a megabyte. */
const FIRST_PART_ROWS = 25;
const PART_ROWS = 50;
/** Rows beyond this are read as few at once as the budget still has room for. */
const LARGE_ROW_CHARACTERS = 64 * 1024;

/**
 * A page of rows that were read by one statement, one more than its limit if there are as many: all are small, or the statement has left
 * out what does not fit the page (`fittingPage`).
 */
export function fittedPage<Row>(
  rows: Row[],
  page: Page,
  positionOf: (row: Row) => Position,
): { rows: Row[]; next: Position | null } {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasNext = rows.length > page.limit || isFollowed(last);
  return { rows: shown, next: hasNext && last !== undefined ? positionOf(last) : null };
}

/** A row says that rows behind it were left out, since they would not fit the page. */
const isFollowed = (row: unknown): boolean =>
  typeof row === "object" && row !== null && "isFollowed" in row && row.isFollowed === true;

/** `read` gives the rows after `part.after`, in the order of the list. */
export async function readInParts<Row>(
  read: (part: Page) => Promise<Row[]>,
  page: Page,
  positionOf: (row: Row) => Position,
): Promise<{ rows: Row[]; next: Position | null }> {
  const filling = new FillingPage(page, positionOf);
  let { after } = page;
  for (;;) {
    const limit = Math.min(page.limit + 1 - filling.rows.length, filling.nextPartRows());
    const part = await read({ limit, after });
    const isFull = part.some((row) => !filling.add(row));
    const last = part.at(-1);
    if (isFull) return filling.end(true);
    if (last === undefined || part.length < limit) return filling.end(false);
    after = positionOf(last);
  }
}

/** For lists whose rows are small, and were read at once. */
export function cutPage<Row>(
  rows: readonly Row[],
  page: Page,
  positionOf: (row: Row) => Position,
): { rows: Row[]; next: Position | null } {
  const filling = new FillingPage(page, positionOf);
  return filling.end(rows.some((row) => !filling.add(row)));
}

class FillingPage<Row> {
  readonly rows: Row[] = [];
  readonly #limit: number;
  readonly #positionOf: (row: Row) => Position;
  #characters = 0;
  #largest = 0;

  constructor(page: Page, positionOf: (row: Row) => Position) {
    this.#limit = page.limit;
    this.#positionOf = positionOf;
  }

  /** False: it belongs to the next page. */
  add(row: Row): boolean {
    const characters = charactersOf(row);
    const isFull = this.rows.length > 0 && this.#characters + characters > MAX_PAGE_CHARACTERS;
    if (isFull || this.rows.length >= this.#limit) return false;
    this.rows.push(row);
    this.#characters += characters;
    this.#largest = Math.max(this.#largest, characters);
    return true;
  }

  nextPartRows(): number {
    if (this.rows.length === 0) return FIRST_PART_ROWS;
    if (this.#largest <= LARGE_ROW_CHARACTERS) return PART_ROWS;
    const fitting = Math.ceil((MAX_PAGE_CHARACTERS - this.#characters) / this.#largest);
    return Math.min(FIRST_PART_ROWS, Math.max(1, fitting));
  }

  end(hasNext: boolean): { rows: Row[]; next: Position | null } {
    const last = this.rows.at(-1);
    return { rows: this.rows, next: hasNext && last !== undefined ? this.#positionOf(last) : null };
  }
}

/** About as many as it has as JSON. */
function charactersOf(value: unknown): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let characters = 2;
  for (const [name, member] of Object.entries(value)) characters += name.length + charactersOf(member);
  return characters;
}
