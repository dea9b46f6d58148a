/**
 * Rows that rest: an attempt has failed, and they wait for the next one under no claim. Where the secret of their connection is another
 * one, they need not wait for what was said of the one before. A job wakes them, after the commit of the new secret: there may be hundreds of
 * thousands of their chunks, which workers write meanwhile.
 */
import { randomInt } from "node:crypto";
import { sql } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import { beginJobsNow } from "../../platform/queue/jobs.ts";
import type { Job, Queue } from "../../platform/queue/queue.ts";
import { forgetLimiters } from "../../processors/limiter/read-limiters.ts";
import { findUnfinishedRuns } from "./unfinished-runs.ts";

export const WAKE_QUEUE = "wake-rows";
/** Of a process, each of another organization: short statements, one after the other. */
export const WAKES_AT_ONCE = { places: 2, mostOfOrganization: 1 };
/**
 * By then, a lane that was leaving its place while the secret was replaced has sent itself for a later time, and what came of a call with the old
 * one, just before, has reached the limiter.
 */
const AGAIN_AFTER_SECONDS = 2;
/** Chunks of one statement, which workers wait for: some milliseconds. */
const CHUNKS_AT_ONCE = 1_000;

/**
 * SQL: where `not_before` of a chunk is before this, its rows are due that wait for another attempt, whatever they wait for. Each wake has a
 * moment of its own, so that a lane which has seen one knows the next from it.
 */
export const WAKES_BEFORE = "'2000-01-01 00:00:00Z'::timestamptz";
/** Whole milliseconds, which a `Date` keeps. */
const newWake = (): Date => new Date(randomInt(Date.UTC(2000, 0)));

export interface WakeJob {
  organizationId: string;
  connectionId: string;
  /** The chunks were woken by an earlier job. */
  isSecond?: true;
}

/** `laneQueue`: of runs that call connections. Their lanes wait for what rests, or for a provider that has paused the calls of the old secret. */
export const createWakeWorker =
  ({ tasks, queue }: { tasks: Pick<Tasks, "of">; queue: Pick<Queue, "enqueueNow"> }, laneQueue: string) =>
  async ({ data }: Pick<Job<WakeJob>, "data">): Promise<void> => {
    const { organizationId, connectionId, isSecond } = data;
    const { db } = tasks.of(organizationId);
    const wake = newWake();
    const runIds = await findUnfinishedRuns(db, organizationId, connectionId);
    if (isSecond) await forgetLimiters(db, organizationId, connectionId);
    else
      for (const runId of runIds)
        for (let after: number | null = -1; after !== null;) after = await wakeSome(db, runId, wake, after);
    await beginJobsNow(db, laneQueue, sql`j.data->>'runId' = any(${runIds})`);
    if (isSecond) return;
    const second: WakeJob = { organizationId, connectionId, isSecond: true };
    await queue.enqueueNow(WAKE_QUEUE, second, { startAfterSeconds: AGAIN_AFTER_SECONDS });
  };

/**
 * Those behind this number; returns up to which it has, or null where there were none. A chunk that waits for its claim since the last wake
 * needs no other one; a lane that has claimed it may have seen that one, and tried its rows with the secret before.
 */
async function wakeSome(db: Database["db"], runId: string, wake: Date, after: number): Promise<number | null> {
  const rests = sql`
    run_id = ${runId} and state <> 'done' and suspects is null
      and (state = 'running' or state = 'pending' and booked is not null and (not_before < ${sql.raw(WAKES_BEFORE)}) is not true)`;
  const { rows } = await sql<{ last: number | null }>`
    select max(chunk_no) as last from (
      select chunk_no from run_chunks where ${rests} and chunk_no > ${after} order by chunk_no limit ${CHUNKS_AT_ONCE}) found`.execute(
    db,
  );
  const last = rows[0]?.last ?? null;
  if (last !== null)
    await sql`
      update run_chunks set not_before = ${wake}
      where ${rests} and chunk_no > ${after} and chunk_no <= ${last}`.execute(db);
  return last;
}
