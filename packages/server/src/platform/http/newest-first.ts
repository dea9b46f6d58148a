/**
 * One page of a list with filters, newest first, at a cost that depends neither on the size of the table nor on how rare is
 * what is looked for. An index that ends with the id is in the order of the list only where all columns before the id have
 * one value each. So what the filters mean is spelled out into such ranges: every range gives a page at most, from its
 * beginning, and the newest of what they give are the page.
 */
import type { RawBuilder, Selectable } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import { sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { uuidAt } from "../ids.ts";
import type { Position } from "./cursors.ts";
import { readInParts } from "./pages.ts";

export interface NewestFirst<T extends keyof Tables> {
  table: T;
  organizationId: string;
  /** Columns of ids with one value; those without are left out. */
  is?: { [C in keyof Tables[T]]?: string | undefined };
  /** Columns with all their values that are wanted. Together with `is` they are the columns of an index before the id. */
  in?: { [C in keyof Tables[T]]?: readonly string[] };
  /** What holds for all of the list, and for all of the index. */
  only?: RawBuilder<unknown>;
  /** Of lists whose times are those of the ids. */
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
}

export async function readNewest<
  T extends "runs" | "exports" | "webhookDeliveries" | "alertDeliveries" | "auditEvents" | "bulkActions",
>(db: Queryable, list: NewestFirst<T>, page: Page): Promise<{ rows: Selectable<Tables[T]>[]; next: Position | null }> {
  const idOf = (row: Selectable<Tables[T]>) => (row as { id: string }).id; // every one of these tables has such a column
  return readInParts(
    (part) => readPart(db, list, part),
    page,
    (row) => [idOf(row)],
  );
}

async function readPart<T extends keyof Tables>(
  db: Queryable,
  list: NewestFirst<T>,
  { limit, after }: Page,
): Promise<Selectable<Tables[T]>[]> {
  const table = sql.table(list.table);
  // All values come as rows, also where there is one: of a value that it sees, and finds nearly everywhere, the planner would
  // rather walk the primary key, and might walk long.
  const wanted = [
    ...Object.entries<string | undefined>(list.is ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => ({ column, values: sql`${[value]}::uuid[]` })),
    // A value named twice is one range.
    ...Object.entries<readonly string[] | undefined>(list.in ?? {}).map(([column, values]) => ({
      column,
      values: sql`${[...new Set(values)]}::text[]`,
    })),
  ];
  const conditions = [
    sql`t.organization_id = ${list.organizationId}`,
    ...(list.only === undefined ? [] : [list.only]),
    ...wanted.map(({ column }, i) => sql`t.${sql.ref(column)} = ${sql.ref(`v${i}.value`)}`),
    ...(list.createdAfter === undefined ? [] : [sql`t.id >= ${uuidAt(list.createdAfter)}`]),
    ...(list.createdBefore === undefined ? [] : [sql`t.id < ${uuidAt(list.createdBefore)}`]),
    ...(after === undefined ? [] : [sql`t.id < ${String(after[0])}`]),
  ];
  const from = sql`from ${table} t where ${sql.join(conditions, sql` and `)} order by t.id desc limit ${limit}`;
  const each = wanted.map(({ values }, i) => sql`unnest(${values}) as ${sql.ref(`v${i}`)} (value)`);
  const statement =
    each.length === 0
      ? sql<Selectable<Tables[T]>>`select t.* ${from}`
      : sql<Selectable<Tables[T]>>`
          select * from ${table} where organization_id = ${list.organizationId} and id in (
            select r.id from ${sql.join(each, sql` cross join `)} cross join lateral (select t.id ${from}) r
            order by r.id desc limit ${limit})
          order by id desc`;
  const { rows } = await statement.execute(db);
  return rows;
}
