/** Kysely's way to PostgreSQL for statements and transactions that are bound to an organization. */
import { PostgresDialect } from "kysely";
import type { DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import type pg from "pg";
import type { Binding } from "./binding.ts";
import { runBound } from "./bound-query.ts";
import type { BoundResult, BoundStatement } from "./bound-query.ts";
import { WrittenPlaces, bindServers, runOnServers } from "./bind-servers.ts";
import { namesLargeTable } from "./large-tables.ts";
import { isUnavailable } from "./database.ts";
import type { NamedQuery, Statements } from "./database.ts";
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

class BoundConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #binding: Binding;
  #isInTransaction = false;
  #isBroken = false;
  /** In this transaction. */
  #areServersBound = false;
  /** By this transaction, where that matters. */
  #written: WrittenPlaces | undefined;
  readonly #onBroken = (): void => {
    this.#isBroken = true;
  };

  constructor(client: pg.PoolClient, binding: Binding) {
    this.#client = client;
    this.#binding = binding;
  }

  /** One round trip, as an unbound transaction takes. */
  async begin(isolationLevel: string | undefined): Promise<void> {
    const { role, organizationId } = this.#binding;
    const isolation = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
    try {
      await this.#client.query(
        `begin${isolation}; set local role ${this.#client.escapeIdentifier(role)}; ` +
          `set local app.organization_id = ${this.#client.escapeLiteral(organizationId)}`,
      );
      this.#isInTransaction = true;
      this.#areServersBound = this.#binding.isDistributed !== true;
      this.#written = this.#binding.isDistributed === true ? new WrittenPlaces() : undefined;
    } catch (error) {
      // It may be in a transaction that failed at once.
      this.#isBroken = true;
      throw error;
    }
  }

  async end(how: "commit" | "rollback"): Promise<void> {
    this.#isInTransaction = false;
    try {
      if (how === "commit") await this.#written?.beforeCommit(this.#client);
      const { command } = await this.#client.query(how);
      if (how === "commit" && command === "ROLLBACK")
        throw new Error("a transaction was rolled back at its commit: a statement in it had failed");
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  async executeQuery<Row>({ name, sql, parameters, isList }: NamedQuery): Promise<QueryResult<Row>> {
    const statement = { ...present({ name, isList }), text: sql, values: parameters };
    try {
      if (this.#isInTransaction && !this.#areServersBound && namesLargeTable(sql)) {
        await bindServers(this.#client, this.#binding.organizationId);
        this.#areServersBound = true;
      }
      if (this.#isInTransaction) this.#written?.note(sql);
      const result = this.#isInTransaction
        ? await this.#run<Row & pg.QueryResultRow>(statement)
        : await runSingle<Row & pg.QueryResultRow>(this.#client, this.#binding, statement, this.#onBroken);
      const { command, rowCount, rows } = result;
      return command === "SELECT" || rowCount === null ? { rows } : { rows, numAffectedRows: BigInt(rowCount) };
    } catch (error) {
      this.#isBroken ||= isUnavailable(error);
      // The error was made where bytes were read, which says nothing of who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  async #run<Row extends pg.QueryResultRow>(statement: {
    name?: string;
    text: string;
    values: readonly unknown[];
  }): Promise<pg.QueryResult<Row>> {
    return this.#client.query<Row>({ ...statement, values: [...statement.values] });
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
): Promise<BoundResult<Row>> =>
  binding.isDistributed === true && namesLargeTable(statement.text)
    ? runOnServers<Row>(client, binding, statement, onBroken)
    : runBound<Row>(client, binding, statement);

/** Single statements as text, without a query builder between. */
export const boundStatements = (pool: pg.Pool, binding: Binding): Statements => ({
  async query<R extends pg.QueryResultRow>(statement: Parameters<Statements["query"]>[0]) {
    const client = await pool.connect();
    let isBroken = false;
    const onBroken = (): void => {
      isBroken = true;
    };
    try {
      const { command, rowCount, rows } = await runSingle<R>(client, binding, statement, onBroken);
      return { rows, rowCount: command === "SELECT" ? null : rowCount };
    } catch (error) {
      isBroken ||= isUnavailable(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  },
});
