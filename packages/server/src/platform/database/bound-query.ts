/**
 * A statement of one organization, sent to PostgreSQL together with what binds it:
 *
 *   Bind Execute (the binding, which the connection has prepared) · Parse Bind Describe Execute (the statement) · Sync
 *
 * Up to Sync it is one transaction, so the binding ends with the statement; and if the binding fails, PostgreSQL skips
 * everything up to Sync. The one round trip is why the extended protocol is spoken here by hand: `pg` sends a statement
 * only when the response to the one before has come.
 *
 * A statement with a name is parsed once for a connection, and its columns are described once: PostgreSQL refuses to run a prepared
 * statement whose columns have changed. Both save a fifth of a small statement's processor time in this process.
 */
import { DatabaseError, types } from "pg";
import type pg from "pg";
import utils from "pg/lib/utils.js";
import { BIND_NAME, BIND_TO_LIST_NAME, PLAN_AS_USUAL, PLAN_ONCE } from "./binding.ts";
import type { Binding } from "./binding.ts";
import { pgCode } from "./database.ts";
import { BIND_CHECKED_NAME, KeyChangedError, checkToSend } from "./key-check.ts";
import type { KeyCheck } from "./key-check.ts";
import { ListStatements } from "./list-statements.ts";

export interface BoundStatement {
  /** Prepared under it, once for a connection; PostgreSQL plans it again when it is used under another role. */
  name?: string;
  text: string;
  values: readonly unknown[];
  /** Of a list: prepared for the connection, under a name that follows from its text. */
  isList?: boolean;
  /** With a name, and planned for it as a list is: by the order of an index. */
  isOrdered?: boolean;
}

export interface BoundResult<Row> {
  command: string;
  rowCount: number | null;
  rows: Row[];
}

export async function runBound<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  binding: Binding,
  statement: BoundStatement,
): Promise<BoundResult<Row>> {
  const check = checkToSend(binding.organizationId);
  try {
    let result: BoundResult<Row>;
    try {
      result = await send<Row>(client, binding, check, statement);
    } catch (error) {
      if (statement.isList !== true || !isOutdated(error)) throw error;
      // A list only reads: it is prepared once more.
      result = await send<Row>(client, binding, checkToSend(binding.organizationId), { ...statement, isRenewed: true });
    }
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
  statement: BoundStatement & { isRenewed?: boolean },
): Promise<BoundResult<Row>> =>
  new Promise((resolve, reject) => {
    const callback: Callback<Row> = (error, found) =>
      found === undefined ? reject(error ?? new Error("a statement ended without a result")) : resolve(found);
    client.query(new BoundQuery<Row>(binding, check, statement, callback));
  });

/** The newer version of a rolling upgrade has added a column to a table of which the prepared statement shows all columns. */
const isOutdated = (error: unknown): boolean =>
  // Its message is in the language of the server.
  pgCode(error) === "0A000" && error instanceof DatabaseError && error.routine === "RevalidateCachedQuery";

/** What `pg` has of a connection and its types do not name. */
interface Connection {
  stream: { cork(): void; uncork(): void };
  /** Texts by names. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string | undefined; text: string }): void;
  bind(message: {
    statement: string | undefined;
    values: readonly unknown[];
    valueMapper?: (value: unknown) => unknown;
  }): void;
  describe(message: { type: "P" }): void;
  execute(): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
}
/** Values as text, which is how PostgreSQL writes them unless it is asked otherwise. */
interface DataRow {
  fields: readonly (string | null)[];
}
interface RowDescription {
  fields: readonly { name: string; dataTypeID: number }[];
}
type Column = { name: string; parse: (text: string) => unknown };
type Columns = readonly Column[];
type Callback<Row> = (error: Error | undefined, result?: BoundResult<Row>) => void;

/** As `database.ts` has set it for all of `pg`. */
const parserOf = (dataTypeID: number): Column["parse"] => types.getTypeParser(dataTypeID, "text") as Column["parse"];
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Of the statements with a name that a connection has described. */
const described = new WeakMap<Connection, Map<string, Columns>>();

/** Of the lists that a connection has been asked for. */
const listsOf = new WeakMap<Connection, ListStatements>();

function forget(connection: Connection, name: string): void {
  connection.close({ type: "S", name });
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
  described.get(connection)?.delete(name);
}

/** What a client of `pg` calls on the query that is under way; `name` and `text` are how it notes what has been parsed. */
class BoundQuery<Row> {
  name: string | undefined;
  readonly text: string;
  readonly callback: Callback<Row>;
  readonly #values: readonly unknown[];
  readonly #binding: Binding;
  readonly #check: KeyCheck | undefined;
  readonly #isList: boolean;
  readonly #isOrdered: boolean;
  readonly #isRenewed: boolean;
  #connection: Connection | undefined;
  #columns: Columns = [];
  #isBound = false;
  #failed: Error | undefined;
  readonly #result: BoundResult<Row> = { command: "", rowCount: null, rows: [] };

  constructor(
    binding: Binding,
    check: KeyCheck | undefined,
    statement: BoundStatement & { isRenewed?: boolean },
    callback: Callback<Row>,
  ) {
    this.name = statement.name;
    this.text = statement.text;
    this.#values = statement.values;
    this.#binding = binding;
    this.#check = check;
    // Elsewhere, its plan would depend on estimates.
    this.#isList = statement.isList === true && binding.lists === true;
    this.#isOrdered = this.#isList || statement.isOrdered === true;
    this.#isRenewed = statement.isRenewed === true;
    this.callback = callback;
  }

  submit(asTyped: pg.Connection): unknown {
    const connection = asTyped as unknown as Connection; // as in `pg/lib/connection.js`; the tests would notice another
    this.#connection = connection;
    if (this.#isList) this.#nameList(connection);
    const { name, text } = this;
    const known =
      name === undefined ? undefined : (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]);
    if (known !== undefined && known !== text) return new Error(`two statements have the name ${name}`);
    const columns = name === undefined ? undefined : described.get(connection)?.get(name);
    connection.stream.cork();
    try {
      connection.bind(this.#bindingToSend());
      connection.execute();
      if (known === undefined) {
        connection.parse({ name, text });
        if (name !== undefined) connection.submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: this.#values, valueMapper: (value) => utils.prepareValue(value) });
      if (known === undefined || columns === undefined) connection.describe({ type: "P" });
      else this.#columns = columns;
      connection.execute();
      return null;
    } catch (error) {
      // A value that cannot be written: what was sent before it ends with Sync.
      this.#failed = asError(error);
      return null;
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
  }

  #bindingToSend(): { statement: string; values: readonly string[] } {
    const { role, organizationId, lists } = this.#binding;
    const check = this.#check;
    const planning = this.#isOrdered ? PLAN_ONCE : PLAN_AS_USUAL;
    if (check !== undefined) {
      return { statement: BIND_CHECKED_NAME, values: [role, organizationId, check.apiKeyId, check.version, planning] };
    }
    return lists === true || this.#isOrdered
      ? { statement: BIND_TO_LIST_NAME, values: [role, organizationId, planning] }
      : { statement: BIND_NAME, values: [role, organizationId] };
  }

  #nameList(connection: Connection): void {
    let lists = listsOf.get(connection);
    if (lists === undefined) listsOf.set(connection, (lists = new ListStatements()));
    const { name, closing } = lists.nameOf(this.text);
    this.name = name;
    const outdated = this.#isRenewed ? name : closing;
    if (outdated !== undefined) forget(connection, outdated);
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    const { name } = this;
    if (name === undefined || this.#connection === undefined) return;
    let known = described.get(this.#connection);
    if (known === undefined) described.set(this.#connection, (known = new Map<string, Columns>()));
    known.set(name, this.#columns);
  }

  /** The first row and the first end are the binding's. */
  handleDataRow({ fields }: DataRow): void {
    if (!this.#isBound) {
      if (this.#check !== undefined) this.#check.result = fields.at(-1) === "t" ? "current" : "changed";
      return;
    }
    if (this.#failed !== undefined) return;
    try {
      const row: Record<string, unknown> = {};
      const columns = this.#columns;
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i];
        const text = fields[i] ?? null;
        if (column !== undefined) row[column.name] = text === null ? null : column.parse(text);
      }
      this.#result.rows.push(row as Row); // as the caller describes what it has asked for
    } catch (error) {
      this.#failed = asError(error);
    }
  }

  /** `SELECT 5`, `INSERT 0 1`, `BEGIN`. */
  handleCommandComplete({ text }: { text: string }): void {
    if (!this.#isBound) {
      this.#isBound = true;
      return;
    }
    const [command = "", ...counts] = text.split(" ");
    const count = counts.at(-1);
    this.#result.command = command;
    this.#result.rowCount = count === undefined ? null : Number(count);
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {
    this.#failed = new Error("a statement was suspended that asked for all rows");
  }

  handleError(error: unknown): void {
    this.callback(this.#failed ?? asError(error));
  }

  handleReadyForQuery(): void {
    if (this.#failed === undefined) this.callback(undefined, this.#result);
    else this.callback(this.#failed);
  }
}
