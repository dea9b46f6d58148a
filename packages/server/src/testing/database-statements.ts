/** Databases on the PostgreSQL of the tests. */
import { Pool } from "pg";

/** As the embedded database of the service: text compares by code point. A copy of `template`, which nobody may be using. */
export const createDatabase = (serverUrl: string, name: string, template: string): Promise<void> =>
  runStatement(
    serverUrl,
    template === "template0"
      ? `create database ${name} template template0 encoding 'UTF8' locale 'C'`
      : // The files are copied as they are, which for a small database is far less than the blocks through the log.
        `create database ${name} template ${template} strategy file_copy`,
  );

export const dropDatabase = (serverUrl: string, name: string): Promise<void> =>
  runStatement(serverUrl, `drop database if exists ${name} with (force)`);

/** Nobody uses it, and nobody can any more, so that it can be copied at any time. */
export async function closeDatabase(serverUrl: string, name: string): Promise<void> {
  await runStatement(serverUrl, `alter database ${name} with allow_connections false`);
  await runStatement(
    serverUrl,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  );
}

export function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A new connection costs PostgreSQL a hundred times what such a statement does, and most files need two of these. */
const IDLE_TIMEOUT_MS = 10_000;
const pools = new Map<string, Pool>();

async function runStatement(url: string, statement: string): Promise<void> {
  let pool = pools.get(url);
  if (pool === undefined) {
    // An idle connection does not keep the process, and may be ended with the server.
    pool = new Pool({ connectionString: url, max: 2, idleTimeoutMillis: IDLE_TIMEOUT_MS, allowExitOnIdle: true });
    pool.on("error", () => undefined);
    pools.set(url, pool);
  }
  await pool.query(statement);
}
