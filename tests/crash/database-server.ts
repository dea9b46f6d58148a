/** The PostgreSQL of a deployment: one that this program runs, or the one that the service brings along. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { inspectProcess, readPostmasterFile } from "@rowmill/server/platform/database/embedded/postmaster-pid";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import type { EmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { until } from "./findings.ts";
import { signalIfThere } from "./processes.ts";

/** A server that is to end at once does so in milliseconds: only what hangs takes so long. */
const GONE_BOUND_MS = 120_000;
/** The recovery after a crash replays little here: the same. */
const READY_BOUND_MS = 300_000;

export interface DatabaseServer {
  /** Of a superuser. */
  url(): Promise<string>;
  port(): Promise<number>;
  pid(): Promise<number | undefined>;
  /** Of all its servers: the process of each that starts the others. */
  postmasters(): Promise<number[]>;
  /** Starts it if it does not run, and waits until it accepts connections. */
  ensure(): Promise<void>;
  /** Ends it by this signal and waits for that: SIGKILL, SIGQUIT (immediate shutdown), SIGINT (fast shutdown). */
  end(signal: NodeJS.Signals): Promise<void>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Of a cluster: the servers that have the large tables. */
  nodes?: readonly ClusterNode[];
}

/** One server of a cluster. */
export interface ClusterNode {
  name: string;
  /** Its processes, first the one that starts the others; none while it does not run. */
  pids(): number[];
}

/** Servers outlive the program that started them; these end with it. */
const postmasters = new Set<number>();
process.once("exit", () => {
  for (const pid of postmasters) {
    signalIfThere(pid, "SIGQUIT");
    // One that stands still ends only when it goes on.
    signalIfThere(pid, "SIGCONT");
  }
});

/** `dataDirectory` is that of the embedded database. */
export function createDatabaseServer(dataDirectory: string, isRunHere: boolean): DatabaseServer {
  const cluster = join(dataDirectory, "cluster");
  const pgdata = join(cluster, "pgdata");
  let database: EmbeddedDatabase | undefined;

  const readPostmaster = async () => {
    const file = await readPostmasterFile(pgdata);
    return file !== undefined && (await inspectProcess(file.pid)) === "postgres" ? file : undefined;
  };
  const url = async (): Promise<string> => {
    const [password, port] = await Promise.all(
      ["password", "port"].map(async (name) => (await readFile(join(cluster, name), "utf8")).trim()),
    );
    return `postgres://postgres:${encodeURIComponent(password ?? "")}@127.0.0.1:${port}/postgres`;
  };
  const pid = async (): Promise<number | undefined> => (await readPostmaster())?.pid;
  const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new Client({ connectionString: await url(), connectionTimeoutMillis: 5_000 });
    // A connection that breaks later fails the statement that uses it.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    url,
    port: async () => Number((await readFile(join(cluster, "port"), "utf8")).trim()),
    pid,
    postmasters: async () => [await pid()].filter((one) => one !== undefined),
    async ensure() {
      if (isRunHere && database === undefined)
        database = await startEmbeddedDatabase({ dataDirectory, onExit: () => (database = undefined) });
      await until("the database accepts connections", READY_BOUND_MS, () =>
        query("select 1 as one").catch(() => undefined),
      );
      const server = await readPostmaster();
      if (server !== undefined) postmasters.add(server.pid);
    },
    async end(signal) {
      const server = await readPostmaster();
      if (server === undefined) return;
      postmasters.delete(server.pid);
      process.kill(server.pid, signal);
      await until("PostgreSQL has ended", GONE_BOUND_MS, async () =>
        (await inspectProcess(server.pid)) === "postgres" ? undefined : true,
      );
      if (isRunHere) await until("its end is noticed", GONE_BOUND_MS, async () => database === undefined || undefined);
    },
    query,
  };
}
