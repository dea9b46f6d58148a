/**
 * Gives jobs of workers that are gone to others. A worker beats for each of its jobs; a job without a beat for as long as its queue says
 * (`boss.ts`) is lost, and is taken again.
 *
 *   look ──▶ takes what is lost, and reads when the first of the other jobs would be, without a further beat ──▶ the next look is then
 *
 * A job that is begun after a look cannot be lost before the next one, which is at most `LONGEST_PAUSE_MS` later. So a loss is seen at
 * the moment at which it is one, by one statement every few seconds in each process that works.
 *
 * A process that stood still itself, or could not reach the database, does not know whether the others are gone or had the same trouble: it
 * gives them the time for a beat before it looks.
 */
import { startWakefulLoop } from "../wakeful-loop.ts";
import type { WakefulLoop } from "../wakeful-loop.ts";
import { BEAT_SECONDS, LOST_AFTER_SECONDS } from "./boss.ts";
import type { DueJobsParts } from "./due-jobs.ts";

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
/** More than a busy machine lets a statement wait. The next look goes ahead all the same. */
export const LATE_MS = 2_000;

export interface LostJobsParts extends Omit<DueJobsParts, "execute"> {
  execute: (sql: string, values: unknown[]) => Promise<{ rows: Look[] }>;
  /** Whether the database is away, or was in the last milliseconds. */
  wasAway: (withinMs: number) => boolean;
  now?: () => number;
}

interface Look {
  /** Of the database's clock, in milliseconds since 1970. */
  database_ms: number;
  /** Nothing was taken: the statement came late. */
  is_late: boolean;
  /** Queues of which a job was taken. */
  taken: string[];
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
  const { execute, queues, wakeWorkers, wasAway, onError, now = Date.now } = parts;
  let dueAt = now();
  let isCareful = false;
  /** What the database's clock showed, and ours: together they say when a statement should arrive. */
  let last: { databaseMs: number; at: number } | undefined;

  function after(pauseMs: number): number {
    dueAt = now() + pauseMs;
    return pauseMs;
  }

  return async () => {
    if (queues.size === 0) return after(START_MS);
    // Once: a machine that is always so late must not keep lost jobs for ever.
    const wasCareful = isCareful;
    const isStalled = !wasCareful && now() - dueAt > STALLED_MS;
    isCareful = isStalled || wasAway(BEAT_AGAIN_MS);
    if (isCareful) return after(BEAT_AGAIN_MS);
    try {
      const expectedMs = last === undefined || wasCareful ? null : last.databaseMs + performance.now() - last.at;
      const { rows } = await execute(TAKE_LOST_JOBS, [[...queues], expectedMs]);
      const [look] = rows;
      if (look === undefined) throw new Error("a look for lost jobs has no row");
      const { taken, next_ms: nextMs } = look;
      last = { databaseMs: look.database_ms, at: performance.now() };
      isCareful = look.is_late;
      if (isCareful) return after(BEAT_AGAIN_MS);
      for (const name of taken) wakeWorkers(name);
      return after(nextMs === null ? LONGEST_PAUSE_MS : Math.min(Math.max(0, nextMs) + BEHIND_MS, LONGEST_PAUSE_MS));
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
const LOST_AT = "j.heartbeat_on + j.heartbeat_seconds * interval '1 s'";
const DATABASE_MS = "(extract(epoch from now()) * 1000)::float8";
/** A database that stood still has kept beats waiting, too: whether the statement comes before them is chance. */
const IS_LATE = `coalesce(${DATABASE_MS} - $2::float8 > ${LATE_MS}, false)`;
const TAKE_LOST_JOBS = `
  with lost as (
    select j.name, j.id from pgboss.job j
    where ${ACTIVE} and ${LOST_AT} < now() and not ${IS_LATE} for update skip locked),
  taken as (
    update pgboss.job j
    set state = 'retry', heartbeat_on = null, start_after = now() + j.retry_delay * interval '1 s',
      output = '{"value": {"message": "job heartbeat timeout"}}'
    from lost where j.name = lost.name and j.id = lost.id
    returning j.name, j.id)
  select ${DATABASE_MS} as database_ms, ${IS_LATE} as is_late, array(select distinct name from taken) as taken,
    (select (extract(epoch from min(${LOST_AT}) - now()) * 1000)::float8 from pgboss.job j
     where ${ACTIVE} and j.id not in (select id from taken)) as next_ms`;
