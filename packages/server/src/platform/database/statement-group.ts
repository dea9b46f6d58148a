/**
 * Statements that are sent to PostgreSQL together, in one round trip:
 *
 *   (Parse) Bind (Describe) Execute · (Parse) Bind (Describe) Execute · … · Sync
 *
 * PostgreSQL runs them in their order; where one fails, it skips everything up to Sync. That is why the extended protocol is spoken here by
 * hand: `pg` sends a statement only when the response to the one before has come.
 *
 * A statement with a name is parsed once for a connection, and its columns are described once: PostgreSQL refuses to run a prepared
 * statement whose columns have changed. Both save a fifth of a small statement's processor time in this process.
 */
import { types } from "pg";
import type pg from "pg";
import utils from "pg/lib/utils.js";

export interface GroupedStatement {
  /** Prepared under it, once for a connection; PostgreSQL plans it again when it is used under another role. */
  name?: string | undefined;
  /** Undefined: every connection has prepared it under its name before its first user. */
  text: string | undefined;
  values: readonly unknown[];
  /** What a column of the result is called in it, always the same function; otherwise as in SQL. */
  nameColumn?: ((column: string) => string) | undefined;
  /** Gets the columns as text. The rows of the last statement are the result. */
  onRow?: ((fields: readonly (string | null)[]) => void) | undefined;
  /** Its rows are a result, too: see `sendReads`. */
  isRead?: boolean | undefined;
}

export interface GroupedResult<Row> {
  command: string;
  rowCount: number | null;
  rows: Row[];
  /** Its columns are called what `nameColumn` calls them. */
  hasNames?: boolean;
}

/** What `pg` has of a connection and its types do not name. */
export interface WireConnection {
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
type NameColumn = (column: string) => string;
const asInSql: NameColumn = (column) => column;
type Column = { name: string; parse: (text: string) => unknown };
interface Columns {
  all: readonly Column[];
  /** Copied for each row: an object that gets its members one by one takes twice as long. */
  emptyRow: Readonly<Record<string, null>>;
}
const NO_COLUMNS: Columns = { all: [], emptyRow: {} };

/** What PostgreSQL has said of the columns of a result: the same statement may be asked for under several names of them. */
class Description {
  readonly #columns: readonly Column[];
  readonly #named = new Map<NameColumn, Columns>();

  constructor({ fields }: RowDescription) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  }

  named(nameColumn: NameColumn = asInSql): Columns {
    let columns = this.#named.get(nameColumn);
    if (columns === undefined) {
      const all = this.#columns.map(({ name, parse }) => ({ name: nameColumn(name), parse }));
      columns = { all, emptyRow: Object.fromEntries(all.map(({ name }) => [name, null])) };
      this.#named.set(nameColumn, columns);
    }
    return columns;
  }
}
/** The name of the last statement, where it follows from what the connection has prepared. */
type NameLast = (connection: WireConnection) => string;

/** As `database.ts` has set it for all of `pg`. */
const parserOf = (dataTypeID: number): Column["parse"] => types.getTypeParser(dataTypeID, "text") as Column["parse"];
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Of the statements with a name that a connection has described. */
const described = new WeakMap<WireConnection, Map<string, Description>>();

/** The connection prepares the name once more when it comes again. */
export function forgetStatement(connection: WireConnection, name: string): void {
  connection.close({ type: "S", name });
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
  described.get(connection)?.delete(name);
}

/** Ends with the result of the last statement, or with the error of the first that failed. */
export async function sendGroup<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statements: readonly GroupedStatement[],
  nameLast?: NameLast,
): Promise<GroupedResult<Row>> {
  const last = (await sendReads(client, statements, nameLast)).at(-1);
  if (last === undefined) throw new Error("a group without a statement has no result");
  return last as GroupedResult<Row>; // as the caller describes what it has asked for
}

/** Ends with the results of the statements that are reads, and of the last one, in their order. */
export const sendReads = (
  client: pg.PoolClient,
  statements: readonly GroupedStatement[],
  nameLast?: NameLast,
): Promise<GroupedResult<pg.QueryResultRow>[]> =>
  new Promise((resolve, reject) => {
    const end = (error: Error | undefined, results: GroupedResult<pg.QueryResultRow>[]): void =>
      error === undefined ? resolve(results) : reject(error);
    client.query(new GroupQuery(statements, nameLast, end));
  });

/** What a statement returns whose rows are a result. */
class Reading {
  columns = NO_COLUMNS;
  readonly result: GroupedResult<Record<string, unknown>> = { command: "", rowCount: null, rows: [] };

  constructor({ nameColumn }: GroupedStatement) {
    if (nameColumn !== undefined) this.result.hasNames = true;
  }

  add(fields: readonly (string | null)[]): void {
    const { all, emptyRow } = this.columns;
    const row: Record<string, unknown> = { ...emptyRow };
    for (let i = 0; i < all.length; i++) {
      const column = all[i];
      const text = fields[i] ?? null;
      if (column !== undefined) row[column.name] = text === null ? null : column.parse(text);
    }
    this.result.rows.push(row);
  }

  /** `SELECT 5`, `INSERT 0 1`, `BEGIN`. */
  complete(text: string): void {
    const end = text.indexOf(" ");
    this.result.command = end === -1 ? text : text.slice(0, end);
    // The last word of `LOCK TABLE` counts nothing.
    const count = Number(text.slice(text.lastIndexOf(" ") + 1));
    this.result.rowCount = Number.isNaN(count) ? null : count;
  }
}

/** What a client of `pg` calls on the query that is under way. */
class GroupQuery {
  /** Those of the statement whose messages come: by them, `pg` notes what has been parsed. */
  name: string | undefined;
  text: string | undefined;
  /** `pg` looks whether there is one, and sets another where a connection string limits the time of a query. */
  callback = (): void => undefined;
  readonly #end: (error: Error | undefined, results: GroupedResult<pg.QueryResultRow>[]) => void;
  readonly #statements: GroupedStatement[];
  /** By the place of their statement. */
  readonly #readings: (Reading | undefined)[];
  readonly #nameLast: NameLast | undefined;
  #connection: WireConnection | undefined;
  #at = 0;
  /** Those before it have been sent. */
  #sent = 0;
  /** Of the first statement that PostgreSQL has refused, or whose row cannot be read. */
  #error: Error | undefined;
  /** Of a statement that could not be sent: those before it have run. */
  #unsent: Error | undefined;

  constructor(
    statements: readonly GroupedStatement[],
    nameLast: NameLast | undefined,
    end: (error: Error | undefined, results: GroupedResult<pg.QueryResultRow>[]) => void,
  ) {
    this.#statements = [...statements];
    this.#readings = statements.map((statement, at) =>
      statement.isRead === true || at === statements.length - 1 ? new Reading(statement) : undefined,
    );
    this.#nameLast = nameLast;
    this.#end = end;
    // Of those that wait for their connection.
    this.#goTo(statements.length - 1);
  }

  /** Behind the last one, it stays. */
  #goTo(at: number): void {
    this.#at = at;
    const { name, text } = this.#statements[at] ?? this;
    this.name = name;
    this.text = text;
  }

  submit(asTyped: pg.Connection): Error | null {
    const connection = asTyped as unknown as WireConnection; // as in `pg/lib/connection.js`; the tests would notice another
    this.#connection = connection;
    const last = this.#statements.at(-1);
    if (last !== undefined && this.#nameLast !== undefined)
      this.#statements.splice(-1, 1, { ...last, name: this.#nameLast(connection) });
    this.#goTo(0);
    connection.stream.cork();
    try {
      for (const statement of this.#statements) {
        this.#send(connection, statement);
        this.#sent += 1;
      }
    } catch (error) {
      // A value that cannot be written, or a name of two statements: what was sent before ends with Sync.
      this.#unsent = asError(error);
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
    return null;
  }

  #send(connection: WireConnection, { name, text, values }: GroupedStatement): void {
    if (text === undefined) {
      connection.bind({ statement: name, values });
      connection.execute();
      return;
    }
    const known =
      name === undefined ? undefined : (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]);
    if (known !== undefined && known !== text) throw new Error(`two statements have the name ${name}`);
    if (known === undefined) {
      connection.parse({ name, text });
      if (name !== undefined) connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values, valueMapper: (value) => utils.prepareValue(value) });
    const reading = this.#readings[this.#sent];
    if (reading !== undefined) this.#describe(connection, known === undefined ? undefined : name, reading);
    connection.execute();
  }

  /** The columns of a result. `known`: the name of a statement that the connection has prepared. */
  #describe(connection: WireConnection, known: string | undefined, reading: Reading): void {
    const description = known === undefined ? undefined : described.get(connection)?.get(known);
    if (description === undefined) connection.describe({ type: "P" });
    else reading.columns = description.named(this.#statements[this.#sent]?.nameColumn);
  }

  /** Of a statement whose rows are a result: no other is described. */
  handleRowDescription(message: RowDescription): void {
    const description = new Description(message);
    const reading = this.#readings[this.#at];
    if (reading !== undefined) reading.columns = description.named(this.#statements[this.#at]?.nameColumn);
    const { name } = this;
    if (name === undefined || this.#connection === undefined) return;
    let known = described.get(this.#connection);
    if (known === undefined) described.set(this.#connection, (known = new Map<string, Description>()));
    known.set(name, description);
  }

  handleDataRow({ fields }: DataRow): void {
    this.#statements[this.#at]?.onRow?.(fields);
    if (this.#error !== undefined) return;
    try {
      this.#readings[this.#at]?.add(fields);
    } catch (error) {
      this.#error = asError(error);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#readings[this.#at]?.complete(text);
    this.#goTo(this.#at + 1);
  }

  handleEmptyQuery(): void {
    this.#goTo(this.#at + 1);
  }

  handlePortalSuspended(): void {
    this.#error ??= new Error("a statement was suspended that asked for all rows");
  }

  handleError(error: unknown): void {
    // `pg` forgets the name that failed, but not those that PostgreSQL has skipped.
    for (const { name } of this.#statements.slice(this.#at))
      if (name !== undefined) delete this.#connection?.submittedNamedStatements[name];
    this.#error ??= asError(error);
    this.callback();
    this.#end(this.#error, []);
  }

  handleReadyForQuery(): void {
    this.callback();
    const results = this.#readings.flatMap((reading) => (reading === undefined ? [] : [reading.result]));
    this.#end(this.#error ?? this.#unsent, results);
  }
}
