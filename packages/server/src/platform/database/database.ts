/** Access to PostgreSQL: a pool, Kysely over it, and the two types by which a signature says what may happen. */
import type { Socket } from "node:net";
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import type { Transaction as KyselyTransaction, RawBuilder } from "kysely";
import { Pool, escapeIdentifier, types } from "pg";
import type pg from "pg";
import { BIND_NOBODY, BIND_NOBODY_TO_LIST } from "./binding.ts";
import { isDistributed, markDistributed } from "./distribution-marks.ts";
import { BIND_NOBODY_CHECKED } from "./key-check.ts";
import { readTime } from "./read-time.ts";
import { watchConnections } from "./silent-connections.ts";
import type { Tables } from "./tables.ts";
import { present } from "../present.ts";

/** Reads; a transaction will do as well. */
export type Queryable = Kysely<Tables>;
/** Writes: what must be true together is written through one of these. */
export type Transaction = KyselyTransaction<Tables>;

/** Where the statements of a request or a task go: to all there is, or to what one organization may see (see `tenants.ts`). */
export interface OrganizationDatabase {
  /** For single statements. */
  db: Queryable;
  /** The same for statements that are written as text: the hot path needs no query builder. */
  statements: Statements;
  transaction: <T>(work: (tx: Transaction) => Promise<T>, isolation?: "repeatable read") => Promise<T>;
}

export interface Database extends OrganizationDatabase {
  pool: pg.Pool;
  /**
   * From here on, no transaction may be without a statement for long, and every connection works as this role of the service, where there is
   * one, and no longer as the owner of the tables.
   */
  workAs(role: string | undefined): Promise<void>;
  close(): Promise<void>;
}

/**
 * A new connection costs a request some 20 ms, and PostgreSQL a tenth of a second of its processor on a slow machine, until it has read its
 * catalogs: a service that is asked now and then keeps a few, and the others from one run to the next.
 */
const KEPT_CONNECTIONS = 3;
export const IDLE_TIMEOUT_MS = 600_000;

/** Idle connections are tried after this time, so that those to a machine that is gone are noticed. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/**
 * A process that stands still, or a machine that is gone, must not keep what a transaction of it has locked: PostgreSQL ends the transaction
 * after this time without a statement. A lost worker keeps its jobs for 7 to 10 seconds more (`queue/boss.ts`), and a process that lives may
 * stand still for 7.
 */
export const LONGEST_IDLE_TRANSACTION_MS = 8_000;

/**
 * A machine that is gone without a word keeps its connections, and the locks of its sessions, until PostgreSQL notices: by itself after two
 * hours. So it asks for a sign of life after ten seconds of silence, and ends the session after 25, also where its own bytes are not confirmed.
 */
export const NOTICE_LOST_CLIENTS =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = 25000";

/** How long a request waits for a free connection before it gets 503. */
const CONNECT_TIMEOUT_MS = 8_000;

// Counts and sizes are below 2^53 by our own limits; a string would only invite comparisons of text.
types.setTypeParser(types.builtins.INT8, (text) => {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`bigint ${text} does not fit a number`);
  return number;
});
// json stays text: outputs are passed on whole. Columns that are looked into are jsonb, or parsed by their reader.
types.setTypeParser(types.builtins.JSON, (text) => text);
types.setTypeParser(types.builtins.TIMESTAMPTZ, readTime);

class ColumnNames extends CamelCasePlugin {
  /** `created_at` → `createdAt`. */
  readonly nameOf = (column: string): string => this.camelCase(column);
}

/** Columns in camelCase; what stands in a jsonb keeps its names. */
export const columnNames = new ColumnNames({ maintainNestedObjectKeys: true });
export const plugins = [columnNames];

interface DatabaseOptions {
  max: number;
  onError: (error: Error) => void;
  openSocket?: (() => Socket) | undefined;
  connectTimeoutMs?: number | undefined;
}

export function openDatabase(connectionString: string, options: DatabaseOptions): Database {
  let role: string | undefined;
  let sessionSettings: string | undefined;
  const taken = new WeakSet<pg.ClientBase>();
  const watch = watchConnections(connectionString, options.openSocket, (client) => taken.has(client));
  const prepare = async (client: pg.ClientBase): Promise<void> => {
    watch(client);
    if (sessionSettings !== undefined) await client.query(sessionSettings);
    await client.query(BIND_NOBODY);
    await client.query(BIND_NOBODY_TO_LIST);
    // Before there is a role, there may be no tables.
    if (role !== undefined) await client.query(BIND_NOBODY_CHECKED);
  };
  const pool = createPool(connectionString, options, prepare);
  pool.on("acquire", (client) => void taken.add(client));
  pool.on("release", (_error, client) => void taken.delete(client));
  let isClosing = false;
  // While this process closes its connections, PostgreSQL may end one first.
  pool.on("error", (error) => {
    if (!isClosing) options.onError(error);
  });
  // The statement that uses a broken connection reports it; without a listener the error would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins,
  });
  return {
    pool,
    db,
    statements: pool,
    transaction: (work, isolation) =>
      (isolation === undefined ? db.transaction() : db.transaction().setIsolationLevel(isolation)).execute((tx) => {
        if (isDistributed(db)) markDistributed(tx);
        return work(tx);
      }),
    async workAs(name) {
      role = name;
      sessionSettings =
        `${NOTICE_LOST_CLIENTS}; set idle_in_transaction_session_timeout = ${LONGEST_IDLE_TRANSACTION_MS}` +
        (name === undefined ? "" : `; set role ${escapeIdentifier(name)}`);
      while (pool.idleCount > 0) (await pool.connect()).release(true);
    },
    async close() {
      isClosing = true;
      await db.destroy();
      // Kysely ends the pool if it has sent a statement, which a start that failed may not have.
      if (!pool.ending) await pool.end();
    },
  };
}

function createPool(
  connectionString: string,
  { max, openSocket, connectTimeoutMs = CONNECT_TIMEOUT_MS }: DatabaseOptions,
  prepare: (client: pg.ClientBase) => Promise<void>,
): pg.Pool {
  // Its promise is waited for before anybody gets the connection, which the types of `pg` do not say.
  const onConnect = (client: pg.ClientBase): unknown => prepare(client);
  return new Pool({
    connectionString,
    max,
    min: KEPT_CONNECTIONS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "rowmill",
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    ...present({ stream: openSocket }),
    onConnect,
  });
}

/** For statements of the hot path that need their own client: COPY, named statements. */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    failed = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A client whose work failed may be inside a transaction or a COPY: it is closed, not reused.
    client.release(failed);
  }
}

export interface Statement {
  name: string;
  text: string;
  values: unknown[];
  /** Outside of transactions and clusters: planned once, and by the order of an index, as a list is (`BIND_TO_LIST`). */
  isOrdered?: boolean;
  /** See `sendLater`. */
  isSentLater?: boolean;
  /** What a column is called in the rows, where `hasNames` is true; otherwise as in SQL. */
  nameColumn?: (column: string) => string;
}

export interface StatementResult<R> {
  rows: R[];
  rowCount: number | null;
  hasNames?: boolean;
}

/** Statements by text: what `pg` and Kysely have in common. */
export interface Statements {
  query<R extends pg.QueryResultRow>(statement: Statement): Promise<StatementResult<R>>;
  /** Their results, in one round trip; absent where each needs its own. */
  queryAll?: (statements: readonly Statement[]) => Promise<StatementResult<pg.QueryResultRow>[]>;
}

/** A statement that may be prepared, under its name or as that of a list; Kysely hands it to the driver as it is. */
export type NamedQuery = CompiledQuery & {
  name?: string;
  isList?: boolean;
  isSentLater?: boolean;
  /** In place of the query itself: see `ask-together.ts`. */
  together?: readonly Statement[];
};

/** For statements whose plan depends on no estimate: see `list-statements.ts`. */
export async function executeList<Row>(db: Queryable, query: RawBuilder<Row>): Promise<Row[]> {
  const statement: NamedQuery = { ...query.compile(db), isList: true };
  return (await db.executeQuery<Row>(statement)).rows;
}

const direct = new WeakMap<Queryable, Statements>();

/** Statements as text reach PostgreSQL on the way of `statements`, which does what `db` does and has no query builder between. */
export const sendDirectly = (db: Queryable, statements: Statements): void => void direct.set(db, statements);
export const directStatements = (db: Queryable): Statements | undefined => direct.get(db);

/** For statements that are written as text; columns keep their SQL names. */
export function statementsOf(db: Queryable): Statements {
  const directly = direct.get(db);
  if (directly !== undefined) return directly;
  const plain = db.withoutPlugins();
  const statements: Statements = {
    async query<R extends pg.QueryResultRow>({ name, text, values, isSentLater }: Statement) {
      const query: NamedQuery = { ...CompiledQuery.raw(text, values), name, ...present({ isSentLater }) };
      const { rows, numAffectedRows } = await plain.executeQuery<R>(query);
      return { rows, rowCount: numAffectedRows === undefined ? null : Number(numAffectedRows) };
    },
  };
  if (isDistributed(db)) markDistributed(statements);
  return statements;
}

/**
 * For what a change writes beside it, of which nobody needs a result: it reaches PostgreSQL with the next statement of the transaction, or with
 * its commit, and saves its own round trip. Where it fails, that statement does, or the commit: so it is for what fails only if the database does.
 */
export async function sendLater(
  tx: Transaction,
  statement: { name: string; text: string; values: unknown[] },
): Promise<void> {
  await statementsOf(tx).query({ ...statement, isSentLater: true });
}

/** The same for a query that is composed, which is planned each time. */
export async function executeLater(tx: Transaction, query: RawBuilder<unknown>): Promise<void> {
  const statement: NamedQuery = { ...query.compile(tx), isSentLater: true };
  await tx.executeQuery(statement);
}

export { sql };

/** Codes of PostgreSQL errors that the program distinguishes. */
export const pgCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
export const UNIQUE_VIOLATION = "23505";
export const SERIALIZATION_FAILURE = "40001";
export const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Whether the database, and not the statement, is to blame: unreachable, stopping, out of connections, tired of waiting for the next statement
 * of a transaction, or with a disk that is full or fails.
 */
export function isUnavailable(error: unknown): boolean {
  const code = pgCode(error) ?? "";
  if (
    /^(08|53|57P0|58030|25P03)/.test(code) ||
    [
      "ECONNREFUSED",
      "ECONNRESET",
      "EPIPE",
      "ENOTFOUND",
      "EAI_AGAIN",
      "ETIMEDOUT",
      "EHOSTUNREACH",
      "ENETUNREACH",
    ].includes(code)
  )
    return true;
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Cannot use a pool after calling end|Connection terminated|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/** Where a statement ended with this error: whether it may have been done all the same, since only its response was lost. */
export function mayBeDone(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  return !(
    isOfConnecting(error) ||
    ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "53300", "57P03"].includes(pgCode(error) ?? "") ||
    (error instanceof Error &&
      /timeout exceeded when trying to connect|due to connection timeout|after calling end/.test(error.message))
  );
}

/** Where a host has several addresses, the error has those of all, and their system call is not its own. */
function isOfConnecting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isOfConnecting);
  const { syscall } = error as { syscall?: unknown };
  return syscall === "connect" || syscall === "getaddrinfo";
}
