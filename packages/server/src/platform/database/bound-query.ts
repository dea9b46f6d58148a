/**
 * A statement of one organization, sent to PostgreSQL together with what binds it, in one round trip. Up to its end that is one
 * transaction, so the binding ends with the statement; and if the binding fails, PostgreSQL skips the statement.
 */
import { DatabaseError } from "pg";
import type pg from "pg";
import { BIND_NAME, BIND_TO_LIST_NAME, PLAN_AS_USUAL, PLAN_ONCE } from "./binding.ts";
import type { Binding } from "./binding.ts";
import { pgCode } from "./database.ts";
import { BIND_CHECKED_NAME, KeyChangedError, checkToSend } from "./key-check.ts";
import type { KeyCheck } from "./key-check.ts";
import { ListStatements } from "./list-statements.ts";
import { forgetStatement, sendGroup, sendReads } from "./statement-group.ts";
import type { GroupedResult, GroupedStatement, WireConnection } from "./statement-group.ts";

export interface BoundStatement {
  name?: string;
  text: string;
  values: readonly unknown[];
  /** See `statement-group.ts`. */
  nameColumn?: ((column: string) => string) | undefined;
  /** Of a list: prepared for the connection, under a name that follows from its text. */
  isList?: boolean;
  /** With a name, and planned for it as a list is: by the order of an index. */
  isOrdered?: boolean;
}

export async function runBound<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  binding: Binding,
  statement: BoundStatement,
): Promise<GroupedResult<Row>> {
  return checkingKey(binding, async (check) => {
    try {
      return await send<Row>(client, binding, check, statement);
    } catch (error) {
      if (statement.isList !== true || !isOutdated(error)) throw error;
      // A list only reads: it is prepared once more.
      return send<Row>(client, binding, checkToSend(binding.organizationId), { ...statement, isRenewed: true });
    }
  });
}

/** The results of several, in their order. None of them is of a list. */
export const runAllBound = (
  client: pg.PoolClient,
  binding: Binding,
  statements: readonly BoundStatement[],
): Promise<GroupedResult<pg.QueryResultRow>[]> =>
  checkingKey(binding, (check) => {
    const isOrdered = statements.some((statement) => statement.isOrdered === true);
    const reads = statements.map((statement) => ({ ...statement, isRead: true }));
    return sendReads(client, [bindingToSend(binding, check, isOrdered), ...reads]);
  });

async function checkingKey<T>(binding: Binding, ask: (check: KeyCheck | undefined) => Promise<T>): Promise<T> {
  const check = checkToSend(binding.organizationId);
  try {
    const result = await ask(check);
    if (check?.result === "changed") throw new KeyChangedError();
    return result;
  } catch (error) {
    // The error was made where bytes were read, which says nothing of who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

const send = <Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  binding: Binding,
  check: KeyCheck | undefined,
  { name, text, values, nameColumn, ...how }: BoundStatement & { isRenewed?: boolean },
): Promise<GroupedResult<Row>> => {
  // Elsewhere, its plan would depend on estimates.
  const isList = how.isList === true && binding.lists === true;
  const bind = bindingToSend(binding, check, isList || how.isOrdered === true);
  const nameLast = (connection: WireConnection): string => nameList(connection, text, how.isRenewed === true);
  return sendGroup<Row>(client, [bind, { name, text, values, nameColumn }], isList ? nameLast : undefined);
};

function bindingToSend(
  { role, organizationId, lists }: Binding,
  check: KeyCheck | undefined,
  isOrdered: boolean,
): GroupedStatement {
  const planning = isOrdered ? PLAN_ONCE : PLAN_AS_USUAL;
  if (check !== undefined) {
    const onRow = (fields: readonly (string | null)[]): void => {
      check.result = fields.at(-1) === "t" ? "current" : "changed";
    };
    const values = [role, organizationId, check.apiKeyId, check.version, planning];
    return { name: BIND_CHECKED_NAME, text: undefined, values, onRow };
  }
  return lists === true || isOrdered
    ? { name: BIND_TO_LIST_NAME, text: undefined, values: [role, organizationId, planning] }
    : { name: BIND_NAME, text: undefined, values: [role, organizationId] };
}

/** The newer version of a rolling upgrade has added a column to a table of which the prepared statement shows all columns. */
const isOutdated = (error: unknown): boolean =>
  // Its message is in the language of the server.
  pgCode(error) === "0A000" && error instanceof DatabaseError && error.routine === "RevalidateCachedQuery";

/** Of the lists that a connection has been asked for. */
const listsOf = new WeakMap<WireConnection, ListStatements>();

function nameList(connection: WireConnection, text: string, isRenewed: boolean): string {
  let lists = listsOf.get(connection);
  if (lists === undefined) listsOf.set(connection, (lists = new ListStatements()));
  const { name, closing } = lists.nameOf(text);
  const outdated = isRenewed ? name : closing;
  if (outdated !== undefined) forgetStatement(connection, outdated);
  return name;
}
