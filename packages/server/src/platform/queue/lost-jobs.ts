/**
 * Gives jobs of workers that are gone to others. A worker beats for each of its jobs; a job without a beat for ten seconds
 * (`boss.ts`) is lost, and is taken again.
 *
 *   look ──▶ takes what is lost, and reads when the first of the other jobs would be, without a further beat ──▶ the next look is then
 *
 * A job that is begun after a look cannot be lost before the next one, which is at most `LONGEST_PAUSE_MS` later. So a loss is seen at
 * the moment at which it is one, by one statement every few seconds in each process that works.
 *
 * A job that was taken waits for a place, in whatever process one is free. Where none is after a second, the process that has taken it asks
 * its own workers to make room (`wanted` of `queue.ts`).
 *
 * A process that stood still itself, or could not reach the database, does not know whether the others are gone or had the same trouble: it
 * gives them the time for a beat before it looks. So it does where the database stands still, or did so a moment ago: it may respond to a
 * look before it has taken the beats that came meanwhile.
 */
import { startWakefulLoop } from "../wakeful-loop.ts";
import type { WakefulLoop } from "../wakeful-loop.ts";
import { BEAT_SECONDS, LOST_AFTER_SECONDS } from "./boss.ts";
import { WAITING_MS } from "./due-jobs.ts";
import type { DueJobsParts } from "./due-jobs.ts";
import { SILENT_MS } from "./silence.ts";
import type { Silence } from "./silence.ts";

const LONGEST_PAUSE_MS = 1_000 * LOST_AFTER_SECONDS;
/** Behind the moment of a loss, which the database compares exactly, and a timer does not. */
const BEHIND_MS = 20;
/** Of a lost job whose row is locked by a beat or an end that is on its way. */
const LEAST_PAUSE_MS = 250;
/** After a start, and from one look for queues to work on to the next. */
const START_MS = 2_000;
/** A worker that lives has beaten again after this time. */
export const BEAT_AGAIN_MS = 1_000 * (BEAT_SECONDS + 1);
/** Workers bear as much without a loss, and a busy machine delays timers for a while. */
const STALLED_MS = 5_000;
export const LATE_MS = SILENT_MS;
/** In a row: a machine that is always so late must not keep lost jobs for ever. */
export const MOST_LATE_LOOKS = 2;

export interface LostJobsParts extends Omit<DueJobsParts, "execute"> {
  execute: (sql: string, values: unknown[]) => Promise<{ rows: Look[] }>;
  /** Whether the database is away, or was in the last milliseconds. */
  wasAway: (withinMs: number) => boolean;
  silence: Silence;
  /** Queues of which a job that was taken still waits for a place. */
  reportWaiting: (queues: ReadonlySet<string>) => void;
  now?: () => number;
}

interface Look {
  /** Of the database's clock, in milliseconds since 1970. */
  database_ms: number;
  /** Nothing was taken: the statement came late. */
  is_late: boolean;
  /** Jobs that were taken, and their queues. */
  taken: { id: string; name: string }[];
  /** Of the jobs that were taken before, those that still wait. */
  waiting: { id: string; name: string }[];
  /** Until the next job is lost; null where none is active. */
  next_ms: number | null;
}

export function followLostJobs(parts: LostJobsParts): WakefulLoop {
  return startWakefulLoop(parts.log, {
    name: "look for jobs of lost workers",
    leastPauseMs: LEAST_PAUSE_MS,
    pass: createLook(parts),
  });
}

/** A look, which returns after how many milliseconds the next one is due. */
export function createLook(parts: LostJobsParts): () => Promise<number> {
  const { execute, queues, wakeWorkers, wasAway, silence, reportWaiting, onError, now = Date.now } = parts;
  let dueAt = now();
  let isCareful = false;
  let lateLooks = 0;
  /** Ids of jobs that were taken here, and may still wait for a place. */
  let waitingIds: string[] = [];
  /** What the database's clock showed, and ours: together they say when a statement should arrive. */
  let last: { databaseMs: number; at: number } | undefined;

  function after(pauseMs: number): number {
    dueAt = now() + pauseMs;
    return pauseMs;
  }

  return async () => {
    if (queues.size === 0) return after(START_MS);
    // Its end is what the next look is careful about.
    if (silence.lasts()) {
      isCareful = false;
      return after(BEAT_AGAIN_MS);
    }
    // Once: a machine that is always so late must not keep lost jobs for ever.
    const wasCareful = isCareful;
    const isStalled = !wasCareful && now() - dueAt > STALLED_MS;
    const wasSilent = !wasCareful && silence.hasEnded(BEAT_AGAIN_MS);
    isCareful = isStalled || wasSilent || wasAway(BEAT_AGAIN_MS);
    if (isCareful) return after(BEAT_AGAIN_MS);
    try {
      const expectedMs =
        last === undefined || lateLooks >= MOST_LATE_LOOKS ? null : last.databaseMs + performance.now() - last.at;
      const { rows } = await execute(TAKE_LOST_JOBS, [[...queues], expectedMs, waitingIds]);
      const [look] = rows;
      if (look === undefined) throw new Error("a look for lost jobs has no row");
      const { taken, waiting, next_ms: nextMs } = look;
      last = { databaseMs: look.database_ms, at: performance.now() };
      isCareful = look.is_late;
      lateLooks = isCareful ? lateLooks + 1 : 0;
      if (isCareful) return after(BEAT_AGAIN_MS);
      for (const name of new Set(taken.map((job) => job.name))) wakeWorkers(name);
      reportWaiting(new Set(waiting.map(({ name }) => name)));
      waitingIds = [...taken, ...waiting].map(({ id }) => id);
      const longestMs = waitingIds.length > 0 ? WAITING_MS : LONGEST_PAUSE_MS;
      return after(nextMs === null ? longestMs : Math.min(Math.max(0, nextMs) + BEHIND_MS, longestMs));
    } catch (error) {
      onError(error);
      return after(BEAT_AGAIN_MS);
    }
  };
}

/**
 * The group of a job is its organization, and each job has one: the index of active jobs with a group finds them. What has no group, or
 * no retry left, is seen by pg-boss' own look, once a minute. As there, a job keeps its number of attempts until it is begun again, so that
 * nothing which its former worker may still say of it counts.
 */
const ACTIVE = `j.name = any($1::text[]) and j.state = 'active' and j.group_id is not null and j.retry_count < j.retry_limit`;
const LOST_AT = `j.heartbeat_on + interval '${LOST_AFTER_SECONDS} s'`;
const DATABASE_MS = "(extract(epoch from now()) * 1000)::float8";
/** A database that stood still has kept beats waiting, too: whether the statement comes before them is chance. */
const IS_LATE = `coalesce(${DATABASE_MS} - $2::float8 > ${LATE_MS}, false)`;
const TAKE_LOST_JOBS = `
  with lost as (
    select j.name, j.id from pgboss.job j
    where ${ACTIVE} and ${LOST_AT} < now() and not ${IS_LATE} for update skip locked),
  taken as (
    update pgboss.job j
    set state = 'retry', heartbeat_on = null, heartbeat_seconds = ${LOST_AFTER_SECONDS}, start_after = now() + j.retry_delay * interval '1 s',
      output = '{"value": {"message": "job heartbeat timeout"}}'
    from lost where j.name = lost.name and j.id = lost.id
    returning j.name, j.id)
  select ${DATABASE_MS} as database_ms, ${IS_LATE} as is_late,
    (select coalesce(json_agg(json_build_object('id', id, 'name', name)), '[]')::jsonb from taken) as taken,
    (select coalesce(json_agg(json_build_object('id', j.id, 'name', j.name)), '[]')::jsonb from pgboss.job j
     where j.name = any($1::text[]) and j.id = any($3::uuid[]) and j.state = 'retry' and j.start_after <= now()) as waiting,
    (select (extract(epoch from min(${LOST_AT}) - now()) * 1000)::float8 from pgboss.job j
     where ${ACTIVE} and j.id not in (select id from taken)) as next_ms`;
