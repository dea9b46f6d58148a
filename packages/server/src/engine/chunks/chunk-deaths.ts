/**
 * What is known of a chunk at which workers die, or whose work fails without a death.
 *
 *   two deaths with the chunk claimed ──▶ its rows go one by one, each named before: a death then makes that row a suspect
 *   suspects come last, each tried while the process has nothing else in flight: only a death then counts against the row
 *   the second one that counts ──▶ `poison_row`
 *
 * Killing the service makes suspects of innocent rows, which then succeed in their trials. Between two trials of a chunk lies
 * a pause, so that kills in quick succession do not hit the same row twice. An error is no death: the chunk is released, and
 * waits longer each time.
 */
import type { Statements } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { WAKES_BEFORE } from "../../resources/connections/wake-rows.ts";
import { byNumber } from "./chunk-key.ts";

/** SQL: `$5` is the longest one. */
const FAILURE_PAUSE = "make_interval(secs => least($5::int, power(2, least(failures, 10))))";

export interface ClaimOfChunk {
  chunkNo: number;
  claimNo: number;
}

/** Workers also die of power cuts and deployments: only then is a chunk taken row by row. */
export const DEATHS_BEFORE_CARE = 2;
/** Once may be a power cut. */
export const LONE_DEATHS = 2;
/** Longer than a service is restarted again and again, by a person or by what looks after it. */
const TRIAL_PAUSE_SECONDS = 60;
const LONGEST_FAILURE_PAUSE_SECONDS = 60;
/** With pauses of 1, 2, 4 … 60 seconds: about a quarter of an hour, in which an operator may repair what is broken. */
export const MAX_CHUNK_FAILURES = 20;

const TRIALS = "coalesce((c.suspects->>c.suspect_row::text)::int, 0) + c.is_trial::int";
const TRIAL_PAUSE = `interval '${TRIAL_PAUSE_SECONDS} seconds'`;

const columnsAfterDeath = (died: string, suspect: string, afterPause: string): string => `
  deaths = c.deaths + (${died})::int,
  suspects = case when (${died}) and c.suspect_row is not null then coalesce(c.suspects, '{}') ||
    ${suspect} else c.suspects end,
  not_before = case when (${died}) and c.is_trial then ${afterPause} else c.not_before end,
  suspect_row = null, is_trial = false`;

/** Columns of the chunk `c`, as they are after a death of its worker. `died`: SQL. */
export const afterDeath = (died: string): string =>
  columnsAfterDeath(died, `jsonb_build_object(c.suspect_row::text, ${TRIALS})`, `now() + ${TRIAL_PAUSE}`);

/**
 * The same on a cluster, where a `case` takes no function that is not immutable: `t.now` is the time without its zone, with which sums and
 * comparisons are. After the columns comes `FROM_NOW`.
 */
export const afterDeathOnCluster = (died: string): string =>
  columnsAfterDeath(
    died,
    `('{"' || c.suspect_row || '":' || ${TRIALS} || '}')::jsonb`,
    `(t.now + ${TRIAL_PAUSE}) at time zone 'UTC'`,
  );
export const FROM_NOW = "from (select now() at time zone 'UTC' as now) t";

/**
 * Writes which row is taken next, alone in the chunk's work or in the whole process, so that a worker that dies of it leaves a
 * trace. False: the claim is lost.
 */
export async function markSuspect(
  client: Statements,
  runId: string,
  chunk: ClaimOfChunk,
  rowIndex: number,
  isTrial: boolean,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "mark_suspect",
    values: [runId, chunk.chunkNo, chunk.claimNo, rowIndex, isTrial],
    text: `
      update run_chunks set suspect_row = $4, is_trial = $5
      where run_id = $1 and chunk_no = $2 ${byNumber(client, "$1")} and claim_no = $3 and state = 'running'`,
  });
  return rowCount === 1;
}

/** `wokenUsage`: what the chunk carries, as it is once its rows were woken (`wokenUsageOf`). Absent: nothing is known of them. */
interface FailedChunk extends ClaimOfChunk {
  wokenUsage?: string | null;
}

/**
 * Releases a chunk whose work ended with an error. Returns how often in a row it has; undefined: the claim is lost. An outage of the
 * database is no failure of the chunk. `not_before` holds either the pause or the mark of a chunk whose rows were woken. Where the pause
 * overwrites that mark, `booked` takes times at which these rows are due.
 */
export async function releaseFailedChunk(
  client: Statements,
  runId: string,
  chunk: FailedChunk,
  isOutage: boolean,
): Promise<number | undefined> {
  const { rows } = await client.query<{ failures: number }>({
    name: "release_failed_chunk",
    values: [
      runId,
      chunk.chunkNo,
      chunk.claimNo,
      isOutage ? 0 : 1,
      LONGEST_FAILURE_PAUSE_SECONDS,
      chunk.wokenUsage ?? null,
    ],
    text: `
      update run_chunks set state = 'pending', claimed_by = null, suspect_row = null, is_trial = false, failures = failures + $4,
        booked = coalesce((case when not_before < ${WAKES_BEFORE} then $6::text end)::json, booked),
        not_before = case when $4 = 0 then not_before
          else ${isDistributed(client) ? `(t.now + ${FAILURE_PAUSE}) at time zone 'UTC'` : `now() + ${FAILURE_PAUSE}`} end
      ${isDistributed(client) ? FROM_NOW : ""}
      where run_id = $1 and chunk_no = $2 ${byNumber(client, "$1")} and claim_no = $3 and state = 'running'
      returning failures`,
  });
  return rows[0]?.failures;
}

/** On a cluster a run is visible a moment before its chunks: whether nothing of it is there yet. */
export async function areChunksUnseen(client: Statements, runId: string): Promise<boolean> {
  if (!isDistributed(client)) return false;
  const { rows } = await client.query({
    name: "has_chunks",
    values: [runId],
    text: "select 1 from run_chunks where run_id = $1 limit 1",
  });
  return rows.length === 0;
}

/** SQL: one that came due, or was woken, since the lane had found none, and one that it finds due when it comes. */
const RESTS = [`not_before < ${WAKES_BEFORE}`, "not_before > now() - interval '10 seconds'"];

/** Seconds, at least one, until the first of the run's chunks that rest or wait may be claimed; undefined when none does. */
export async function secondsUntilNextChunk(client: Statements, runId: string): Promise<number | undefined> {
  const { rows } = await client.query<{ seconds: number | null }>({
    name: "seconds_until_next_chunk",
    isOrdered: true,
    values: [runId],
    // The order of the index `run_chunks_pending`, of which each part reads one entry.
    text: `
      select ceil(extract(epoch from min(not_before) - now()))::int as seconds from (${RESTS.map(
        (rests) => `(
          select not_before from run_chunks
          where run_id = $1 and state = 'pending' and ${rests} order by not_before, chunk_no limit 1)`,
      ).join(" union all ")}) first`,
  });
  const seconds = rows[0]?.seconds ?? undefined;
  return seconds === undefined ? undefined : Math.max(1, seconds);
}
