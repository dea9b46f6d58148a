/**
 * A statement of one organization, sent to PostgreSQL together with what binds it:
 *
 *   Bind Execute (the binding, which the connection has prepared) · Parse Bind Describe Execute (the statement) · Sync
 *
 * Up to Sync it is one transaction, so the binding ends with the statement; and if the binding fails, PostgreSQL skips
 * everything up to Sync. The one round trip is why the extended protocol is spoken here by hand: `pg` sends a statement
 * only when the one before has been answered.
 */
import { Query } from "pg";
import type pg from "pg";
import { BIND_NAME, BIND_TO_LIST_NAME } from "./binding.ts";
import type { Binding } from "./binding.ts";

export interface BoundStatement {
  /** Prepared under it, once for a connection; PostgreSQL plans it again when it is used under another role. */
  name?: string;
  text: string;
  values: readonly unknown[];
}

export async function runBound<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  binding: Binding,
  statement: BoundStatement,
): Promise<pg.QueryResult<Row>> {
  try {
    return await new Promise<pg.QueryResult<Row>>((resolve, reject) => {
      client.query(
        new BoundQuery<Row>(binding, { ...statement, queryMode: "extended" }, (error, result) =>
          error ? reject(error) : resolve(result),
        ),
      );
    });
  } catch (error) {
    // The error was made where bytes were read, which says nothing of who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** What a client calls on the running query; the types of `pg` name only `submit`. */
interface QueryInHand {
  submit(connection: pg.Connection): unknown;
  handleDataRow(row: unknown): void;
  handleCommandComplete(command: unknown, connection: pg.Connection): void;
}
type Config = BoundStatement & { queryMode: "extended" };
type Callback<Row extends pg.QueryResultRow> = (error: Error | null, result: pg.QueryResult<Row>) => void;
type QueryConstructor = new <Row extends pg.QueryResultRow>(config: Config, callback: Callback<Row>) => QueryInHand;

const PgQuery = Query as unknown as QueryConstructor; // as in `pg/lib/query.js`; the tests would notice another

class BoundQuery<Row extends pg.QueryResultRow> extends PgQuery<Row> {
  readonly #binding: Binding;
  #isBound = false;

  constructor(binding: Binding, config: Config, callback: Callback<Row>) {
    super(config, callback);
    this.#binding = binding;
  }

  override submit(connection: pg.Connection): unknown {
    const { role, organizationId, lists } = this.#binding;
    connection.stream.cork();
    try {
      connection.bind({ statement: lists ? BIND_TO_LIST_NAME : BIND_NAME, values: [role, organizationId] }, true);
      connection.execute(null, true);
      return super.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  /** The first row and the first end are the binding's. */
  override handleDataRow(row: unknown): void {
    if (this.#isBound) super.handleDataRow(row);
  }

  override handleCommandComplete(command: unknown, connection: pg.Connection): void {
    if (this.#isBound) super.handleCommandComplete(command, connection);
    else this.#isBound = true;
  }
}
