/** pg-boss with the settings of this service. `queue.ts` and what stands beside it are the only users. */
import type { Socket } from "node:net";
import { PgBoss } from "pg-boss";
import type { ConstructorOptions } from "pg-boss";
import type { ClientBase, Pool } from "pg";
import { IDLE_TIMEOUT_MS, NOTICE_LOST_CLIENTS } from "../database/database.ts";
import { listen } from "../database/notifications.ts";
import { watchConnections } from "../database/silent-connections.ts";
import type { Heartbeat } from "../database/notifications.ts";
import type { QueuePlaces } from "./places.ts";
import { shareFetches } from "./shared-fetches.ts";
import type { Execute } from "./shared-fetches.ts";
import { present } from "../present.ts";

/** A job of a worker that is gone is taken again ten seconds after its last beat (`lost-jobs.ts`). */
export const LOST_AFTER_SECONDS = 10;
/**
 * The same for pg-boss' own look at all queues, which does not ask whether the database has kept beats waiting: longer than a database stands
 * still whose workers are to keep their jobs. It finds what the other look leaves out.
 * Of a job that a worker has, and not of its queue: a worker of an earlier version beats by what it finds there.
 */
export const LOST_FOR_BOSS_SECONDS = 120;
/** Two beats may fail, or a worker may stand still for seven seconds, and it keeps its jobs. */
export const BEAT_SECONDS = 3;
/** Longest a job may be active; every task ends long before, or beats. */
const EXPIRE_SECONDS = 6 * 3600;
/** Deaths of workers that a job survives. Rows count their own attempts, so this only bounds a worker that always dies. */
const RETRY_LIMIT = 100;
const CONNECTIONS = 8;
/** As of the other pools: idle connections to a machine that is gone are noticed. */
const KEEP_ALIVE_DELAY_MS = 5_000;
/** Of the pool: it stays with the listener. */
const LISTENING_CONNECTIONS = 1;
/**
 * Between two looks of pg-boss at all queues: for jobs that expire, have no retry left, or may be deleted. Each also counts the jobs of all
 * queues, by reading all of the table. Jobs of workers that are gone do not wait for it.
 */
const SUPERVISE_SECONDS = 60;
/** Between two looks for jobs that wait for other jobs: the service has none. */
const FLOW_SECONDS = 3600;

export interface QueueConnections {
  /** Leads to a server other than that of the connection string. */
  openSocket?: (() => Socket) | undefined;
  /** The most there may be, beside the one that listens. */
  connections?: number | undefined;
  /** Of the one that listens. */
  heartbeat?: Heartbeat | undefined;
}

export function createBoss(
  connectionString: string,
  { openSocket, connections = CONNECTIONS, heartbeat }: QueueConnections,
  placesOf?: (queue: string) => QueuePlaces | undefined,
): PgBoss {
  const options: ConstructorOptions = {
    connectionString,
    max: connections + LISTENING_CONNECTIONS,
    application_name: "rowmill queue",
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    flowIntervalSeconds: FLOW_SECONDS,
    // A warning for operators who watch pg-boss itself.
    monitorVacuum: false,
  };
  const watch = watchConnections(connectionString, openSocket);
  // Its pool passes on what `pg` knows and its own types do not name.
  const boss = new PgBoss(
    Object.assign(options, {
      // Above the pauses of its own looks: otherwise each of them would connect again.
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      onConnect: (client: ClientBase) => {
        watch(client);
        return client.query(NOTICE_LOST_CLIENTS);
      },
      ...present({ stream: openSocket }),
    }),
  );
  const db = boss.getDb();
  // It passes what it executes on to its pool, which takes statements with names, too.
  const fetches = { lostAfterSeconds: LOST_FOR_BOSS_SECONDS, ...present({ placesOf }) };
  db.executeSql = shareFetches(db.executeSql.bind(db) as unknown as Execute, fetches);
  listenOnPool(boss, heartbeat);
  return boss;
}

/**
 * In place of the connection that pg-boss would open to listen: of that one, PostgreSQL does not notice for two hours that this machine is
 * gone, and after a long outage it comes back half a minute later.
 */
function listenOnPool(boss: PgBoss, heartbeat: Heartbeat | undefined): void {
  const db = boss.getDb();
  db.listen = (channel, onNotification, onReconnect) => {
    // Of pg-boss' own database; it is opened before anybody listens.
    const { pool } = db as unknown as { pool: Pool };
    const receive = (queue?: string): void => (queue === undefined ? onReconnect() : onNotification(queue));
    const onLost = (error: unknown): void => void boss.emit("error", error as Error);
    const listener = listen({ pool }, { [channel]: receive }, onLost, heartbeat);
    return Promise.resolve({ close: async () => listener.stop() });
  };
}

export async function startBoss(boss: PgBoss, queues: readonly string[]): Promise<void> {
  await boss.start();
  // pg-boss has read at its start what it needs of those that are there; of a queue that is made, each worker would read it again.
  const known = new Set((await boss.getQueues()).map(({ name }) => name));
  for (const name of queues) {
    if (known.has(name)) continue;
    await boss.createQueue(name, {
      policy: "standard",
      heartbeatSeconds: LOST_AFTER_SECONDS,
      retryLimit: RETRY_LIMIT,
      retryDelay: 0,
      expireInSeconds: EXPIRE_SECONDS,
      deleteAfterSeconds: 3600,
      notify: true,
    });
  }
}

/**
 * Makes the workers of a queue look for jobs, as a notification of pg-boss does. pg-boss wakes a queue only by its notifications, so
 * that this takes what it listens with, before it starts.
 */
export function captureWake(db: ReturnType<PgBoss["getDb"]>): (queue: string) => void {
  const listen = db.listen?.bind(db);
  if (listen === undefined) throw new Error("pg-boss does not listen on this database");
  let wake: (queue: string) => void = () => undefined;
  db.listen = (channel, onNotification, onReconnect) => {
    wake = onNotification;
    return listen(channel, onNotification, onReconnect);
  };
  return (queue) => wake(queue);
}
