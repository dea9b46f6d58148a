/**
 * Spreads the large tables over the servers of a Citus cluster; all others stay on the coordinator (decision 0025). Each table is one
 * transaction: what was interrupted goes on with the next table, and a table that is distributed is left as it is.
 */
import { MIGRATION_LOCK } from "./migrate.ts";
import { roleNamesOf } from "./roles.ts";
import { largeTableNames, largeTables } from "./large-tables.ts";
import type { LargeTable } from "./large-tables.ts";

/** The version that the tests run on. */
const MIN_CITUS_VERSION = 13;
/** A table waits for those who use it, and everybody else waits behind it. */
const LOCK_TIMEOUT_MS = 60_000;

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
}

/** The session is the owner of the tables, on the coordinator. */
export async function distributeDatabase(session: Session): Promise<Distribution> {
  const citus = await checkCitus(session);
  const servers = await countServers(session);
  await checkTables(session);
  // A process that starts meanwhile waits for it, and sees afterwards that the tables are distributed.
  await session.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  try {
    await checkNobodyWorks(session);
    await letRolesLogIn(session);
    const before = await findDistributed(session);
    const missing = largeTableNames.filter((table) => !before.has(table));
    for (const table of missing) await distributeTable(session, table);
    return {
      citus,
      servers,
      distributed: missing,
      alreadyDistributed: largeTableNames.filter((table) => before.has(table)),
    };
  } finally {
    await session.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  }
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

/** What a process does with a table depends on whether it is distributed, which it looks at when it starts. */
async function checkNobodyWorks(session: Session): Promise<void> {
  const { rows } = await session.query(
    `select count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name = 'rowmill' and pid <> pg_backend_pid()`,
  );
  const connections = Number(rows[0]?.["connections"] ?? 0);
  if (connections === 0) return;
  throw new NotDistributableError(
    `The service is running: ${connections} of its connections are open. Stop all of its processes, and repeat the command.`,
  );
}

/** Citus connects to the other servers as the role that asks, which for the service is one of these. It makes them there, too. */
async function letRolesLogIn(session: Session): Promise<void> {
  for (const name of await roleNamesOf(session))
    await session.query(`alter role ${session.escapeIdentifier(name)} login`);
}

async function findDistributed(session: Session): Promise<Set<unknown>> {
  const { rows } = await session.query("select logicalrelid::text as name from pg_dist_partition");
  return new Set(rows.map(({ name }) => name));
}

async function distributeTable(session: Session, table: LargeTable): Promise<void> {
  await session.query("begin");
  try {
    await simplifyPolicies(session, table);
    const column = largeTables[table];
    const [first] = largeTableNames.filter((other) => largeTables[other] === column);
    await session.query("select create_distributed_table($1::text::regclass, $2, colocate_with => $3)", [
      table,
      column,
      first === table ? "none" : first,
    ]);
    await session.query("select truncate_local_data_after_distributing_table($1::text::regclass)", [table]);
    await session.query("commit");
  } catch (error) {
    await session.query("rollback");
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
