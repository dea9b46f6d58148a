/** The job queue: pg-boss on the service's own PostgreSQL. Few coarse jobs; never one job per row. */
import type { JobWithMetadata } from "pg-boss";
import type { Transaction } from "../database/database.ts";
import type { Log } from "../log.ts";
import { sendLater } from "../database/database.ts";
import { BEAT_SECONDS, captureWake, createBoss, startBoss } from "./boss.ts";
import type { QueueConnections } from "./boss.ts";
import { followDueJobs } from "./due-jobs.ts";
import type { DueJobsParts } from "./due-jobs.ts";
import { JobRunner, ownerOf } from "./job-runner.ts";
import type { Job } from "./job-runner.ts";
import { followLostJobs } from "./lost-jobs.ts";
import type { LostJobsParts } from "./lost-jobs.ts";
import { createOutages } from "./outages.ts";
import type { Outages } from "./outages.ts";
import { createQueuePlaces } from "./places.ts";
import type { Concurrency, QueuePlaces } from "./places.ts";
import { watchSilence } from "./silence.ts";
import type { Silence } from "./silence.ts";
import { present } from "../present.ts";

const STOP_TIMEOUT_MS = 25_000;
/** Of each worker, while pg-boss is not notified of new jobs. Otherwise it looks every 30 seconds, and when `due-jobs.ts` wakes it. */
const POLLING_SECONDS = 0.5;

export type { Job } from "./job-runner.ts";

export interface JobOptions {
  /** Higher is served first. */
  priority?: number;
  startAfterSeconds?: number;
}

/** Who may want the place of a job: another one, or one that was taken from a lost worker, and no process has a free place. */
export type Wanted = "by nobody" | "by others" | "by a lost job";

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
    concurrency: Concurrency,
    handler: (job: Job<T>) => Promise<void>,
  ): Promise<void>;
  /** Who may want one of the places that this process has for jobs of the queue. */
  wanted(name: string): Wanted;
  /** Whether a job of the queue has waited for a place of any process for a second. */
  isWaitedFor(name: string): boolean;
  /** Takes no more jobs, waits for running jobs, which may still send, and closes; a second call waits for the same stop. */
  stop(): Promise<void>;
}

export async function openQueue(
  connectionString: string,
  queues: readonly string[],
  log: Log,
  connections: QueueConnections = {},
): Promise<Queue> {
  const places = new Map<string, QueuePlaces>();
  const placesOf = (name: string): QueuePlaces | undefined => places.get(name);
  const boss = createBoss(connectionString, connections, placesOf);
  const wakeWorkers = captureWake(boss.getDb());
  const { execute, silence } = watchSilence((text: string, values?: unknown[]) =>
    boss.getDb().executeSql(text, values),
  );
  const outages = createOutages(log, () => execute("select 1"));
  boss.on("error", (error) => outages.report(error));
  await startBoss(boss, queues);
  const worked = new Set<string>();
  const reportOutage = (error: unknown): void => outages.report(error);
  const looks = startLooks({ log, execute, queues: worked, wakeWorkers, onError: reportOutage }, outages, silence);
  // pg-boss pauses after a job until it is notified of another one; those that wait already were notified of before.
  const runner = new JobRunner({ log, execute, reportOutage, placesOf, onFree: looks.wake });

  async function stop(): Promise<void> {
    const lookedLast = looks.stop();
    // First of all no more is taken, or a job that is released would be taken again at once.
    await Promise.all([...worked].map((name) => boss.offWork(name, { wait: false })));
    await runner.stop();
    await lookedLast;
    await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
    outages.stop();
  }

  async function insert(tx: Transaction, name: string, data: readonly object[], options?: JobOptions): Promise<void> {
    const jobs = data.map((each) => ({ data: each, ...toBoss(each, options) }));
    await boss.insert(name, jobs, { db: laterIn(tx, `enqueue_${name}`) });
  }

  let stopped: Promise<void> | undefined;
  return {
    enqueue: (tx, name, data, options) => insert(tx, name, [data], options),
    enqueueAll: insert,
    async enqueueNow(name, data, options) {
      await boss.send(name, data, toBoss(data, options));
    },
    async work<T extends object>(name: string, concurrency: Concurrency, handler: (job: Job<T>) => Promise<void>) {
      places.set(name, createQueuePlaces(concurrency));
      worked.add(name);
      await boss.work(name, workOptions(concurrency), async (jobs: JobWithMetadata<T>[]) => {
        for (const job of jobs) await runner.run(name, job, handler);
      });
    },
    wanted: (name) => looks.waitingFor(name) ?? (placesOf(name)?.areTaken() === true ? "by others" : "by nobody"),
    isWaitedFor: (name) => looks.waitingFor(name) !== undefined,
    stop: () => (stopped ??= stop()),
  };
}

/** For jobs that are due, and for those of lost workers. */
function startLooks(
  parts: Omit<DueJobsParts, "reportWaiting"> & Pick<LostJobsParts, "execute">,
  outages: Outages,
  silence: Silence,
) {
  let due: ReadonlySet<string> = new Set();
  let lost: ReadonlySet<string> = new Set();
  const dueJobs = followDueJobs({ ...parts, reportWaiting: (names) => (due = names) });
  const lostJobs = followLostJobs({
    ...parts,
    wasAway: (withinMs) => outages.wasAway(withinMs),
    silence,
    reportWaiting: (names) => (lost = names),
  });
  return {
    wake: () => dueJobs.wake(),
    /** Undefined: no job of the queue waits for a place. */
    waitingFor(name: string): Wanted | undefined {
      if (lost.has(name)) return "by a lost job";
      return due.has(name) ? "by others" : undefined;
    },
    stop: () => Promise.all([dueJobs.stop(), lostJobs.stop()]),
  };
}

/** How many jobs of one organization may be among them is said where they are fetched (`places.ts`). */
function workOptions(concurrency: Concurrency) {
  return {
    localConcurrency:
      typeof concurrency === "number" ? concurrency : concurrency.places + (concurrency.mostWithoutPlace ?? 0),
    batchSize: 1,
    includeMetadata: true as const,
    pollingIntervalSeconds: POLLING_SECONDS,
    heartbeatRefreshSeconds: BEAT_SECONDS,
  };
}

/** The jobs of an organization are a group of pg-boss, no matter which process sends them. */
function toBoss(data: object, options: JobOptions = {}) {
  const { organizationId } = ownerOf(data);
  return {
    ...present({ priority: options.priority, startAfter: options.startAfterSeconds }),
    ...(organizationId === undefined ? {} : { group: { id: organizationId } }),
  };
}

/** pg-boss' statement for this queue is the same each time, and large: it is planned once for a connection. Nobody asks for its rows. */
const laterIn = (tx: Transaction, name: string) => ({
  async executeSql(text: string, values: unknown[] = []) {
    await sendLater(tx, { name, text, values });
    return { rows: [] };
  },
});
