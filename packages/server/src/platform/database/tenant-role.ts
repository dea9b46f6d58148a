/**
 * The role under which requests of organizations run: it cannot log in, row-level security holds for it, and it may do with
 * each table what such requests need. Roles belong to the cluster and not to a database, so each role that owns a Rowmill
 * has one of its own, whose rights are granted anew at every start.
 */
import type { Pool, PoolClient } from "pg";
import type { Log } from "../log.ts";
import { rightsToSend } from "./rights-to-send.ts";
import { pgCode, withClient } from "./database.ts";
import type { Tables } from "./tables.ts";

/** The letters "rowt" as a number. Held while rights are granted: two at once on one table would trip over each other. */
const GRANT_LOCK = 0x72_6f_77_74;

/** Other databases of the cluster may be at the same role at the same moment. */
const ATTEMPTS = 5;

/** What the requests of an organization do with each table; undefined is nothing. */
const rights: Record<keyof Tables, string | undefined> = {
  installation: undefined,
  // Any column to be updated allows the row to be locked. Its state and limits are the admin's.
  organizations: "select, update (updated_at)",
  apiKeys: "select, insert, update",
  invitations: "select, insert, update",
  members: "select, insert, update",
  idempotencyKeys: "select, insert, update",
  auditEvents: "select, insert",
  deniedAttempts: undefined,
  events: "select, insert",
  eventLogs: "select",
  eventListeners: undefined,
  datasets: "select, insert, update",
  datasetChunks: "select, insert",
  datasetUploads: "select, insert, update",
  jobSpecs: "select, insert, update",
  jobSpecVersions: "select, insert",
  // By triggers of what is labelled.
  listLabels: "select, insert, delete",
  runs: "select, insert, update",
  runChunks: "select, insert, update",
  runResults: "select",
  // A run that ends asks for its batches to be canceled.
  providerBatches: "select, update",
  // What a run has spent counts when it gets a budget; what is set aside is the business of those who call.
  runBudgets: "select, insert, update (spent_usd)",
  rowCache: undefined,
  runRowKeys: undefined,
  // A test of a job spec accounts for its calls itself.
  usageDays: "select, insert",
  webhookEndpoints: "select, insert, update",
  webhookDeliveries: "select, insert, update",
  exports: "select, insert, update",
  alertRules: "select, insert, update",
  alertCandidates: "select, delete",
  alertDeliveries: "select, insert, update",
  connections: "select, insert, update",
  limiters: undefined,
  // Triggers count with the rights of whoever stores.
  storageUsage: "select, insert, update",
  lowSpaceReports: undefined,
};

/** PostgreSQL's codes for: the statement needs rights that we lack; it met another who did the same at that moment. */
const INSUFFICIENT_PRIVILEGE = "42501";
const COLLISIONS = new Set(["23505", "42710", "XX000"]);

/**
 * The role's name, ready for use; undefined, with a warning, where this database does not let us have one. `required` makes
 * that an error. Throws a sentence for a database whose tables another role owns: we would be shown none of their rows.
 * Call it when all tables are there, those of the queue included.
 */
export async function prepareTenantRole(
  pool: Pool,
  mode: "if_possible" | "required",
  log: Log,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(pool, prepare);
    } catch (error) {
      if (attempt < ATTEMPTS && COLLISIONS.has(pgCode(error) ?? "")) continue;
      if (!(error instanceof RoleRefusedError)) throw error;
      if (mode === "required") throw error;
      log.warn({ err: error.cause }, `requests run without row-level security: ${error.message}`);
      return undefined;
    }
  }
}

class RoleRefusedError extends Error {}

interface Situation {
  user: string;
  role: string;
  isHeldBack: boolean;
  exists: boolean;
}

async function prepare(client: PoolClient): Promise<string> {
  // Whatever throws below ends the connection (see `withClient`), and with it the transaction.
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock($1)", [GRANT_LOCK]);
  const { rows } = await client.query<Situation>(
    `select current_user as user, r.name as role, row_security_active('organizations') as "isHeldBack",
       exists (select from pg_roles where rolname = r.name) as exists
     from (select 'rowmill_tenant_' || oid as name from pg_roles where rolname = current_user) r`,
  );
  const [situation] = rows;
  if (situation === undefined) throw new Error("the database does not say who is connected");
  const { user, role, isHeldBack, exists } = situation;
  if (isHeldBack)
    throw new Error(
      `The tables of the database belong to another role than "${user}", which would see none of their rows: ` +
        `connect as their owner, or make "${user}" a member of it.`,
    );
  const quoted = client.escapeIdentifier(role);
  const owner = client.escapeIdentifier(user);
  try {
    if (!exists) await client.query(`create role ${quoted} nologin`);
    if (!(await mayBecome(client, quoted))) await client.query(`grant ${quoted} to ${owner}`);
    await client.query(statementsToGrant(quoted));
  } catch (error) {
    if (pgCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new RoleRefusedError(
      `the role "${user}" may not make or use the role "${role}" in this database. Somebody who may has to run: ` +
        `create role ${quoted} nologin; grant ${quoted} to ${owner};`,
      { cause: error },
    );
  }
  await checkBound(client, role, quoted);
  await client.query("commit");
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

function statementsToGrant(role: string): string {
  const tables = Object.entries(rights).map(([table, right]) =>
    right === undefined ? "" : `grant ${right} on ${toSqlName(table)} to ${role};`,
  );
  return `${tables.join("\n")}\n${rightsToSend(role)}`;
}

const toSqlName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Somebody may have made the role by hand, with more than it should have. */
async function checkBound(client: PoolClient, role: string, quoted: string): Promise<void> {
  await client.query("savepoint before");
  await client.query(`set local role ${quoted}`);
  const { rows } = await client.query<{ isBound: boolean }>(
    `select bool_and(row_security_active(oid)) as "isBound" from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and has_any_column_privilege(oid, 'select')`,
  );
  await client.query("rollback to savepoint before");
  if (rows[0]?.isBound === true) return;
  throw new Error(
    `The role "${role}" is not bound by row-level security: it must be neither a superuser, nor have BYPASSRLS, nor be a ` +
      "member of the role that owns the tables.",
  );
}
