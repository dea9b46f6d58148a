/**
 * A standby that long reads may go to, so that they cost the primary nothing. A read sees there at least what was committed on the
 * primary when the read was asked for; where the standby does not come so far in time, or fails in the middle, it goes to the primary.
 *
 * After a promotion there may be standbys of the old primary, whose log goes on as well: its positions are no longer comparable. PostgreSQL
 * numbers these timelines, and a standby of another one is not read. It learns of a new one a checkpoint later at worst, after five minutes.
 */
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../log.ts";
import { openDatabase } from "./database.ts";
import type { Statements } from "./database.ts";
import { createTasks } from "./tenants.ts";

export interface Replica {
  /**
   * For single reads of an organization that begin from now on. They are to read what no longer changes: each statement may be executed
   * by another server than the one before.
   */
  readsOf(organizationId: string, primary: Statements): Promise<Statements>;
  close(): Promise<void>;
}

/** Where none is configured. */
export const noReplica: Replica = {
  readsOf: (_, primary) => Promise.resolve(primary),
  close: () => Promise.resolve(),
};

/** A file that takes minutes may wait as long as a standby that works is behind. */
const LONGEST_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 100;
/**
 * A page of an export is read in milliseconds. A standby that stands still, or whose machine is gone without a word, would be waited for
 * until its connection is found silent, a minute later, by each export again.
 */
const LONGEST_RESPONSE_MS = 10_000;
/** Exports that are written at once, and one that reads ahead. */
const CONNECTIONS = 4;

export async function openReplica(
  connectionString: string | undefined,
  roles: { service?: string; task?: string },
  log: Log,
): Promise<Replica> {
  if (connectionString === undefined) return noReplica;
  const onError = (error: Error): void => log.warn({ err: error }, "a connection to the replica was lost");
  const database = openDatabase(connectionString, { max: CONNECTIONS, onError });
  await database.workAs(roles.service);
  const tasks = createTasks(database, roles.task);
  return {
    async readsOf(organizationId, primary) {
      const { statements } = tasks.of(organizationId);
      try {
        const problem = await inTime(catchUp(statements, await readPosition(primary)));
        if (problem === undefined) return withFallback(statements, primary, log);
        log.warn(`the replica ${problem}: the primary is read`);
      } catch (error) {
        log.warn({ err: error }, "the replica cannot be asked: the primary is read");
      }
      return primary;
    },
    close: () => database.close(),
  };
}

interface Position {
  at: string;
  timeline: number;
}

/** The end of what the primary has written to its log. The name of its file begins with the timeline. */
async function readPosition(primary: Statements): Promise<Position> {
  const { rows } = await primary.query<Position>({
    name: "read-wal-position",
    text: `select at::text as at, ('x' || left(pg_walfile_name(at), 8))::bit(32)::int as timeline
             from (select pg_current_wal_insert_lsn() as at) position`,
    values: [],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL did not say the position of its log");
  return row;
}

/** Undefined: it has all up to there. Of what is no standby (any more), nobody knows what it has. */
async function catchUp(standby: Statements, { at, timeline }: Position): Promise<string | undefined> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { rows } = await standby.query<{ isStandby: boolean; isOfTimeline: boolean; has: boolean | null }>({
      name: "has-replayed",
      text: `select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn() >= $1::pg_lsn as has,
               (select greatest(c.timeline_id, r.min_recovery_end_timeline) = $2
                  from pg_control_checkpoint() c, pg_control_recovery() r) as "isOfTimeline"`,
      values: [at, timeline],
    });
    const [state] = rows;
    if (state?.isStandby !== true) return "is no standby";
    if (!state.isOfTimeline) return "is of another timeline";
    if (state.has === true) return undefined;
    if (performance.now() >= deadline) return `is behind after ${LONGEST_WAIT_MS / 1_000} seconds`;
    await pause(LOOK_EVERY_MS);
  }
}

/** What comes later is of no interest, whether it is a response or an error. */
async function inTime<Response>(response: Promise<Response>): Promise<Response> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      response,
      pause(LONGEST_RESPONSE_MS, undefined, { signal: ended.signal }).then(() => {
        throw new Error(`the replica has not responded in ${LONGEST_RESPONSE_MS / 1_000} seconds`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

/** A standby ends reads that stand in the way of its replay, and goes away like any server. */
function withFallback(standby: Statements, primary: Statements, log: Log): Statements {
  let hasFailed = false;
  return {
    async query<R extends pg.QueryResultRow>(statement: { name: string; text: string; values: unknown[] }) {
      if (!hasFailed) {
        try {
          return await inTime(standby.query<R>(statement));
        } catch (error) {
          hasFailed = true;
          log.warn({ err: error }, "a read failed on the replica: the primary is read");
        }
      }
      return await primary.query<R>(statement);
    },
  };
}
