/** The database of an installation, for a program beside its service, which may be running or not. */
import type { Socket } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import type { Config } from "../config.ts";
import { checkServer } from "../platform/database/check-server.ts";
import {
  findRunningDatabase,
  hasDatabase,
  startEmbeddedDatabase,
} from "../platform/database/embedded/embedded-database.ts";
import { followPrimary, readServers } from "../platform/database/primary.ts";
import type { Log } from "../platform/log.ts";
import { endWithProcess } from "./end-with-process.ts";
import { BackupPathError } from "./manifest.ts";
import { present } from "../platform/present.ts";

/** A promotion that is under way ends within this time. */
const PROMOTION_MS = 30_000;

export interface ReachedDatabase {
  connectionString: string;
  openSocket?: () => Socket;
  close(): Promise<void>;
}

/** Starts the embedded database for the time until `close` where no service runs on it. */
export async function reachDatabase(config: Config, log: Log): Promise<ReachedDatabase> {
  if (config.ROWMILL_DATABASE_URL !== undefined) return reachServer(config.ROWMILL_DATABASE_URL, log);
  const dataDirectory = join(config.ROWMILL_DATA_DIR, "postgres");
  if (!(await hasDatabase(dataDirectory)))
    throw new BackupPathError(
      `There is no database in ${dataDirectory}.`,
      "Set ROWMILL_DATA_DIR or ROWMILL_DATABASE_URL as the service has it.",
    );
  const running = await findRunningDatabase(dataDirectory);
  if (running !== undefined) return { connectionString: running, close: async () => {} };
  const started = await startEmbeddedDatabase({ dataDirectory });
  const stopped = endWithProcess(() => started.stopAtOnce());
  return {
    connectionString: started.connectionString,
    async close() {
      await started.stop();
      stopped();
    },
  };
}

export async function reachServer(url: string, log: Log): Promise<ReachedDatabase> {
  const servers = readServers(url);
  if (servers.length === 1) {
    await checkServer(url);
    return { connectionString: url, close: async () => {} };
  }
  const until = performance.now() + PROMOTION_MS;
  // The line of a start names a setting that does not hold here.
  const primary = await followPrimary(servers, { log, until, hasLogged: true });
  const { connectionString, openSocket } = primary;
  return { connectionString, openSocket, close: async () => primary.stop() };
}

export async function withConnection<T>(
  { connectionString, openSocket }: Pick<ReachedDatabase, "connectionString" | "openSocket">,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: "rowmill backup",
    keepAlive: true,
    ...present({ stream: openSocket }),
  });
  // A connection that breaks is reported by the running statement.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
