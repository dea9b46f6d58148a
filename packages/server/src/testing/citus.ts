/**
 * A database on the Citus cluster of the tests. Set by `npm run test:citus`: connection strings of the coordinator, then of its workers.
 */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { distributeDatabase } from "../platform/database/distribute.ts";
import type { Distribution } from "../platform/database/distribute.ts";
import { cleanUpLater } from "./cleanup.ts";
import { databaseAt } from "./database-statements.ts";

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

/** On all servers, without any table, and without Citus. `owner`: a role that exists. */
export async function newClusterDatabase(owner?: string): Promise<ClusterDatabase> {
  const name = `rowmill_${randomBytes(6).toString("hex")}`;
  const urls = SERVERS.map((server) => databaseAt(server, name));
  const owned = owner === undefined ? "" : ` owner ${owner}`;
  for (const server of SERVERS)
    await runOn(server, `create database ${name}${owned} template template0 encoding 'UTF8' locale 'C'`);
  const [url = "", ...workers] = urls;
  cleanUpLater(async () => {
    for (const server of SERVERS) await runOn(server, `drop database if exists ${name} with (force)`);
  });
  return { url, workers };
}

/** What is asked of an operator before `rowmill database distribute`. */
export async function addCitus({ url, workers }: ClusterDatabase): Promise<void> {
  for (const server of [url, ...workers]) await runOn(server, "create extension citus");
  const nodeOf = (address: string): string => `'127.0.0.1', ${new URL(address).port}`;
  await runOn(
    url,
    `select citus_set_coordinator_host(${nodeOf(url)})`,
    ...workers.map((worker) => `select citus_add_node(${nodeOf(worker)})`),
  );
}

/** `breaks` says at which statement the command is killed. */
export async function distribute(
  url: string,
  breaks?: (statement: string, values?: unknown[]) => boolean,
): Promise<Distribution> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await distributeDatabase({
      escapeIdentifier: (name) => client.escapeIdentifier(name),
      async query(text, values) {
        if (breaks?.(text, values) === true) throw new Error("killed");
        return client.query<Record<string, unknown>>(text, values);
      },
    });
  } finally {
    await client.end();
  }
}
