/**
 * What binds a statement of an organization on the servers of a cluster. Citus connects to them as the role of the transaction, and passes
 * a setting on if it was made by a `set local` that stands alone: neither `set_config` nor a string of several statements will do.
 */
import { escapeLiteral } from "pg";
import type pg from "pg";
import type { Binding } from "./binding.ts";
import type { BoundStatement } from "./bound-query.ts";
import type { GroupedResult } from "./statement-group.ts";
import { namesLargeTable } from "./large-tables.ts";

/** In a transaction that is bound already on the server that we are connected to. */
export const statementsToBindServers = (organizationId: string): string[] => [
  "set local citus.propagate_set_commands = 'local'",
  `set local app.organization_id = ${escapeLiteral(organizationId)}`,
];

export async function bindServers(client: pg.ClientBase, organizationId: string): Promise<void> {
  for (const statement of statementsToBindServers(organizationId)) await client.query(statement);
}

/**
 * Writes nothing, and makes Citus commit the transaction in two phases: what it has written here and on another server is then there on
 * both or on none, also when this one ends in between. By itself Citus does so only where a statement writes through the coordinator.
 */
export const COMMIT_IN_TWO_PHASES = `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count)
  select null::uuid, null::uuid, n, 0, 0, 0 from unnest('{}'::int[]) n returning 1`;

/** Where a transaction writes: in large tables, which are on other servers, and in all others. */
export class WrittenPlaces {
  #here = false;
  #elsewhere = false;

  note(statement: string): void {
    if (!WRITES.test(statement)) return;
    if (namesLargeTable(statement)) this.#elsewhere = true;
    else this.#here = true;
  }

  async beforeCommit(client: pg.ClientBase): Promise<void> {
    if (this.#here && this.#elsewhere) await client.query(COMMIT_IN_TWO_PHASES);
  }
}

/** A transaction whose statements may reach other servers: each is sent by itself. */
export class TransactionOnServers {
  readonly #client: pg.PoolClient;
  readonly #binding: Binding;
  readonly #isolation: string | undefined;
  readonly #written = new WrittenPlaces();
  #begun: Promise<unknown> | undefined;
  #areServersBound = false;

  constructor(client: pg.PoolClient, binding: Binding, isolation: string | undefined) {
    this.#client = client;
    this.#binding = binding;
    this.#isolation = isolation;
  }

  async execute<Row extends pg.QueryResultRow>(statement: BoundStatement): Promise<GroupedResult<Row>> {
    await (this.#begun ??= this.#begin());
    const { text } = statement;
    if (!this.#areServersBound && namesLargeTable(text)) {
      await bindServers(this.#client, this.#binding.organizationId);
      this.#areServersBound = true;
    }
    this.#written.note(text);
    return this.#client.query<Row>({ ...statement, values: [...statement.values] });
  }

  async executeAll(statements: readonly BoundStatement[]): Promise<GroupedResult<pg.QueryResultRow>[]> {
    const results: GroupedResult<pg.QueryResultRow>[] = [];
    for (const statement of statements) results.push(await this.execute(statement));
    return results;
  }

  async #begin(): Promise<void> {
    const { role, organizationId } = this.#binding;
    const isolation = this.#isolation === undefined ? "" : ` isolation level ${this.#isolation}`;
    await this.#client.query(
      `begin${isolation}; set local role ${this.#client.escapeIdentifier(role)}; ` +
        `set local app.organization_id = ${this.#client.escapeLiteral(organizationId)}`,
    );
  }

  async sendLater(statement: BoundStatement): Promise<void> {
    await this.execute(statement);
  }

  async commit(): Promise<void> {
    if (this.#begun === undefined) return;
    await this.#written.beforeCommit(this.#client);
    const { command } = await this.#client.query("commit");
    checkCommitted(command);
  }

  async rollback(): Promise<void> {
    if (this.#begun !== undefined) await this.#client.query("rollback");
  }
}

/** `command`: what PostgreSQL did at the commit. */
export function checkCommitted(command: string): void {
  if (command === "ROLLBACK")
    throw new Error("a transaction was rolled back at its commit: a statement in it had failed");
}

const WRITES = /^\s*(?:insert|update|delete|merge|with\b[^]*\b(?:insert\s+into|update|delete\s+from))\b/i;

/**
 * A single statement, which needs a transaction here. Who has it as the first one of a request checks the key by itself. `onBroken` is
 * called when the connection may still be in the transaction: nobody may use it again.
 */
export async function runOnServers<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  { role, organizationId }: Binding,
  statement: BoundStatement,
  onBroken: () => void,
): Promise<GroupedResult<Row>> {
  try {
    await client.query(`begin; set local role ${client.escapeIdentifier(role)}`);
    await bindServers(client, organizationId);
    const { command, rowCount, rows } = await client.query<Row>({ ...statement, values: [...statement.values] });
    await client.query("commit");
    return { command, rowCount, rows };
  } catch (error) {
    await client.query("rollback").catch(onBroken);
    throw error;
  }
}
