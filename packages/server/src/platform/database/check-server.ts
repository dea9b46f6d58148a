/** Whether the service can work with what a connection string leads to. Each refusal is a sentence for the operator. */
import type { Socket } from "node:net";
import { Client } from "pg";
import { present } from "../present.ts";

/** Virtual generated columns and `uuidv7()` are newer; what the statements do use came with 15. */
const MIN_SERVER_VERSION = 15;

/** As long as a request waits for a connection. */
const CONNECT_TIMEOUT_MS = 8_000;

/** The part of a client of `pg` that the checks use. No statement has parameters, since a pooler may refuse prepared statements. */
export interface Session {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Opens two connections of its own for a moment. Throws for a server that is too old, a standby, or a pooler of transactions. */
export async function checkServer(connectionString: string, openSocket?: () => Socket): Promise<void> {
  const sessions = [1, 2].map(
    () =>
      new Client({
        connectionString,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        application_name: "rowmill check",
        ...present({ stream: openSocket }),
      }),
  );
  // A connection that breaks is reported by the running statement.
  for (const session of sessions) session.on("error", () => {});
  try {
    for (const session of sessions) await session.connect();
    const [first, second] = sessions as [Client, Client];
    await checkServerVersion(first);
    await checkPrimary(first);
    await checkOwnSession(first, second);
  } finally {
    await Promise.allSettled(sessions.map((session) => session.end()));
  }
}

export async function checkServerVersion(session: Session): Promise<void> {
  const { rows } = await session.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  );
  const { number, version } = rows[0] ?? {};
  if (typeof number === "number" && number >= MIN_SERVER_VERSION * 10_000) return;
  throw new Error(
    `Rowmill needs PostgreSQL ${MIN_SERVER_VERSION} or newer, and this server is ${typeof version === "string" ? version : "of an unknown version"}.`,
  );
}

export async function checkPrimary(session: Session): Promise<void> {
  const { rows } = await session.query("select pg_is_in_recovery() as standby");
  if (rows[0]?.["standby"] === false) return;
  throw new Error(
    "The database of ROWMILL_DATABASE_URL is a standby, which only reads: name the primary, or all servers (postgres://user:password@host1:5432,host2:5432/database).",
  );
}

/**
 * A pooler in transaction or statement mode lends the same server session to several clients. The service prepares statements, sets its
 * role, listens for notifications and holds advisory locks: all of these belong to a session.
 *
 * Behind one that lends its sessions to several clients, the first client has another session from one statement to the next. Behind one
 * that lends the last one again, the second client has the session that the first one had; and while it is in a transaction, the first
 * cannot have it.
 */
export async function checkOwnSession(first: Session, second: Session): Promise<void> {
  const own = [await pidOf(first), await pidOf(first)];
  await second.query("begin");
  const others = await pidOf(second);
  own.push(await pidOf(first));
  await second.query("rollback");
  if (new Set(own).size === 1 && !own.includes(others)) return;
  throw new Error(
    "Between Rowmill and PostgreSQL is a pooler that shares sessions among clients (such as PgBouncer with pool_mode = transaction): " +
      "connect ROWMILL_DATABASE_URL to PostgreSQL itself, or set pool_mode = session for this database. " +
      "Rowmill has a pool of its own; ROWMILL_DATABASE_CONNECTIONS bounds it.",
  );
}

async function pidOf(session: Session): Promise<unknown> {
  const { rows } = await session.query("select pg_backend_pid() as pid");
  return rows[0]?.["pid"];
}
