/**
 * One page of a list, newest first, at a cost that depends neither on the size of the table nor on how rare is what is looked
 * for, and with one plan, whether the table has statistics, old ones or none:
 *
 * 1. What the filters mean is spelled out into ranges of one index, in each of which the index is in the order of the list.
 *    Every range gives a page at most, from its beginning, and the newest of what they give are the page.
 * 2. A range has one value for each column of its index but the last. The statements are planned without sorts, bitmaps and
 *    scans of tables (`BIND_TO_LIST`), so that an index has to be in their order. That would be any index with the id behind some of
 *    the columns; so each index of a list ends with an expression that only its own statement repeats at the end of its order:
 *    `indexName`. No estimate is left that could decide for another index.
 * 3. Rows are looked up one by one, by the ids that were found, each as a range of one id in the order of the ids: that order has the
 *    primary key alone. By equality, any index with the id somewhere behind the organization would serve, and be read as a whole.
 */
import type { RawBuilder, Selectable } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import { executeList, sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { LAST_UUID, NIL_UUID, uuidAt, uuidBefore } from "../ids.ts";
import type { Position } from "./cursors.ts";
import { MAX_PAGE_CHARACTERS, fittedPage } from "./pages.ts";

/** Tables with these columns, and an id that makes the order of their list. */
export type ListedTable = {
  [T in keyof Tables]: Tables[T] extends { organizationId: unknown; id: unknown } ? T : never;
}[keyof Tables];

export interface NewestFirst<T extends ListedTable> {
  table: T;
  organizationId: string;
  /** Columns of ids with one value; those without are left out. */
  is?: { [C in keyof Tables[T]]?: string | undefined };
  /** Columns with all their values that are wanted. Together with `is` they are the columns of an index before the id. */
  in?: { [C in keyof Tables[T]]?: readonly string[] };
  /** What holds for all of the list, and for all of the index; the table is `t`. */
  only?: RawBuilder<unknown>;
  /** As of `fittingPage`: none where all rows are small. */
  large: readonly string[];
  /** Of lists whose times are those of the ids. */
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
}

export async function readNewest<T extends ListedTable>(
  db: Queryable,
  list: NewestFirst<T>,
  page: Page,
): Promise<{ rows: Selectable<Tables[T]>[]; next: Position | null }> {
  const idOf = (row: Selectable<Tables[T]>) => (row as { id: string }).id; // every one of these tables has such a column
  const { table, organizationId, large } = list;
  const part = oneMore(page);
  const ids = sql`array(${newestIds(list, part)})`;
  const options = { large, limit: part.limit };
  const rows = await executeList(db, rowsOf<Selectable<Tables[T]>>(table, organizationId, ids, options));
  return fittedPage(rows, page, (row) => [idOf(row)]);
}

/** That row says whether there is a next page. */
export const oneMore = ({ limit, after }: Page): Page => ({ limit: limit + 1, after });

/** Query of the ids of a page at most. */
export function newestIds<T extends ListedTable>(
  list: Omit<NewestFirst<T>, "large">,
  { limit, after }: Page,
): RawBuilder<{ id: string }> {
  const single = Object.entries<string | undefined>(list.is ?? {}).filter(([, value]) => value !== undefined);
  const conditions = [
    ...(list.only === undefined ? [] : [list.only]),
    // It follows from the range, and the planner does not see that a partial index has it.
    ...single.map(([column]) => sql`t.${sql.ref(column)} is not null`),
  ];
  const wanted = [
    ...single.map(([column, value]) => ({ column, values: sql`${[value]}::uuid[]` })),
    // A value named twice is one range.
    ...Object.entries<readonly string[] | undefined>(list.in ?? {}).map(([column, values]) => ({
      column,
      values: sql`${[...new Set(values)]}::text[]`,
    })),
  ];
  const columns = wanted.map(({ column }) => column);
  const range = rangeOfIndex(
    ["organization_id", ...columns, "id"].map((column) => sql`t.${sql.ref(column)}`),
    [sql`${list.organizationId}::uuid`, ...wanted.map((_column, i) => sql.ref(`v${i}.value`))],
    idsBetween(list, after),
    columns.length > 0 ? indexName("t", columns) : list.only === undefined ? undefined : indexName("t", ["listed"]),
  );
  const found = sql<{ id: string }>`select t.id from ${sql.table(list.table)} t
    where ${sql.join([range.where, ...conditions], sql` and `)} order by ${range.order} limit ${limit}`;
  if (wanted.length === 0) return found;
  const each = wanted.map(({ values }, i) => sql`unnest(${values}) as ${sql.ref(`v${i}`)} (value)`);
  return sql`select r.id from ${sql.join(each, sql` cross join `)} cross join lateral (${found}) r
    order by r.id desc limit ${limit}`;
}

/** Newest first: all columns of an index before the last have the `values`, and the last one is between its bounds, which belong to it. */
export function rangeOfIndex(
  columns: readonly RawBuilder<unknown>[],
  values: readonly RawBuilder<unknown>[],
  { from, to }: { from: RawBuilder<unknown>; to: RawBuilder<unknown> },
  name?: RawBuilder<unknown>,
): { where: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const last = columns.at(-1) ?? sql``;
  const equal = values.map((value, i) => sql`${columns[i]} = ${value}`);
  return {
    where: sql.join([...equal, sql`${last} between ${from} and ${to}`], sql` and `),
    order: name === undefined ? sql`${last} desc` : sql`${last} desc, ${name} desc`,
  };
}

/**
 * What an index of a list has behind its columns (`0038-named-list-indexes.sql`), always false. An order that ends with it is the order
 * of this index alone. A literal, since the planner compares expressions, and does not know the value of a parameter.
 */
export const indexName = (table: string, columns: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.organization_id`)}::text = ${sql.lit(columns.map(snakeCase).join(", "))})`;

const snakeCase = (column: string): string => column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function idsBetween(
  { createdAfter, createdBefore }: { createdAfter?: Date | undefined; createdBefore?: Date | undefined },
  after: Position | undefined,
): { from: RawBuilder<unknown>; to: RawBuilder<unknown> } {
  const ends = [
    LAST_UUID,
    ...(createdBefore === undefined ? [] : [uuidBefore(uuidAt(createdBefore))]),
    ...(after === undefined ? [] : [uuidBefore(String(after[0]))]),
  ];
  const from = createdAfter === undefined ? NIL_UUID : uuidAt(createdAfter);
  // UUIDs of lower case have the order of their text.
  return { from: sql`${from}::uuid`, to: sql`${ends.toSorted()[0]}::uuid` };
}

/**
 * The rows with these ids (an array) that meet `also`, where the table is `t`, in the order of the ids, and `limit` of them at most: no
 * more ids are looked up than that takes. `large`: as of `fittingPage`.
 */
export const rowsOf = <Row>(
  table: ListedTable,
  organizationId: string,
  ids: RawBuilder<unknown>,
  {
    also,
    joined = sql``,
    large,
    limit,
  }: { also?: RawBuilder<unknown>; joined?: RawBuilder<unknown>; large: readonly string[]; limit: number },
): RawBuilder<Row> => {
  const from = sql`from unnest(${ids}) with ordinality as w (id, n) cross join lateral (
    select * from ${sql.table(table)} t ${joined}
    where t.organization_id = ${organizationId} and t.id between w.id and w.id ${also === undefined ? sql`` : sql`and ${also}`}
    order by t.id limit 1) found`;
  return large.length === 0
    ? sql<Row>`select found.* ${from} order by w.n limit ${limit}`
    : fittingPage<Row>(sql`select found.*, w.n as place ${from} order by w.n limit ${limit}`, large, limit);
};

/**
 * The sizes of this many rows are computed first, and those of a further group only where all rows before it fit: to print a megabyte takes
 * milliseconds.
 */
const FIRST_SIZED_ROWS = 25;
const SIZED_GROWTH = 4;

/**
 * Of `rows`, `most` of them at most, in the order of their `place`, as many as fit a page by the sizes of their `large` columns, which are
 * JSON or text, and one at least: otherwise, rows of a megabyte would be sent and read for nothing. The last one says whether others were
 * left out (`fittedPage`).
 */
export const fittingPage = <Row>(
  rows: RawBuilder<unknown>,
  large: readonly string[],
  most: number,
): RawBuilder<Row> => {
  const sizes = large.map((column) => sql`coalesce(octet_length(${sql.ref(`r.${column}`)}::text), 0)`);
  const groups: RawBuilder<unknown>[] = [];
  for (let from = 0, to = FIRST_SIZED_ROWS; from < most; [from, to] = [to, to * SIZED_GROWTH]) {
    const before = groups.map((_group, i) => sql`(select coalesce(sum(size), 0) from ${sql.ref(`sized_${i}`)})`);
    const fits = before.length === 0 ? sql`` : sql`and ${sql.join(before, sql` + `)} <= ${MAX_PAGE_CHARACTERS}`;
    groups.push(
      sql`select r.row_no, ${sql.join(sizes, sql` + `)} as size from ordered r where r.row_no > ${from} and r.row_no <= ${to} ${fits}`,
    );
  }
  const sized = groups.map((group, i) => sql`${sql.ref(`sized_${i}`)} as materialized (${group})`);
  const all = sql.join(
    groups.map((_group, i) => sql`select * from ${sql.ref(`sized_${i}`)}`),
    sql` union all `,
  );
  // Only the sizes are copied from step to step: rows have dozens of columns.
  return sql<Row>`
    with ordered as materialized (select r.*, row_number() over (order by r.place) as row_no from (${rows}) r), ${sql.join(sized)},
    fitting as materialized (
      select count(*) as most from (select row_no, sum(size) over (order by row_no) as size from (${all}) s) f
      where f.row_no = 1 or f.size <= ${MAX_PAGE_CHARACTERS})
    select r.*, r.row_no < (select count(*) from ordered) as is_followed
    from ordered r where r.row_no <= (select most from fitting) order by r.place`;
};
