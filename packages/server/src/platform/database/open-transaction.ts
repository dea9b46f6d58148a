/**
 * The statements of a transaction of one organization, in as few round trips as their results allow:
 *
 *   begin · binding · the first statement    together
 *   several whose results are independent    together (`ask-together.ts`)
 *   a statement that is sent later           with the next one, or with the commit
 *   the commit                               with what was to be sent later
 *
 * In each round trip PostgreSQL skips what follows a statement that fails, the commit included: so a transaction commits only if all that
 * was sent in it has run.
 */
import type pg from "pg";
import { checkCommitted } from "./bind-servers.ts";
import { BIND_NAME } from "./binding.ts";
import type { Binding } from "./binding.ts";
import { sendGroup, sendReads } from "./statement-group.ts";
import type { GroupedResult, GroupedStatement } from "./statement-group.ts";

export class OpenTransaction {
  readonly #client: pg.PoolClient;
  /** Nothing has been sent before them. */
  #opening: readonly GroupedStatement[];
  #later: GroupedStatement[] = [];
  #isBegun = false;

  constructor(client: pg.PoolClient, { role, organizationId }: Binding, isolation: string | undefined) {
    this.#client = client;
    const begin = isolation === undefined ? "begin" : `begin isolation level ${isolation}`;
    this.#opening = [
      { name: begin.replaceAll(" ", "_"), text: begin, values: [] },
      { name: BIND_NAME, text: undefined, values: [role, organizationId] },
    ];
  }

  execute<Row extends pg.QueryResultRow>(statement: GroupedStatement): Promise<GroupedResult<Row>> {
    return sendGroup<Row>(this.#client, [...this.#takeWaiting(), statement]);
  }

  executeAll(statements: readonly GroupedStatement[]): Promise<GroupedResult<pg.QueryResultRow>[]> {
    return sendReads(this.#client, [...this.#takeWaiting(), ...statements.map((each) => ({ ...each, isRead: true }))]);
  }

  /** What is sent before the next statement, and with it. */
  #takeWaiting(): GroupedStatement[] {
    const waiting = [...this.#opening, ...this.#later];
    this.#opening = [];
    this.#later = [];
    this.#isBegun = true;
    return waiting;
  }

  /** Its result is nobody's, and its error that of the statement it is sent with. */
  async sendLater(statement: GroupedStatement): Promise<void> {
    this.#later.push(statement);
  }

  async commit(): Promise<void> {
    // Nothing was asked: there is nothing to end.
    if (!this.#isBegun && this.#later.length === 0) return;
    const { command } = await this.execute({ name: "commit", text: "commit", values: [] });
    checkCommitted(command);
  }

  async rollback(): Promise<void> {
    this.#later = [];
    if (this.#isBegun) await this.#client.query("rollback");
  }
}
