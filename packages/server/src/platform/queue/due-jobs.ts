/**
 * Finds jobs of which nothing notifies: those whose time has come, those that waited for a place, those that were taken from dead workers,
 * and those whose notification was lost.
 * One query for all queues of the process replaces a query by each of its idle workers, of which there are dozens.
 */
import { startWakefulLoop } from "../wakeful-loop.ts";
import type { WakefulLoop } from "../wakeful-loop.ts";
import type { Log } from "../log.ts";

/** Half of this is the mean delay of such a job. */
const EVERY_MS = 500;
/**
 * Between two looks where places become free: longer, and short jobs would wait for it; shorter, and the looks would cost as much as the
 * jobs.
 */
const LEAST_PAUSE_MS = 50;
/** A job that is due for longer waits for a place: a process with a free one needs less to fetch it. */
export const WAITING_MS = 1_000;

interface QueueWithDueJobs {
  name: string;
  /** Its first job has been due for `WAITING_MS`. */
  isWaiting: boolean;
}

export interface DueJobsParts {
  log: Log;
  execute: (sql: string, values: unknown[]) => Promise<{ rows: QueueWithDueJobs[] }>;
  /** Names of the queues whose workers run here. */
  queues: ReadonlySet<string>;
  /** Makes the idle workers of a queue look for jobs. */
  wakeWorkers: (queue: string) => void;
  /** Queues of which jobs wait for a place. */
  reportWaiting: (queues: ReadonlySet<string>) => void;
  onError: (error: unknown) => void;
}

export function followDueJobs({
  log,
  execute,
  queues,
  wakeWorkers,
  reportWaiting,
  onError,
}: DueJobsParts): WakefulLoop {
  return startWakefulLoop(log, {
    name: "look for due jobs",
    leastPauseMs: LEAST_PAUSE_MS,
    pass: async () => {
      if (queues.size === 0) return EVERY_MS;
      try {
        const { rows } = await execute(FIND_QUEUES_WITH_DUE_JOBS, [[...queues]]);
        reportWaiting(new Set(rows.filter(({ isWaiting }) => isWaiting).map(({ name }) => name)));
        for (const { name } of rows) wakeWorkers(name);
      } catch (error) {
        onError(error);
      }
      return EVERY_MS;
    },
  });
}

/**
 * With the order in which jobs are taken, though any job would do: it is that of one index, and so the first job is all that is read of a
 * queue, whatever the statistics say. They are often those of a time at which nothing waited.
 */
export const FIND_QUEUES_WITH_DUE_JOBS = `
  select q.name, due.start_after < now() - interval '${WAITING_MS} ms' as "isWaiting"
  from unnest($1::text[]) q (name) cross join lateral (
    select j.start_after from pgboss.job j
    where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now()
    order by j.priority desc, j.created_on limit 1) due`;
