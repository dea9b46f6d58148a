/** One page of a list: a row more than asked tells whether there is a next page. */
import type { SelectQueryBuilder } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import type { Tables } from "../database/tables.ts";
import type { Position } from "./cursors.ts";

export async function readPage<DB extends Tables, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
  page: Page,
  positionOf: (row: Row) => Position,
): Promise<{ rows: Row[]; next: Position | null }> {
  const rows = (await query.limit(page.limit + 1).execute()) as Row[]; // Kysely's Simplify of Row is Row
  return cutPage(rows, page, positionOf);
}

export function cutPage<Row>(
  rows: Row[],
  page: Page,
  positionOf: (row: Row) => Position,
): { rows: Row[]; next: Position | null } {
  const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
  return last === undefined ? { rows, next: null } : { rows: rows.slice(0, page.limit), next: positionOf(last) };
}
