/**
 * The roles under which the service works: none can log in, and row-level security holds for each. The role that the service connects as
 * owns the tables; it migrates them, makes these roles, and is pg-boss. Roles belong to the cluster and not to a database, so each owner
 * of a Rowmill has its own, whose rights are granted again at every start.
 */
import type { Pool, PoolClient } from "pg";
import type { Log } from "../log.ts";
import { pgCode, withClient } from "./database.ts";
import { roleNameOf } from "./role-names.ts";
import { roleNames, statementsToGrant } from "./role-rights.ts";
import type { RoleName } from "./role-rights.ts";

/** The letters "rowt" as a number. Locked while rights are granted: two at once on one table would trip over each other. */
const GRANT_LOCK = 0x72_6f_77_74;

/** Other databases of the cluster may be at the same role at the same moment. */
const ATTEMPTS = 5;

/** PostgreSQL's codes for: the statement needs rights that we lack; it met another who did the same at that moment. */
const INSUFFICIENT_PRIVILEGE = "42501";
const COLLISIONS = new Set(["23505", "40P01", "42710", "XX000"]);

/** By what they are for; a role is missing where this database does not let us have it. */
export type Roles = Partial<Record<RoleName, string>>;

/** What another owner of tables, the queue, says of its own. */
export interface QueueTables {
  /** Statements that grant a role what it needs there. `role` is quoted. */
  rightsOf(name: RoleName, role: string): string;
  /** A query of the tables, as `regclass`, that rows of organizations are in. */
  tablesWithRowSecurity: string;
}

/**
 * The roles' names, ready for use; without those that this database does not let us have, with one warning. `required` makes that an
 * error. Throws a sentence for a database whose tables another role owns. Call it when all tables are there, those of the queue included.
 */
export async function prepareRoles(
  pool: Pool,
  queue: QueueTables,
  mode: "if_possible" | "required",
  log: Log,
): Promise<Roles> {
  const owner = await readOwner(pool);
  const roles: Roles = {};
  const refusals: RoleRefusedError[] = [];
  for (const name of roleNames) {
    try {
      roles[name] = await inTransaction(pool, (client) => prepareRole(client, owner, name, queue));
    } catch (error) {
      if (!(error instanceof RoleRefusedError)) throw error;
      refusals.push(error);
    }
  }
  if (roles.service !== undefined) await letServiceSeeAll(pool, roles.service, queue);
  if (refusals.length === 0) return roles;
  const advice =
    `the role "${owner.user}" may not make or use all roles of the service in this database. Somebody who may has to run: ` +
    refusals.map(({ statements }) => statements).join(" ");
  if (mode === "required") throw new Error(advice, { cause: refusals[0]?.cause });
  const [whose] = roles.tenant === undefined ? ["requests and tasks run"] : ["tasks run"];
  log.warn({ err: refusals[0]?.cause }, `${whose} without row-level security: ${advice}`);
  return roles;
}

class RoleRefusedError extends Error {
  /** For somebody who may make roles. */
  readonly statements: string;

  constructor(statements: string, cause: unknown) {
    super("the role was refused", { cause });
    this.statements = statements;
  }
}

interface Owner {
  user: string;
  oid: string;
}

/** The role that we connect as, which must own the tables or be a member of the role that does. */
async function readOwner(pool: Pool): Promise<Owner> {
  const { rows } = await pool.query<Owner & { isBound: boolean }>(
    `select current_user as user, oid::text, row_security_active('organizations') as "isBound" from pg_roles
     where rolname = current_user`,
  );
  const [owner] = rows;
  if (owner === undefined) throw new Error("the database does not say who is connected");
  if (owner.isBound)
    throw new Error(
      `The tables of the database belong to another role than "${owner.user}", which would see none of their rows: ` +
        `connect as their owner, or make "${owner.user}" a member of it.`,
    );
  return owner;
}

/** Under the lock, and once more where it met another process. Whatever throws ends the connection, and with it the transaction. */
async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(pool, async (client) => {
        await client.query("begin");
        await client.query("select pg_advisory_xact_lock($1)", [GRANT_LOCK]);
        const result = await work(client);
        await client.query("commit");
        return result;
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !COLLISIONS.has(pgCode(error) ?? "")) throw error;
    }
  }
}

async function prepareRole(client: PoolClient, owner: Owner, name: RoleName, queue: QueueTables): Promise<string> {
  const role = roleNameOf(name, owner.oid);
  const quoted = client.escapeIdentifier(role);
  const quotedOwner = client.escapeIdentifier(owner.user);
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [role]);
  try {
    if (rowCount === 0) await client.query(`create role ${quoted} nologin`);
    if (!(await mayBecome(client, quoted))) await client.query(`grant ${quoted} to ${quotedOwner}`);
    await client.query(`${statementsToGrant(name, quoted)}\n${queue.rightsOf(name, quoted)}`);
  } catch (error) {
    if (pgCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new RoleRefusedError(`create role ${quoted} nologin; grant ${quoted} to ${quotedOwner};`, error);
  }
  await checkBound(client, role, quoted);
  return role;
}

async function mayBecome(client: PoolClient, role: string): Promise<boolean> {
  await client.query("savepoint before");
  try {
    await client.query(`set local role ${role}`);
    return true;
  } catch (error) {
    if (pgCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    return false;
  } finally {
    await client.query("rollback to savepoint before");
  }
}

/** Somebody may have made the role by hand, with more than it should have. */
async function checkBound(client: PoolClient, role: string, quoted: string): Promise<void> {
  await client.query("savepoint before");
  await client.query(`set local role ${quoted}`);
  const { rows } = await client.query<{ isBound: boolean }>(
    `select bool_and(row_security_active(oid)) as "isBound" from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relrowsecurity`,
  );
  await client.query("rollback to savepoint before");
  if (rows[0]?.isBound === true) return;
  throw new Error(
    `The role "${role}" is not bound by row-level security: it must be neither a superuser, nor have BYPASSRLS, nor be a ` +
      "member of the role that owns the tables.",
  );
}

/**
 * The policy by which the service's own statements see all organizations. A table gets it once, each in a transaction of its own: the
 * statement waits for everybody who is at the table.
 */
async function letServiceSeeAll(pool: Pool, role: string, queue: QueueTables): Promise<void> {
  const withoutPolicy = tablesWithoutPolicy(queue);
  const { rows } = await pool.query<{ table: string }>(withoutPolicy, [role]);
  for (const { table } of rows)
    await inTransaction(pool, async (client) => {
      const { rows: still } = await client.query<{ table: string }>(withoutPolicy, [role]);
      if (!still.some((one) => one.table === table)) return;
      const quoted = client.escapeIdentifier(role);
      await client.query(
        `create policy ${client.escapeIdentifier(`all_for_${role}`)} on ${table} to ${quoted} using (true)`,
      );
    });
}

/** `with row-level security`, in our schema and the queue's; names as they are to be written. `$1`: the role. */
const tablesWithoutPolicy = ({ tablesWithRowSecurity }: QueueTables): string => `
  select c.oid::regclass::text as "table" from pg_class c
  where c.relrowsecurity and (c.relnamespace = current_schema()::regnamespace
      or c.oid in (${tablesWithRowSecurity}))
    and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'all_for_' || $1)
  order by 1`;
