/** The database of a start: found or started, migrated, with the roles and the queue on it. */
import type { Socket } from "node:net";
import type { Config } from "../config.ts";
import { startOwnDatabase } from "../own-database.ts";
import { checkServer } from "../platform/database/check-server.ts";
import { followDatabaseClock } from "../platform/database/database-clock.ts";
import { openDatabase } from "../platform/database/database.ts";
import type { Database } from "../platform/database/database.ts";
import type { EmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import { markDistributed } from "../platform/database/distribution-marks.ts";
import { readDistribution } from "../platform/database/read-distribution.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import { followPrimary, readServers } from "../platform/database/primary.ts";
import { openReplica } from "../platform/database/replica.ts";
import { prepareRoles } from "../platform/database/roles.ts";
import { queueTables } from "../platform/queue/queue-tables.ts";
import { createTasks, createTenants, seeingAll } from "../platform/database/tenants.ts";
import { waitForServer } from "../platform/database/wait-for-server.ts";
import type { StartPatience } from "../platform/database/wait-for-server.ts";
import { refuseUnfinishedRestore } from "../platform/database/unfinished-restore.ts";
import { createLateWrites } from "../platform/database/late-writes.ts";
import type { Log } from "../platform/log.ts";
import { openQueue } from "../platform/queue/queue.ts";
import type { Services } from "../services.ts";
import type { Stops } from "./stops.ts";

type Data = Pick<Services, "database" | "clock" | "tenants" | "ofAll" | "tasks" | "replica" | "lateWrites" | "queue">;

export interface DataParts {
  config: Config;
  log: Log;
  queueNames: readonly string[];
  /** Called when the embedded database is lost and cannot be taken back. */
  onFatal: (error: Error) => void;
  /** One that is started already. */
  ownDatabase: Promise<EmbeddedDatabase> | undefined;
  connectTimeoutMs: number | undefined;
  queueConnections: number | undefined;
  /** Aborts when the process is asked to stop before it has started. */
  stopping: AbortSignal | undefined;
}

export async function openData(parts: DataParts, stops: Stops): Promise<Data> {
  const { config, log } = parts;
  const waitMs = config.ROWMILL_DATABASE_WAIT_SECONDS * 1000;
  const until = performance.now() + waitMs;
  const patience: StartPatience = { log, until, stopping: parts.stopping, hasLogged: false };
  const server = await findServer(parts, patience, stops);
  // The embedded database runs by now, however long it took; on a busy machine a connection to it may still take too long.
  if (config.ROWMILL_DATABASE_URL === undefined) patience.until = performance.now() + waitMs;
  const database = await openMigratedDatabase(server, parts, patience, stops);
  // Stopped before what its jobs work with (`startService`); here for a start that fails.
  const queue = await openQueue(server.connectionString, parts.queueNames, log, {
    openSocket: server.openSocket,
    connections: parts.queueConnections,
  });
  stops.add(() => queue.stop());
  // Up to here as the owner of the tables.
  const roles = await prepareRoles(database.pool, queueTables, config.ROWMILL_ROW_LEVEL_SECURITY, log);
  await database.workAs(roles.service);
  // Once for the process: the tables are distributed while none runs.
  const distributed = await readDistribution(database.pool);
  if (distributed) for (const way of [database.db, database.statements]) markDistributed(way);
  const replicaUrl = distributed ? undefined : config.ROWMILL_DATABASE_REPLICA_URL;
  if (replicaUrl !== config.ROWMILL_DATABASE_REPLICA_URL)
    log.warn("ROWMILL_DATABASE_REPLICA_URL is not used: the tables are distributed over several servers");
  const replica = await openReplica(replicaUrl, roles, log);
  stops.add(() => replica.close());
  const clock = await followDatabaseClock(database.statements, log);
  stops.add(() => clock.stop());
  const lateWrites = createLateWrites(log);
  stops.add(() => lateWrites.stop());
  return {
    database,
    clock,
    tenants: createTenants(database, roles.tenant, { lists: true, isDistributed: distributed }),
    ofAll: seeingAll(database, roles.service),
    tasks: createTasks(database, roles.task, distributed),
    replica,
    lateWrites,
    queue,
  };
}

/** `openSocket`, if any, is how connections reach the primary of several servers. */
interface Server {
  connectionString: string;
  openSocket?: () => Socket;
}

async function findServer(
  { config, log, onFatal, ownDatabase }: DataParts,
  patience: StartPatience,
  stops: Stops,
): Promise<Server> {
  if (config.ROWMILL_DATABASE_URL !== undefined) {
    await refuseUnfinishedRestore(config.ROWMILL_DATA_DIR);
    const servers = readServers(config.ROWMILL_DATABASE_URL);
    if (servers.length === 1) return { connectionString: config.ROWMILL_DATABASE_URL };
    const primary = await followPrimary(servers, patience);
    stops.add(async () => primary.stop());
    return primary;
  }
  if (ownDatabase !== undefined) return { connectionString: (await ownDatabase).connectionString };
  const embedded = await startOwnDatabase(config, log, onFatal);
  stops.add(() => embedded.stop());
  return { connectionString: embedded.connectionString };
}

async function openMigratedDatabase(
  { connectionString, openSocket }: Server,
  { config, log, connectTimeoutMs, stopping }: DataParts,
  patience: StartPatience,
  stops: Stops,
): Promise<Database> {
  if (config.ROWMILL_DATABASE_URL !== undefined)
    await waitForServer(patience, () => checkServer(connectionString, openSocket));
  const database = openDatabase(connectionString, {
    max: config.ROWMILL_DATABASE_CONNECTIONS,
    openSocket,
    connectTimeoutMs,
    onError: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  stops.add(() => database.close());
  const migrations = new URL("../platform/database/migrations/", import.meta.url);
  // On a busy server the next connection may take too long again; what was applied stays.
  await waitForServer(patience, () => migrateDatabase(database.pool, migrations, { log, stopping }));
  return database;
}
