/** Kysely's way to PostgreSQL for statements and transactions that are bound to an organization. */
import { PostgresDialect } from "kysely";
import type { DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import type pg from "pg";
import type { Binding } from "./binding.ts";
import { runAllBound, runBound } from "./bound-query.ts";
import type { BoundStatement } from "./bound-query.ts";
import { TransactionOnServers, runOnServers } from "./bind-servers.ts";
import { namesLargeTable } from "./large-tables.ts";
import { isUnavailable, pgCode } from "./database.ts";
import type { NamedQuery, Statement, StatementResult, Statements } from "./database.ts";
import { OpenTransaction } from "./open-transaction.ts";
import type { GroupedResult } from "./statement-group.ts";
import { present } from "../present.ts";

/** A dialect is for the one or the other: a single statement carries its binding, one of a transaction finds it. */
export type Kind = "statements" | "transactions";

export class BoundDialect extends PostgresDialect {
  readonly #createDriver: () => Driver;

  constructor(pool: pg.Pool, binding: Binding, kind: Kind) {
    super({ pool });
    this.#createDriver = () => new BoundDriver(pool, binding, kind);
  }

  override createDriver(): Driver {
    return this.#createDriver();
  }
}

/** Takes a connection for each statement or transaction. */
class BoundDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #binding: Binding;
  readonly #kind: Kind;

  constructor(pool: pg.Pool, binding: Binding, kind: Kind) {
    this.#pool = pool;
    this.#binding = binding;
    this.#kind = kind;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<BoundConnection> {
    return new BoundConnection(await this.#pool.connect(), this.#binding);
  }

  async releaseConnection(connection: BoundConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: BoundConnection, { isolationLevel }: TransactionSettings): Promise<void> {
    if (this.#kind === "statements")
      throw new Error("single statements are bound here: the `transaction` beside this database binds transactions");
    await connection.begin(isolationLevel);
  }

  async commitTransaction(connection: BoundConnection): Promise<void> {
    await connection.end("commit");
  }

  async rollbackTransaction(connection: BoundConnection): Promise<void> {
    await connection.end("rollback");
  }

  /** The pool belongs to the database. */
  async destroy(): Promise<void> {}
}

interface BoundTransaction {
  execute<Row extends pg.QueryResultRow>(statement: BoundStatement): Promise<GroupedResult<Row>>;
  executeAll(statements: readonly BoundStatement[]): Promise<GroupedResult<pg.QueryResultRow>[]>;
  sendLater(statement: BoundStatement): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

class BoundConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #binding: Binding;
  #transaction: BoundTransaction | undefined;
  #isBroken = false;
  readonly #onBroken = (): void => {
    this.#isBroken = true;
  };

  constructor(client: pg.PoolClient, binding: Binding) {
    this.#client = client;
    this.#binding = binding;
  }

  async begin(isolationLevel: string | undefined): Promise<void> {
    const Kind = this.#binding.isDistributed === true ? TransactionOnServers : OpenTransaction;
    this.#transaction = new Kind(this.#client, this.#binding, isolationLevel);
  }

  async end(how: "commit" | "rollback"): Promise<void> {
    const transaction = this.#transaction;
    if (how === "rollback") this.#transaction = undefined;
    try {
      await transaction?.[how]();
      this.#transaction = undefined;
    } catch (error) {
      // After a commit that PostgreSQL refused, as where a statement that was sent with it failed, the transaction is rolled back.
      this.#isBroken ||= how === "rollback" || pgCode(error) === undefined || isUnavailable(error);
      throw error;
    }
  }

  async executeQuery<Row>(query: NamedQuery): Promise<QueryResult<Row>> {
    const { name, sql, parameters, isList, isSentLater, together } = query;
    const statement = { ...present({ name, isList }), text: sql, values: parameters };
    const transaction = this.#transaction;
    try {
      // As `ask-together.ts` reads it, which is the only one that sends it.
      if (together !== undefined && transaction !== undefined)
        return { rows: (await transaction.executeAll(together)) as Row[] };
      if (transaction !== undefined && isSentLater === true) {
        await transaction.sendLater(statement);
        return { rows: [] };
      }
      const result =
        transaction === undefined
          ? await runSingle<Row & pg.QueryResultRow>(this.#client, this.#binding, statement, this.#onBroken)
          : await transaction.execute<Row & pg.QueryResultRow>(statement);
      const { command, rowCount, rows } = result;
      return command === "SELECT" || rowCount === null ? { rows } : { rows, numAffectedRows: BigInt(rowCount) };
    } catch (error) {
      this.#isBroken ||= isUnavailable(error);
      // The error was made where bytes were read, which says nothing of who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  // eslint-disable-next-line require-yield -- Kysely asks for one
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("rows are read in pages here");
  }

  /** A connection that is about to break has not ended yet, and the pool would hand it to the next one. */
  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/** A transaction of its own. */
const runSingle = <Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  binding: Binding,
  statement: BoundStatement,
  onBroken: () => void,
): Promise<GroupedResult<Row>> =>
  binding.isDistributed === true && namesLargeTable(statement.text)
    ? runOnServers<Row>(client, binding, statement, onBroken)
    : runBound<Row>(client, binding, statement);

/** Single statements as text, without a query builder between. */
export function boundStatements(pool: pg.Pool, binding: Binding): Statements {
  const withConnection = async <T>(work: (client: pg.PoolClient, onBroken: () => void) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isBroken = false;
    const onBroken = (): void => {
      isBroken = true;
    };
    try {
      return await work(client, onBroken);
    } catch (error) {
      isBroken ||= isUnavailable(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  const statements: Statements = {
    query: <R extends pg.QueryResultRow>(statement: Statement) =>
      withConnection(async (client, onBroken) => resultOf(await runSingle<R>(client, binding, statement, onBroken))),
  };
  if (binding.isDistributed !== true)
    statements.queryAll = (all) =>
      withConnection(async (client) => (await runAllBound(client, binding, all)).map(resultOf));
  return statements;
}

function resultOf<R>({ command, rowCount, rows, hasNames }: GroupedResult<R>): StatementResult<R> {
  const result = { rows, rowCount: command === "SELECT" ? null : rowCount };
  return hasNames === true ? { ...result, hasNames } : result;
}
