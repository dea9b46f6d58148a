/** The job queue: pg-boss on the service's own PostgreSQL. Few coarse jobs; never one job per row. */
import { PgBoss, fromKysely } from "pg-boss";
import type { Transaction } from "../database/database.ts";
import type { Log } from "../log.ts";
import { createOutages } from "./outages.ts";

/** The least pg-boss allows: a job of a dead worker is taken again about ten seconds after its last beat. */
const HEARTBEAT_SECONDS = 10;
/** Longest a job may be active; every task ends its turn long before, or beats. */
const EXPIRE_SECONDS = 6 * 3600;
/** Deaths of workers that a job survives. Rows count their own attempts, so this only bounds a worker that always dies. */
const RETRY_LIMIT = 100;
const STOP_TIMEOUT_MS = 25_000;
const CONNECTIONS = 8;
/**
 * Nothing notifies of a job whose time has come, or that is taken from a dead worker: it is found by looking. pg-boss would
 * look every 30 seconds once it is notified of the others.
 */
const POLLING_SECONDS = 0.5;

export interface JobOptions {
  /** Higher is served first. */
  priority?: number;
  startAfterSeconds?: number;
  /** At most one waiting job of the queue with this key. */
  singletonKey?: string;
}

export interface Job<T> {
  id: string;
  data: T;
  /** Aborted when another worker has the job. */
  signal: AbortSignal;
  /** Aborted when the process stops: for work that is better begun again than waited for. */
  stopping: AbortSignal;
}

export interface Queue {
  /** In the transaction of what asks for the work: the job exists exactly if that commits. */
  enqueue(tx: Transaction, name: string, data: object, options?: JobOptions): Promise<void>;
  /** Outside any transaction, for work that finds out by itself what is to do. */
  enqueueNow(name: string, data: object, options?: JobOptions): Promise<void>;
  work<T extends object>(name: string, concurrency: number, handler: (job: Job<T>) => Promise<void>): Promise<void>;
  /** Takes no more jobs, waits for those in hand, which may still send, and closes. */
  stop(): Promise<void>;
}

export async function openQueue(connectionString: string, queues: readonly string[], log: Log): Promise<Queue> {
  const boss = new PgBoss({
    connectionString,
    max: CONNECTIONS,
    application_name: "rowmill queue",
    useListenNotify: true,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  const outages = createOutages(log, () => boss.getDb().executeSql("select 1"));
  boss.on("error", (error) => outages.report(error));
  await boss.start();
  for (const name of queues) {
    await boss.createQueue(name, {
      policy: "standard",
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: RETRY_LIMIT,
      retryDelay: 0,
      expireInSeconds: EXPIRE_SECONDS,
      deleteAfterSeconds: 3600,
      notify: true,
    });
  }
  const toBoss = (options: JobOptions = {}) => ({
    ...(options.priority === undefined ? {} : { priority: options.priority }),
    ...(options.startAfterSeconds === undefined ? {} : { startAfter: options.startAfterSeconds }),
    ...(options.singletonKey === undefined ? {} : { singletonKey: options.singletonKey }),
  });
  const stopping = new AbortController();
  const worked = new Set<string>();
  const inHand = new Set<Promise<void>>();
  return {
    async enqueue(tx, name, data, options) {
      await boss.send(name, data, { ...toBoss(options), db: fromKysely(tx.withoutPlugins()) });
    },
    async enqueueNow(name, data, options) {
      await boss.send(name, data, toBoss(options));
    },
    async work<T extends object>(name: string, concurrency: number, handler: (job: Job<T>) => Promise<void>) {
      worked.add(name);
      await boss.work<T>(
        name,
        {
          localConcurrency: concurrency,
          batchSize: 1,
          pollingIntervalSeconds: POLLING_SECONDS,
          notifyPollingIntervalSeconds: POLLING_SECONDS,
        },
        async (jobs) => {
          for (const { id, data, signal } of jobs) {
            // It was on its way when the queue was told to take no more: as it fails here, another worker gets it.
            stopping.signal.throwIfAborted();
            const work = handler({ id, data, signal, stopping: stopping.signal });
            inHand.add(work);
            try {
              await work;
            } finally {
              inHand.delete(work);
            }
          }
        },
      );
    },
    async stop() {
      // First of all no more is taken, or a job that is given back would be taken again at once.
      await Promise.all([...worked].map((name) => boss.offWork(name, { wait: false })));
      stopping.abort(new Error("the service is stopping"));
      // What they throw is pg-boss's to record; here it only matters that they have ended.
      await Promise.allSettled(inHand);
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
      outages.stop();
    },
  };
}
