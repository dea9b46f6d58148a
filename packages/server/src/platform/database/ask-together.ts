/**
 * Statements of which none needs the result of another. They reach PostgreSQL in one round trip, in their order; where a database is bound to
 * no organization, or the tables are distributed, one after the other.
 */
import { CompiledQuery } from "kysely";
import { columnNames, directStatements, statementsOf } from "./database.ts";
import type { NamedQuery, Queryable, Statement, StatementResult, Statements } from "./database.ts";

/** A statement with its values, which has not been sent. */
export interface Asked<Row> extends Statement {
  /** Never set: of which type the rows are. */
  readonly row?: Row;
}

type Result = StatementResult<Record<string, unknown>>;
type AllAsked<Rows extends readonly unknown[]> = { readonly [At in keyof Rows]: Asked<Rows[At]> };
type AllRows<Rows extends readonly unknown[]> = { -readonly [At in keyof Rows]: Rows[At][] };

const grouping = new WeakSet<object>();

/** Its statements can be sent together. */
export const markGrouping = (tx: Queryable): void => void grouping.add(tx);

/** The rows of each, in the order of `asked`. Where one fails, those behind it are not run, and its error is that of all. */
export async function askTogether<const Rows extends readonly unknown[]>(
  db: Queryable,
  asked: AllAsked<Rows>,
): Promise<AllRows<Rows>> {
  const results = await send(db, asked);
  return results.map(({ rows, hasNames }) => (hasNames === true ? rows : rows.map(named))) as AllRows<Rows>; // each of its statement
}

export const named = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [columnNames.nameOf(column), value]));

async function send(db: Queryable, asked: readonly Statement[]): Promise<Result[]> {
  // What waits to be sent has no result of its own.
  if (asked.length === 0) return [];
  if (grouping.has(db)) {
    const query: NamedQuery = { ...CompiledQuery.raw("several statements"), together: asked };
    return (await db.withoutPlugins().executeQuery<Result>(query)).rows;
  }
  const direct = directStatements(db);
  if (direct?.queryAll !== undefined) return direct.queryAll(asked);
  return oneByOne(direct ?? statementsOf(db), asked);
}

async function oneByOne(statements: Statements, asked: readonly Statement[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const statement of asked) results.push(await statements.query<Record<string, unknown>>(statement));
  return results;
}
