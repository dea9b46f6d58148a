/** The job queue: pg-boss on the service's own PostgreSQL. Few coarse jobs; never one job per row. */
import type { Socket } from "node:net";
import { PgBoss, fromKysely } from "pg-boss";
import type { ConstructorOptions, JobWithMetadata } from "pg-boss";
import type { Transaction } from "../database/database.ts";
import { runAs } from "../current-work.ts";
import type { Log } from "../log.ts";
import { isUnavailable, statementsOf } from "../database/database.ts";
import { followDueJobs } from "./due-jobs.ts";
import { createOutages } from "./outages.ts";

/** The least pg-boss allows: a job of a dead worker is taken again about ten seconds after its last beat. */
const HEARTBEAT_SECONDS = 10;
/** Longest a job may be active; every task ends its turn long before, or beats. */
const EXPIRE_SECONDS = 6 * 3600;
/**
 * Pauses before a job is tried again whose task has thrown: 1, 2, 4 … seconds. A job of a dead worker is taken over without one.
 * The last pause is about as long as an outage is tolerable after its end.
 */
const LONGEST_RETRY_PAUSE_SECONDS = 60;
/** Deaths of workers that a job survives. Rows count their own attempts, so this only bounds a worker that always dies. */
const RETRY_LIMIT = 100;
const STOP_TIMEOUT_MS = 25_000;
const CONNECTIONS = 8;
/** Above the pauses of its own looks: otherwise each of them would connect again. */
const IDLE_TIMEOUT_MS = 60_000;
/** Of each worker, while pg-boss is not notified of new jobs. Otherwise it looks every 30 seconds, and when `due-jobs.ts` wakes it. */
const POLLING_SECONDS = 0.5;
/** Between two looks for jobs of dead workers. Each look also counts the jobs of all queues, which costs some milliseconds. */
const SUPERVISE_SECONDS = 2;

export interface JobOptions {
  /** Higher is served first. */
  priority?: number;
  startAfterSeconds?: number;
  /** Whose job it is, where `mostOfGroup` bounds how many of one owner a process works on at once. */
  group?: string;
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
  /** The same for several jobs that may begin at once, in one statement. */
  enqueueAll(
    tx: Transaction,
    name: string,
    data: readonly object[],
    options?: Omit<JobOptions, "startAfterSeconds">,
  ): Promise<void>;
  /** Outside any transaction, for work that finds out by itself what is to do. */
  enqueueNow(name: string, data: object, options?: JobOptions): Promise<void>;
  /** What the handler throws is logged with the job, once, and the job is tried again after a pause that grows. */
  work<T extends object>(
    name: string,
    concurrency: number | { places: number; mostOfGroup: number },
    handler: (job: Job<T>) => Promise<void>,
  ): Promise<void>;
  /** Takes no more jobs, waits for running jobs, which may still send, and closes; a second call waits for the same stop. */
  stop(): Promise<void>;
}

/** `openSocket` leads to a server other than that of the connection string. */
export async function openQueue(
  connectionString: string,
  queues: readonly string[],
  log: Log,
  openSocket?: () => Socket,
): Promise<Queue> {
  const options: ConstructorOptions = {
    connectionString,
    max: CONNECTIONS,
    application_name: "rowmill queue",
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // A warning for operators who watch pg-boss itself.
    monitorVacuum: false,
  };
  // Its pool and its connection for notifications pass on what `pg` knows and its own types do not name.
  const boss = new PgBoss(
    Object.assign(options, {
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      ...(openSocket === undefined ? {} : { stream: openSocket }),
    }),
  );
  const wakeWorkers = captureWake(boss.getDb());
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
    ...(options.group === undefined ? {} : { group: { id: options.group } }),
  });
  /** What is added to the time of the job's next try, should this one fail or its worker die. */
  const setRetryPause = (name: string, id: string, seconds: number) =>
    boss.getDb().executeSql("update pgboss.job set retry_delay = $3 where name = $1 and id = $2", [name, id, seconds]);
  /** Before the job is failed. */
  async function reportFailure(name: string, job: { id: string; data: object }, pauseBefore: number, error: unknown) {
    if (isUnavailable(error)) return outages.report(error);
    const retryAfterSeconds = Math.min(Math.max(1, pauseBefore * 2), LONGEST_RETRY_PAUSE_SECONDS);
    const organizationId =
      "organizationId" in job.data && typeof job.data.organizationId === "string" ? job.data.organizationId : undefined;
    log.error({ err: error, queue: name, jobId: job.id, organizationId, retryAfterSeconds }, "a queued task failed");
    await setRetryPause(name, job.id, retryAfterSeconds);
  }
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();
  async function runJob<T extends object>(
    name: string,
    { id, data, signal, retryDelay }: JobWithMetadata<T>,
    handler: (job: Job<T>) => Promise<void>,
  ): Promise<void> {
    // It was fetched when the queue stopped: since it fails here, another worker gets it.
    stopping.signal.throwIfAborted();
    const attempt = async (): Promise<void> => {
      // The pause of the last failure must not delay the takeover from a worker that dies.
      if (retryDelay > 0) await setRetryPause(name, id, 0);
      await handler({ id, data, signal, stopping: stopping.signal });
    };
    const work = runAs({ name, jobId: id, ...ownerOf(data) }, attempt);
    inFlight.add(work);
    try {
      await work;
    } catch (error) {
      // Released at the stop, or taken by another worker: nothing has failed.
      if (!stopping.signal.aborted && !signal.aborted) await reportFailure(name, { id, data }, retryDelay, error);
      throw error;
    } finally {
      inFlight.delete(work);
      // pg-boss pauses after a job until it is notified of another one; those that wait already were notified of before.
      dueJobs.wake();
    }
  }
  const worked = new Set<string>();
  const dueJobs = followDueJobs({
    log,
    execute: (text, values) => boss.getDb().executeSql(text, values),
    queues: worked,
    wakeWorkers,
    onError: (error) => outages.report(error),
  });
  let stopped: Promise<void> | undefined;
  return {
    async enqueue(tx, name, data, options) {
      await boss.send(name, data, { ...toBoss(options), db: fromKysely(tx.withoutPlugins()) });
    },
    async enqueueAll(tx, name, data, options) {
      const jobs = data.map((each) => ({ data: each, ...toBoss(options) }));
      await boss.insert(name, jobs, { db: preparedIn(tx, `enqueue_all_${name}`) });
    },
    async enqueueNow(name, data, options) {
      await boss.send(name, data, toBoss(options));
    },
    async work<T extends object>(
      name: string,
      concurrency: number | { places: number; mostOfGroup: number },
      handler: (job: Job<T>) => Promise<void>,
    ) {
      worked.add(name);
      const { places, mostOfGroup } =
        typeof concurrency === "number" ? { places: concurrency, mostOfGroup: undefined } : concurrency;
      await boss.work(
        name,
        {
          localConcurrency: places,
          ...(mostOfGroup === undefined ? {} : { localGroupConcurrency: mostOfGroup }),
          batchSize: 1,
          includeMetadata: true,
          pollingIntervalSeconds: POLLING_SECONDS,
        },
        async (jobs: JobWithMetadata<T>[]) => {
          for (const job of jobs) await runJob(name, job, handler);
        },
      );
    },
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<void> {
    const lookedLast = dueJobs.stop();
    // First of all no more is taken, or a job that is released would be taken again at once.
    await Promise.all([...worked].map((name) => boss.offWork(name, { wait: false })));
    stopping.abort(new Error("the service is stopping"));
    // What they throw is pg-boss's to record; here it only matters that they have ended.
    await Promise.allSettled(inFlight);
    await lookedLast;
    await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
    outages.stop();
  }
}

/** pg-boss' statement for this queue is the same each time, and large: it is planned once for a connection. */
const preparedIn = (tx: Transaction, name: string) => ({
  async executeSql(text: string, values: unknown[] = []) {
    const { rows } = await statementsOf(tx).query({ name, text, values });
    return { rows };
  },
});

/**
 * Makes the workers of a queue look for jobs, as a notification of pg-boss does. pg-boss wakes a queue only by its notifications, so
 * that this takes what it listens with, before it starts.
 */
function captureWake(db: ReturnType<PgBoss["getDb"]>): (queue: string) => void {
  const listen = db.listen?.bind(db);
  if (listen === undefined) throw new Error("pg-boss does not listen on this database");
  let wake: (queue: string) => void = () => undefined;
  db.listen = (channel, onNotification, onReconnect) => {
    wake = onNotification;
    return listen(channel, onNotification, onReconnect);
  };
  return (queue) => wake(queue);
}

/** Whose a job is, as far as its data says. */
function ownerOf(data: object): { organizationId?: string; runId?: string } {
  const { organizationId, runId } = data as Record<string, unknown>;
  return {
    ...(typeof organizationId === "string" ? { organizationId } : {}),
    ...(typeof runId === "string" ? { runId } : {}),
  };
}
