/**
 * What binds a statement of an organization on the servers of a cluster. Citus connects to them as the role of the transaction, and passes
 * a setting on if it was made by a `set local` that stands alone: neither `set_config` nor a string of several statements will do.
 */
import { escapeLiteral } from "pg";
import type pg from "pg";
import type { Binding } from "./binding.ts";
import type { BoundResult, BoundStatement } from "./bound-query.ts";

/** In a transaction that is bound already on the server that we are connected to. */
export const statementsToBindServers = (organizationId: string): string[] => [
  "set local citus.propagate_set_commands = 'local'",
  `set local app.organization_id = ${escapeLiteral(organizationId)}`,
];

export async function bindServers(client: pg.ClientBase, organizationId: string): Promise<void> {
  for (const statement of statementsToBindServers(organizationId)) await client.query(statement);
}

/**
 * A single statement, which needs a transaction here. Who has it as the first one of a request checks the key by itself. `onBroken` is
 * called when the connection may still be in the transaction: nobody may use it again.
 */
export async function runOnServers<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  { role, organizationId }: Binding,
  statement: BoundStatement,
  onBroken: () => void,
): Promise<BoundResult<Row>> {
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
