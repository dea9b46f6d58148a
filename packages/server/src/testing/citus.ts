/** A database on the Citus cluster of the tests. Set by `npm run test:citus`: connection strings of the coordinator, then of its workers. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { migrateDatabase } from "../platform/database/migrate.ts";
import { cleanUpLater } from "./cleanup.ts";
import { databaseAt } from "./database-statements.ts";
import { openTestPool } from "./test-database.ts";

export const SERVERS = (process.env["ROWMILL_TEST_CITUS"] ?? "").split(" ");

export async function runOn(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  // A server of a test may be killed.
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

export interface ClusterDatabase {
  /** On the coordinator. */
  url: string;
  /** On the workers. */
  workers: string[];
}

/** With Citus and its workers, and without any table. */
export async function newClusterDatabase(): Promise<ClusterDatabase> {
  const name = `rowmill_${randomBytes(6).toString("hex")}`;
  const urls = SERVERS.map((server) => databaseAt(server, name));
  for (const [at, server] of SERVERS.entries()) {
    await runOn(server, `create database ${name} template template0 encoding 'UTF8' locale 'C'`);
    await runOn(urls[at] ?? "", "create extension citus");
  }
  const [url = "", ...workers] = urls;
  cleanUpLater(async () => {
    for (const server of SERVERS) await runOn(server, `drop database if exists ${name} with (force)`);
  });
  const nodeOf = (address: string): string => `'127.0.0.1', ${new URL(address).port}`;
  await runOn(
    url,
    `select citus_set_coordinator_host(${nodeOf(url)})`,
    ...workers.map((worker) => `select citus_add_node(${nodeOf(worker)})`),
  );
  return { url, workers };
}

export async function migrate(url: string): Promise<void> {
  const pool = openTestPool(url, 1);
  await migrateDatabase(pool, new URL("../platform/database/migrations/", import.meta.url));
  await pool.end();
}
