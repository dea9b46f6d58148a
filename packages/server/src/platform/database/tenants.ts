/**
 * The database as the requests of one organization see it: row-level security holds, so that a statement that forgot its
 * `where` still reaches no row of another organization (see `docs/decisions/0006-row-level-security.md`).
 *
 * What binds them, role and organization, lasts for one transaction and is never a matter of the connection:
 *
 *   transaction     begin · binding · statements … · commit
 *   single read     binding and statement, sent as one
 *
 * So it ends with the transaction, however that ends, and the connection's next user has nothing to undo.
 */
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type { DatabaseConnection, Driver, QueryResult } from "kysely";
import type pg from "pg";
import { BIND, runBound } from "./bound-query.ts";
import type { Binding } from "./bound-query.ts";
import { isUnavailable, plugins } from "./database.ts";
import type { Database, NamedQuery, RequestDatabase } from "./database.ts";
import type { Tables } from "./tables.ts";

export type Tenants = (organizationId: string) => RequestDatabase;

/** Without a `role` (see `tenant-role.ts`) there is only the first line: the `where` of each statement. */
export function createTenants(database: Database, role: string | undefined): Tenants {
  if (role === undefined) return () => database;
  return (organizationId) => {
    const binding = { role, organizationId };
    return {
      db: new Kysely<Tables>({ dialect: new BoundDialect(database.pool, binding), plugins }),
      transaction: (work, isolation) =>
        database.transaction(async (tx) => {
          await tx.executeQuery(CompiledQuery.raw(BIND, [role, organizationId]));
          return work(tx);
        }, isolation),
    };
  };
}

class BoundDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #binding: Binding;

  constructor(pool: pg.Pool, binding: Binding) {
    super({ pool });
    this.#pool = pool;
    this.#binding = binding;
  }

  override createDriver(): Driver {
    return new BoundDriver(this.#pool, this.#binding);
  }
}

/** Takes a connection for each statement, and has no transactions of its own. */
class BoundDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #binding: Binding;

  constructor(pool: pg.Pool, binding: Binding) {
    this.#pool = pool;
    this.#binding = binding;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<BoundConnection> {
    return new BoundConnection(await this.#pool.connect(), this.#binding);
  }

  async releaseConnection(connection: BoundConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(): Promise<void> {
    throw new Error("single statements are bound here: the `transaction` beside this database binds transactions");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  /** The pool belongs to the database. */
  async destroy(): Promise<void> {}
}

class BoundConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #binding: Binding;
  #isBroken = false;

  constructor(client: pg.PoolClient, binding: Binding) {
    this.#client = client;
    this.#binding = binding;
  }

  async executeQuery<Row>({ name, sql, parameters }: NamedQuery): Promise<QueryResult<Row>> {
    const statement = { ...(name === undefined ? {} : { name }), text: sql, values: parameters };
    try {
      const result = await runBound<Row & pg.QueryResultRow>(this.#client, this.#binding, statement);
      const { command, rowCount, rows } = result;
      return command === "SELECT" || rowCount === null ? { rows } : { rows, numAffectedRows: BigInt(rowCount) };
    } catch (error) {
      this.#isBroken = isUnavailable(error);
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
