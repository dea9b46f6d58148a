/**
 * Spreads the large tables over the servers of a Citus cluster; all others stay on the coordinator (decision 0025). Each table is one
 * transaction: what was interrupted goes on with the next table, and a table that is distributed is left as it is.
 */
import { LOCK_NOT_AVAILABLE, pgCode } from "./database.ts";
import { MIGRATION_LOCK } from "./migrate.ts";
import { findDistributed } from "./read-distribution.ts";
import type { HowDistributed } from "./read-distribution.ts";
import { roleNamesOf } from "./role-names.ts";
import { largeTableNames, largeTables } from "./large-tables.ts";
import type { LargeTable } from "./large-tables.ts";

/** The version that the tests run on. */
const MIN_CITUS_VERSION = 13;
/** A table waits for those who use it, and everybody else waits behind it. */
const LOCK_TIMEOUT_MS = 60_000;
const LOCKED = `Somebody has held a lock for ${LOCK_TIMEOUT_MS / 1000} seconds: another call, a migration, or a transaction on these tables. End it, and repeat the command.`;

/** Why nothing was done, as a sentence for the operator. */
export class NotDistributableError extends Error {}

/** The part of a client of `pg` that is used. */
export interface Session {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  escapeIdentifier(name: string): string;
}

export interface Distribution {
  citus: string;
  /** Servers that hold shards. */
  servers: number;
  /** By this call. */
  distributed: LargeTable[];
  /** Before it. */
  alreadyDistributed: LargeTable[];
  /** Roles of the service, which may log in since then. */
  roles: string[];
}

/** The session is the owner of the tables or a superuser, on the coordinator. */
export async function distributeDatabase(session: Session): Promise<Distribution> {
  const citus = await checkCitus(session);
  const servers = await countServers(session);
  await checkTables(session);
  await checkOwner(session);
  // A process that starts meanwhile waits for it, and sees afterwards that the tables are distributed.
  await session.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await checkNobodyWorks(session);
    return { citus, servers, ...(await distributeTables(session)) };
  } catch (error) {
    throw pgCode(error) === LOCK_NOT_AVAILABLE ? new NotDistributableError(LOCKED, { cause: error }) : error;
  } finally {
    // A connection that has failed holds no lock, and what it failed with is thrown.
    await session.query("select pg_advisory_unlock_all()").catch(() => undefined);
  }
}

async function distributeTables(
  session: Session,
): Promise<Pick<Distribution, "distributed" | "alreadyDistributed" | "roles">> {
  const roles = await findRoles(session);
  const before = await findDistributed(session);
  const alreadyDistributed = largeTableNames.filter((table) => before.has(table));
  for (const table of alreadyDistributed) checkHow(table, before);
  const missing = largeTableNames.filter((table) => !before.has(table));
  for (const table of missing.slice(0, -1)) await distributeTable(session, table);
  // A database whose first table could not be distributed stays as it was, and one with all tables has roles that work.
  await letRolesLogIn(session, roles);
  for (const table of missing.slice(-1)) await distributeTable(session, table);
  for (const role of roles) await checkReads(session, role);
  return { distributed: missing, alreadyDistributed, roles };
}

async function checkCitus(session: Session): Promise<string> {
  const { rows } = await session.query("select extversion as version from pg_extension where extname = 'citus'");
  const version = rows[0]?.["version"];
  if (typeof version !== "string")
    throw new NotDistributableError(
      "The database has no Citus: install it on all servers, and run `create extension citus` in this database.",
    );
  if (Number.parseInt(version, 10) >= MIN_CITUS_VERSION) return version;
  throw new NotDistributableError(
    `Rowmill needs Citus ${MIN_CITUS_VERSION} or newer, and this database has ${version}: update it, and run \`alter extension citus update\`.`,
  );
}

async function countServers(session: Session): Promise<number> {
  const { rows } = await session.query(
    "select count(*)::int as servers from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'",
  );
  const servers = Number(rows[0]?.["servers"] ?? 0);
  if (servers > 0) return servers;
  throw new NotDistributableError(
    "The cluster has no worker: add each on the coordinator with `select citus_add_node('host', 5432)`.",
  );
}

async function checkTables(session: Session): Promise<void> {
  const { rows } = await session.query(
    "select count(*)::int as tables from unnest($1::text[]) name where to_regclass(name) is not null",
    [largeTableNames],
  );
  if (rows[0]?.["tables"] === largeTableNames.length) return;
  throw new NotDistributableError("The database has no tables of this version: start the service once, and stop it.");
}

/** Another role would alter nothing, or find nothing to alter. */
async function checkOwner(session: Session): Promise<void> {
  const { rows } = await session.query(
    `select relowner::regrole::text as owner, pg_has_role(relowner, 'usage') as may from pg_class where oid = 'run_chunks'::regclass`,
  );
  if (rows[0]?.["may"] === true) return;
  throw new NotDistributableError(
    `The tables belong to the role ${String(rows[0]?.["owner"])}: connect as this role, or as a superuser.`,
  );
}

/**
 * What a process does with a table depends on whether it is distributed, which it looks at when it starts. The name of a connection may
 * come from the URL of the service, so nobody else may be there. A role that may not see kinds of connections sees theirs as null.
 */
async function checkNobodyWorks(session: Session, looks = 5): Promise<void> {
  const { rows } = await session.query(
    `select coalesce(nullif(application_name, ''), 'without a name') as name, count(*)::int as connections from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and usesysid is not null
       and coalesce(backend_type, 'client backend') = 'client backend' and application_name !~* '^citus[_ ]'
     group by 1 order by 1`,
  );
  if (rows.length === 0) return;
  // A server notices the end of a process a moment later.
  if (looks > 1) {
    await session.query("select pg_sleep(0.5)");
    return checkNobodyWorks(session, looks - 1);
  }
  const others = rows.map(({ name, connections }) => `${String(name)} (${Number(connections)})`);
  throw new NotDistributableError(
    `Others are connected to the database: ${others.join(", ")}. Stop all processes of the service, close the other connections, and repeat the command.`,
  );
}

/** Citus connects to the other servers as the role that asks, which for the service is one of these. */
async function findRoles(session: Session): Promise<string[]> {
  const roles = await roleNamesOf(session);
  if (roles.length > 0) return roles;
  throw new NotDistributableError(
    "The database has no roles of the service: start the service once, as a role that may make roles, and stop it.",
  );
}

/** Citus makes and alters them on the other servers, too. */
async function letRolesLogIn(session: Session, roles: readonly string[]): Promise<void> {
  for (const role of roles) await session.query(`alter role ${session.escapeIdentifier(role)} login`);
}

/** Asks every server with rows, and gets none. */
async function checkReads(session: Session, role: string): Promise<void> {
  try {
    await session.query("begin");
    await session.query(`set local role ${session.escapeIdentifier(role)}`);
    await session.query("select run_id from run_chunks limit 0");
  } catch (error) {
    throw new NotDistributableError(
      `The tables are distributed, but the role ${role} does not reach all servers: ${error instanceof Error ? error.message : String(error)}. ` +
        "Let it log in there from the coordinator (`pg_hba.conf` or `pg_dist_authinfo`), and repeat the command.",
      { cause: error },
    );
  } finally {
    await session.query("rollback").catch(() => undefined);
  }
}

/** Somebody may have distributed a table by hand. */
function checkHow(table: LargeTable, found: ReadonlyMap<string, HowDistributed>): void {
  const column = largeTables[table];
  const like = found.get(firstBy(column));
  const how = found.get(table);
  if (how?.column === column && (like === undefined || like.colocation === how.colocation)) return;
  throw new NotDistributableError(
    `The table ${table} is distributed otherwise than by ${column} beside ${firstBy(column)}: undo it with \`select undistribute_table('${table}')\`, and repeat the command.`,
  );
}

/** The table that the others with this column are placed beside. */
const firstBy = (column: string): string => largeTableNames.find((table) => largeTables[table] === column) ?? "";

async function distributeTable(session: Session, table: LargeTable): Promise<void> {
  await session.query("begin");
  try {
    await simplifyPolicies(session, table);
    const column = largeTables[table];
    const first = firstBy(column);
    await session.query("select create_distributed_table($1::text::regclass, $2, colocate_with => $3)", [
      table,
      column,
      first === table ? "none" : first,
    ]);
    await session.query("select truncate_local_data_after_distributing_table($1::text::regclass)", [table]);
    await session.query("commit");
  } catch (error) {
    await session.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** `(select …)` around a setting, by which PostgreSQL reads it once for a statement; Citus refuses a policy with a subquery. */
const SUBQUERY =
  /\(\s*SELECT\s+(\(NULLIF\(current_setting\('app\.organization_id'::text, true\), ''::text\)\)::uuid)\s+AS\s+"?\w+"?\s*\)/gi;

export const withoutSubquery = (expression: string): string => expression.replaceAll(SUBQUERY, "$1");

export async function simplifyPolicies(session: Session, table: LargeTable): Promise<void> {
  const { rows } = await session.query(
    `select polname as name, pg_get_expr(polqual, polrelid) as qual, pg_get_expr(polwithcheck, polrelid) as check
     from pg_policy where polrelid = $1::text::regclass`,
    [table],
  );
  for (const { name, qual, check } of rows) {
    const parts = [
      typeof qual === "string" ? ` using (${withoutSubquery(qual)})` : "",
      typeof check === "string" ? ` with check (${withoutSubquery(check)})` : "",
    ];
    await session.query(`alter policy ${session.escapeIdentifier(String(name))} on ${table}${parts.join("")}`);
  }
}
