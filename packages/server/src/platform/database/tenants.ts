/**
 * The database as the requests and tasks of one organization see it: row-level security holds, so that a statement that forgot its
 * `where` still reaches no row of another organization (see `docs/decisions/0006-row-level-security.md`).
 *
 * What binds them, role and organization, lasts for one transaction and is never a matter of the connection:
 *
 *   transaction     begin, binding and first statement, sent as one · statements … · what needs no result and commit, sent as one
 *   single read     binding and statement, sent as one
 *
 * So it ends with the transaction, however that ends, and the connection's next user has nothing to undo.
 */
import { CompiledQuery, Kysely } from "kysely";
import { markGrouping } from "./ask-together.ts";
import { BIND } from "./binding.ts";
import type { Binding } from "./binding.ts";
import { BoundDialect, boundStatements } from "./bound-connections.ts";
import { plugins, sendDirectly } from "./database.ts";
import type { Database, OrganizationDatabase, Transaction } from "./database.ts";
import { isDistributed, markDistributed } from "./distribution-marks.ts";
import { statementsToBindServers } from "./bind-servers.ts";
import type { Tables } from "./tables.ts";

export type Tenants = (organizationId: string) => OrganizationDatabase;

/** Without a `role` (see `roles.ts`) there is only the first line: the `where` of each statement. */
export function createTenants(
  database: Database,
  role: string | undefined,
  options: Pick<Binding, "lists" | "isDistributed"> = {},
): Tenants {
  if (role === undefined) {
    const all = options.lists ? seeingAll(database, undefined) : database;
    return () => all;
  }
  const known = new Map<string, OrganizationDatabase>();
  const make = (organizationId: string): OrganizationDatabase => {
    const binding = { role, organizationId, ...options };
    const open = (kind: "statements" | "transactions") =>
      new Kysely<Tables>({ dialect: new BoundDialect(database.pool, binding, kind), plugins });
    let transactions: Kysely<Tables> | undefined;
    const [db, statements] = [open("statements"), boundStatements(database.pool, binding)];
    sendDirectly(db, statements);
    if (options.isDistributed === true) for (const way of [db, statements]) markDistributed(way);
    return {
      db,
      statements,
      transaction: (work, isolation) => {
        transactions ??= open("transactions");
        const begun = transactions.transaction();
        return (isolation === undefined ? begun : begun.setIsolationLevel(isolation)).execute((tx) => {
          if (options.isDistributed === true) markDistributed(tx);
          else markGrouping(tx);
          return work(tx);
        });
      },
    };
  };
  return (organizationId) => {
    let found = known.get(organizationId);
    if (found === undefined) {
      found = make(organizationId);
      known.set(organizationId, found);
      const [oldest] = known.keys();
      if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
    }
    return found;
  };
}

/** For requests that are of no organization, or where no role binds them: `role` sees all. */
export function seeingAll(database: Database, role: string | undefined): OrganizationDatabase {
  const binding: Binding = { role: role ?? "none", organizationId: "", lists: true };
  const db = new Kysely<Tables>({ dialect: new BoundDialect(database.pool, binding, "statements"), plugins });
  const statements = boundStatements(database.pool, binding);
  sendDirectly(db, statements);
  if (isDistributed(database.db)) for (const way of [db, statements]) markDistributed(way);
  return { db, statements, transaction: database.transaction };
}

/** They hold no connection, and are made again in some tenths of a millisecond. */
const MOST_KEPT = 1_000;

/** What tasks do for an organization, once they know for which. */
export interface Tasks {
  of: Tenants;
  /** Binds the rest of a transaction that has found out in it whose work it does. */
  bind(tx: Transaction, organizationId: string): Promise<void>;
}

export function createTasks(database: Database, role: string | undefined, isDistributed = false): Tasks {
  return {
    of: createTenants(database, role, { isDistributed }),
    async bind(tx, organizationId) {
      if (role === undefined) return;
      await tx.executeQuery(CompiledQuery.raw(BIND, [role, organizationId]));
      if (isDistributed)
        for (const statement of statementsToBindServers(organizationId))
          await tx.executeQuery(CompiledQuery.raw(statement));
    },
  };
}

/** For tasks that begin with a look at all organizations. */
export interface AllOrganizations {
  database: Database;
  tasks: Tasks;
}

/** What works for one organization, given what works for all. */
export type ForOrganization<Parts> = Omit<Parts, "database"> & { database: OrganizationDatabase };

export const forOrganization = <Parts extends { tasks: Tasks }>(
  parts: Parts,
  organizationId: string,
): ForOrganization<Parts> => ({ ...parts, database: parts.tasks.of(organizationId) });
