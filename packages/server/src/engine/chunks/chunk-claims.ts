/**
 * Claims on chunks. A chunk is `pending`, `running`, which one lane job has claimed, or `done`:
 *
 *   pending ──claim──▶ running ──commit──▶ done
 *      ▲                  │ ▲                       flush: results so far are committed, the chunk stays claimed
 *      └────release───────┘ └─claim again: the same job, given to another worker since the first one died
 *
 * In runs that use a provider's batches it can be `submitted` as well, claimed by nobody: see `provider-batches/`.
 *
 * Each claim takes a new number, and every write proves in its own statement that the number still holds. So a worker that
 * was taken for dead cannot write late, results stand or fall with the counters, and no row is recorded twice. A job takes back only the
 * claims that it found when it was given to its worker: a worker that stood still then does not take them from the next one.
 */
import type { Statements } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { alwaysById } from "../../platform/database/row-key.ts";
import { alwaysByNumber } from "./chunk-key.ts";
import { WAKES_BEFORE } from "../../resources/connections/wake-rows.ts";
import { DEATHS_BEFORE_CARE, FROM_NOW, afterDeath, afterDeathOnCluster } from "./chunk-deaths.ts";
import type { ClaimOfChunk } from "./chunk-deaths.ts";

export interface ClaimedChunk {
  chunkNo: number;
  firstRow: number;
  lastRow: number;
  picked: number[] | null;
  claimNo: number;
  /** Workers that died with the chunk claimed. */
  deaths: number;
  /** Of rows by index that were named when a worker died: how often it had nothing else in flight then. */
  suspects: Readonly<Record<string, number>>;
  /** No suspect is tried by this claim: the last trial is too near. */
  isPaused: boolean;
  /** Rows that rest are due now: what they wait for has changed. The mark of it; null: it has not. */
  wake: Date | null;
  /** It was released for some time before, under whatever claim. */
  hasRested: boolean;
  /** JSON text: of rows by index, what they have used that the counters have already. */
  carriedUsage: string | null;
  /** The number of the last segment that was written; each commit under the claim counts it up. */
  lastPart: number;
  /** The dataset's chunk, where the claim has read it. */
  body: Buffer | null;
}

interface ChunkRow {
  chunk_no: number;
  first_row: number;
  last_row: number;
  picked: number[] | null;
  claim_no: number;
  deaths: number;
  suspects: Record<string, number> | null;
  is_paused: boolean;
  wake: Date | null;
  has_rested: boolean;
  carried_usage: string | null;
  last_part: number;
  body?: Buffer | null;
}

export interface ClaimOptions {
  /** How many of the chunk's rows it begins at once: they are in flight until it reports which ones are. */
  begins?: number;
  /** Claims of lost workers that had the same job (`findLeftClaims` of `lane-turns.ts`): their chunks come first. */
  takesBack?: readonly ClaimOfChunk[];
}

/** More are not listed by a claim: the list is written with every commit of the chunk, and most chunks end before the first report. */
const MOST_LISTED_BY_CLAIM = 100;

/** SQL: whether the chunk has one of these claims. */
const isAmongClaims = (chunkNos: string, claimNos: string): string =>
  `claim_no = (${claimNos}::int[])[array_position(${chunkNos}::int[], chunk_no)]`;
const numbersOf = (claims: readonly ClaimOfChunk[]): [chunkNos: number[], claimNos: number[]] => [
  claims.map(({ chunkNo }) => chunkNo),
  claims.map(({ claimNo }) => claimNo),
];

/** Those that a job has, from all workers that had it. */
export async function findClaims(client: Statements, runId: string, jobId: string): Promise<ClaimOfChunk[]> {
  const { rows } = await client.query<{ chunk_no: number; claim_no: number }>({
    name: "find_claims",
    values: [runId, jobId],
    text: `
      select chunk_no, claim_no from run_chunks
      where run_id = $1 and state <> 'done' and state = 'running' and claimed_by = $2 order by chunk_no`,
  });
  return rows.map((row) => ({ chunkNo: row.chunk_no, claimNo: row.claim_no }));
}

export interface RunOfChunks {
  organizationId: string;
  id: string;
  /** Undefined: the claim does not read the dataset. */
  datasetId?: string;
}

/**
 * The run's next pending chunk, or one of those that are taken back. The run's row is locked against
 * a change of its state, and before the chunk: otherwise a run could end between the look at it and the claim.
 */
export async function claimChunk(
  client: Statements,
  run: RunOfChunks,
  jobId: string,
  { begins = 1, takesBack = [] }: ClaimOptions = {},
): Promise<ClaimedChunk | undefined> {
  const claim = isDistributed(client) ? claimOnCluster : claimAtOnce;
  const row = await claim(client, run, jobId, Math.min(begins, MOST_LISTED_BY_CLAIM), takesBack);
  return row === undefined
    ? undefined
    : {
        chunkNo: row.chunk_no,
        firstRow: row.first_row,
        lastRow: row.last_row,
        picked: row.picked,
        claimNo: row.claim_no,
        deaths: row.deaths,
        suspects: row.suspects ?? {},
        isPaused: row.is_paused,
        wake: row.wake,
        hasRested: row.has_rested,
        carriedUsage: row.carried_usage,
        lastPart: row.last_part,
        body: row.body ?? null,
      };
}

/**
 * Chunks of lost workers that the job will not claim again become pending. False: none was there any more. What a transaction of a lost
 * worker still has locked is waited for.
 */
export async function releaseClaims(
  client: Statements,
  runId: string,
  claims: readonly ClaimOfChunk[],
): Promise<boolean> {
  const onCluster = isDistributed(client);
  const { rowCount } = await client.query({
    name: "release_claims",
    values: [runId, ...numbersOf(claims)],
    text: `
      update run_chunks c set state = 'pending', claimed_by = null,
        ${onCluster ? `${afterDeathOnCluster("true")} ${FROM_NOW}` : afterDeath("true")}
      where run_id = $1 and chunk_no = any($2::int[]) and state = 'running' and ${isAmongClaims("$2", "$3")}`,
  });
  return (rowCount ?? 0) > 0;
}

/** SQL: the run, if chunks of it may be claimed. */
const openRun = (organizationId: string): string => `
  select id, execution->>'mode' = 'provider_batch' and real_time_since is null as for_provider
  from runs where organization_id = ${organizationId} and id = $1${alwaysById("runs")} and state = 'running' for key share`;
/** SQL: how many rows a claim begins, the parameter `$3`. With care, one. */
const BEGUN = `case when c.deaths + (c.state = 'running')::int >= ${DEATHS_BEFORE_CARE} then 1 else $3::int end`;
/**
 * SQL: `in_flight` has offsets in the chunk. Rows begin in their order, so as many as have results are taken to be the first: where they
 * end in another order, the first report of the worker, half a second later, has the right ones.
 */
const SET_CLAIMED = `
  set state = 'running', claimed_by = $2, claim_no = c.claim_no + 1,
    in_flight = case when c.picked is null
      then array(select generate_series(c.succeeded + c.failed, least(c.succeeded + c.failed + ${BEGUN}, c.row_count) - 1))
      else c.picked[c.succeeded + c.failed + 1 : c.succeeded + c.failed + ${BEGUN}] end`;
const isOfLanes = (waitsForProvider: string): string => `(in_real_time or ${waitsForProvider} is not true)`;
/**
 * SQL: which chunks may be claimed, those first that rested and are due, then in their order. Each part is a range of the index `run_chunks_pending`,
 * whose order it has, and passes over no chunk that rests.
 */
const NEXT_PENDING = ["not_before <= now()", "not_before is null"].map(
  (time) => `state = 'pending' and ${time} and ${isOfLanes("for_provider")} order by not_before, chunk_no`,
);
/**
 * SQL: the same for a cluster, where nothing keeps the planner from a sort of all that it finds: the first part finds the few that are due, the
 * second goes through the chunks in their order, and passes over those that rest.
 */
const nextPendingOnCluster = (waitsForProvider: string): [due: string, fresh: string] => [
  `state = 'pending' and ${isOfLanes(waitsForProvider)} and not_before <= now() order by not_before, chunk_no`,
  `state <> 'done' and state = 'pending' and ${isOfLanes(waitsForProvider)} and not_before is null order by chunk_no`,
];
/** SQL: the chunk of one of the claims `l` that are taken back. Each is found by its number: an array of them is no range of an index. */
const ONE_LEFT = `chunk_no = l.chunk_no ${alwaysByNumber("open_run.id")} and state = 'running' and claim_no = l.claim_no`;
/** SQL: which are taken back, in any order, for a cluster. */
const anyLeftOnCluster = (chunkNos: string, claimNos: string): string =>
  `state <> 'done' and chunk_no = any(${chunkNos}::int[]) and state = 'running' and ${isAmongClaims(chunkNos, claimNos)}`;
export const WAKE = `case when not_before < ${WAKES_BEFORE} then not_before end as wake`;
const CLAIMED = `
  chunk_no, first_row, last_row, picked, claim_no, deaths, suspects, booked as carried_usage, last_part, ${WAKE},
  not_before is not null as has_rested`;

/**
 * SQL: what the dataset has of the chunk. To read it here saves each chunk a round trip. The last comparison is true for each chunk, and as in
 * `chunk-key.ts` keeps the planner from the index of their rows.
 */
const BODY = `
  (select d.body from dataset_chunks d
   where d.dataset_id = $5 and d.chunk_no = c.chunk_no and (d.dataset_id, d.chunk_no) >= ($5, 0))`;

async function claimAtOnce(
  client: Statements,
  run: RunOfChunks,
  jobId: string,
  begins: number,
  left: readonly ClaimOfChunk[],
): Promise<ChunkRow | undefined> {
  const first = (runs: string, which: string): string => `(
          select next.chunk_no from ${runs} cross join lateral (
            select chunk_no from run_chunks where run_id = open_run.id and ${which}
            limit 1 for update skip locked) next limit 1)`;
  const claim = async (name: string, chunkNo: string, also: unknown[] = []): Promise<ChunkRow | undefined> => {
    const { rows } = await client.query<ChunkRow>({
      name,
      isOrdered: true,
      values: [run.id, jobId, begins, run.organizationId, run.datasetId ?? null, ...also],
      text: `
        with open_run as materialized (${openRun("$4")})
        update run_chunks c ${SET_CLAIMED}, ${afterDeath("c.state = 'running'")}
        where run_id = $1 ${alwaysByNumber("$1")} and chunk_no = (${chunkNo})
        returning ${CLAIMED}, coalesce(not_before > now(), false) as is_paused, ${BODY} as body`,
    });
    return rows[0];
  };
  const oneLeft = first("open_run cross join unnest($6::int[], $7::int[]) l (chunk_no, claim_no)", ONE_LEFT);
  const nextPending = `select coalesce(${NEXT_PENDING.map((which) => first("open_run", which)).join(", ")})`;
  const taken = left.length > 0 ? await claim("claim_left_chunk", oneLeft, numbersOf(left)) : undefined;
  return taken ?? claim("claim_chunk", nextPending);
}

/** In a transaction: the run is on the coordinator, its chunks on another server, and no statement locks both. */
async function claimOnCluster(
  client: Statements,
  run: { organizationId: string; id: string },
  jobId: string,
  begins: number,
  left: readonly ClaimOfChunk[],
): Promise<ChunkRow | undefined> {
  const { rows: open } = await client.query<{ for_provider: boolean | null }>({
    name: "lock_open_run",
    values: [run.id, run.organizationId],
    text: openRun("$2"),
  });
  if (open[0] === undefined) return undefined;
  const claim = async (name: string, which: string, values: unknown[]): Promise<ChunkRow | undefined> => {
    const { rows } = await client.query<ChunkRow>({
      name,
      values: [run.id, jobId, begins, ...values],
      text: `
        update run_chunks c ${SET_CLAIMED}, ${afterDeathOnCluster("c.state = 'running'")} ${FROM_NOW}
        where run_id = $1 and chunk_no = (
          select chunk_no from run_chunks where run_id = $1 and ${which}
          limit 1 for update skip locked)
        returning ${CLAIMED}, coalesce(c.not_before at time zone 'UTC' > t.now, false) as is_paused`,
    });
    return rows[0];
  };
  const taken =
    left.length > 0
      ? await claim("claim_left_chunk_of_locked_run", anyLeftOnCluster("$4", "$5"), numbersOf(left))
      : undefined;
  const [due, fresh] = nextPendingOnCluster("$4::boolean");
  const waitsForProvider = [open[0].for_provider];
  return (
    taken ??
    (await claim("claim_due_chunk_of_locked_run", due, waitsForProvider)) ??
    claim("claim_chunk_of_locked_run", fresh, waitsForProvider)
  );
}

export interface CommitTarget {
  organizationId: string;
  runId: string;
  jobSpecId: string;
  jobSpecVersion: number;
  apiKeyId: string | null;
  /** Retry runs of one family may record the same row: they lock it one after the other, so that times say which was first. */
  familyLock: bigint | null;
}
