/**
 * Records results and the chunk's new state in one statement, fence first:
 *
 *   family_lock  the advisory lock of the run's family, where other runs may record the same rows (`CommitTarget.familyLock`)
 *   fence        the update of the chunk, which proves the claim, and that this commit has not been made before
 *   folded       small segments that this commit replaces, if it ends the chunk
 *   written      the successes, as segments
 *   failed       the failures, as rows
 *   accounted    what was used, by day; only where something was called
 *
 * Each part but the first reads from `fence`: where the fence updates no row, nothing is written. PostgreSQL runs a part that selects only
 * when something reads it. The fence therefore counts the locks that were taken, and by that they are taken before it.
 *
 * A commit whose response was lost may be repeated: its fence finds that `last_part` has moved, and it is taken as made.
 * Why segments, and what was measured: `docs/decisions/0012-results-in-segments.md`.
 */
import type { Statements } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { namedStatement } from "../../platform/database/named-statement.ts";
import type { ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import { WAKES_BEFORE } from "../../resources/connections/wake-rows.ts";
import { byNumber, alwaysByNumber } from "./chunk-key.ts";
import type { ChunkResults, RecordedFailure, RecordedSuccess } from "./chunk-results.ts";
import {
  NOTHING_FOLDED,
  readSegmentsToFold,
  storedBytesOf,
} from "../../resources/runs/stored-results/fold-segments.ts";
import { encodeSegments } from "../../resources/runs/stored-results/segment-format.ts";
import type { EncodedSegment, SegmentRow } from "../../resources/runs/stored-results/segment-format.ts";

/** What a failure takes beside the text of its record: the row's head and its entries in the indexes, less the names of the members. */
const FAILURE_ROW_BYTES = 154;

export type CommittedChunk = Pick<ClaimedChunk, "chunkNo" | "claimNo" | "firstRow" | "lastRow" | "lastPart">;

export interface Commit {
  /** Of the chunk, from now on. */
  lastPart: number;
  /** This very commit had been made before; its response was lost. */
  isRepeated: boolean;
}

/** Undefined: another claim has taken the chunk over, and nothing was written. */
export async function commitChunk(
  client: Statements,
  target: CommitTarget,
  chunk: CommittedChunk,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<Commit | undefined> {
  const { successes, failures, usage } = results;
  const { folded, segments } = await encode(client, target.runId, chunk, successes, state);
  const lastPart = chunk.lastPart + Math.max(1, segments.length);
  const failed = failures.length === 0 ? null : JSON.stringify(failures.map(toRecord));
  const storedBytes =
    segments.reduce((sum, segment) => sum + storedBytesOf(segment), 0) -
    folded.storedBytes +
    (failed === null ? 0 : Buffer.byteLength(failed) + FAILURE_ROW_BYTES * failures.length);
  // Rows for which nothing was called have no usage, and their commits write no further table.
  const isAccounted = usage.requests > 0 || results.calledRows > 0;
  const values: CommitValues = {
    organizationId: target.organizationId,
    runId: target.runId,
    chunkNo: chunk.chunkNo,
    claimNo: chunk.claimNo,
    state,
    succeeded: successes.length,
    failed: failures.length,
    attempts: usage.attempts,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    requests: usage.requests,
    costUsd: usage.costUsd,
    unpricedRequests: usage.unpricedRequests,
    carriedUsage: results.carriedUsage,
    restMs: results.restMs,
    seenWake: results.seenWake,
    familyLocks: target.familyLock === null ? [] : [String(target.familyLock)],
    formerPart: chunk.lastPart,
    lastPart,
    storedBytes,
    foldedParts: folded.partNos.length === 0 ? null : folded.partNos,
    firstRow: chunk.firstRow,
    ...valuesOf(segments),
    failures: failed,
  };
  const accounted: AccountedValues = {
    ...values,
    jobSpecId: target.jobSpecId,
    jobSpecVersion: target.jobSpecVersion,
    apiKeyId: target.apiKeyId,
    calledRows: results.calledRows,
  };
  const isFenced = isDistributed(client)
    ? await commitOnCluster(client, accounted, isAccounted)
    : await query(client, isAccounted ? commitWithUsage(accounted) : commitOnly(values));
  if (isFenced) return { lastPart, isRepeated: false };
  const madeLastPart = await findMade(client, target.runId, chunk);
  return madeLastPart === undefined ? undefined : { lastPart: madeLastPart, isRepeated: true };
}

/** The successes as segments; a commit that ends the chunk folds the small segments of those before into them. */
async function encode(
  client: Statements,
  runId: string,
  { chunkNo, firstRow, lastRow, lastPart }: CommittedChunk,
  successes: readonly RecordedSuccess[],
  state: CommitValues["state"],
) {
  const folded =
    state === "done" && lastPart > 0
      ? await readSegmentsToFold(client, runId, chunkNo, successes.length)
      : NOTHING_FOLDED;
  const rows = [...folded.rows, ...successes.map((row) => segmentRow(row, firstRow))];
  return { folded, segments: await encodeSegments(rows, lastRow - firstRow + 1) };
}

const query = async (client: Statements, statement: ReturnType<typeof commitOnly>): Promise<boolean> =>
  (await client.query<{ fenced: number }>(statement)).rows[0]?.fenced === 1;

/** Locks and usage are on the coordinator, all else on another server: three statements of one transaction, in the order of their parts. */
async function commitOnCluster(client: Statements, values: AccountedValues, isAccounted: boolean): Promise<boolean> {
  for (const key of values.familyLocks)
    await client.query({ name: "lock_family", values: [key], text: "select pg_advisory_xact_lock($1)" });
  const isFenced = await query(client, commitUnlocked(values));
  if (isFenced && isAccounted) await client.query(accountOnly(values));
  return isFenced;
}

/** Of calls for which no row is recorded. */
export async function accountUsage(
  client: Statements,
  target: CommitTarget,
  usage: ChunkResults["usage"],
): Promise<void> {
  await client.query(accountOnly({ ...target, ...usage, calledRows: 0 }));
}

interface CommitValues extends SegmentValues {
  organizationId: string;
  runId: string;
  chunkNo: number;
  claimNo: number;
  state: "done" | "running" | "pending";
  /** Rows of this commit, as all counts here. */
  succeeded: number;
  failed: number;
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  costUsd: string;
  unpricedRequests: number;
  /** JSON text; null: as it is. */
  carriedUsage: string | null;
  /** How long a chunk that is released may not be claimed; null: no longer than before. */
  restMs: number | null;
  seenWake: Date | null;
  /** None, or one. */
  familyLocks: string[];
  /** The chunk's last part before this commit, and after it. */
  formerPart: number;
  lastPart: number;
  storedBytes: number;
  foldedParts: number[] | null;
  firstRow: number;
  /** JSON text: an array of records of `run_failures`. */
  failures: string | null;
}

interface UsageValues {
  organizationId: string;
  runId: string;
  jobSpecId: string;
  jobSpecVersion: number;
  apiKeyId: string | null;
  calledRows: number;
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  costUsd: string;
  unpricedRequests: number;
}

type AccountedValues = CommitValues & UsageValues;

/** All segments in one parameter, which is sent as bytes, where arrays of bytes would be sent as text; and where each of them lies. */
interface SegmentValues {
  bytes: Buffer | null;
  rowCounts: number[];
  sizes: number[];
  /** The first byte of each, counted from 1. */
  starts: number[];
  positionBytes: number[];
  headBytes: number[];
  bodyBytes: number[];
}

const FAMILY_LOCK = `family_lock as materialized (
    select pg_advisory_xact_lock(lock.key) from unnest(:familyLocks::bigint[]) as lock (key)),
  `;
const HAS_FAMILY_LOCK = "and (select count(*) from family_lock) = cardinality(:familyLocks::bigint[])";

/** SQL: a chunk with a wake that its lane has not seen may be claimed at once. */
const REST_MS = `(case when not_before < ${WAKES_BEFORE} and not_before is distinct from :seenWake::timestamptz then null else :restMs::float8 end)`;

/** SQL: not so where only what rows have used is kept, of a chunk whose work has failed. */
const HAS_RESULTS = "(:state <> 'running' or :succeeded::int + :failed::int > 0)";

const commit = (familyLock: string, alsoOfChunk: string, ofInsert: string): string => `
  with ${familyLock}fence as (
    update run_chunks set state = :state,
      succeeded = succeeded + :succeeded, failed = failed + :failed, attempts = attempts + :attempts,
      input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens,
      requests = requests + :requests, unpriced_requests = unpriced_requests + :unpricedRequests,
      cost_usd = cost_usd + :costUsd::numeric, booked = coalesce(:carriedUsage::json, booked),
      last_part = :lastPart, result_bytes = result_bytes + :storedBytes,
      claimed_by = case when :state = 'pending' then null else claimed_by end,
      not_before = greatest(nullif(not_before, :seenWake::timestamptz), now() + ${REST_MS} * interval '1 millisecond'),
      suspect_row = null, is_trial = false, failures = case when ${HAS_RESULTS} then 0 else failures end
    where run_id = :runId and chunk_no = :chunkNo and claim_no = :claimNo and state = 'running' and last_part = :formerPart
      ${alsoOfChunk}
    returning 1),
  folded as (
    delete from run_segments using fence
    where run_id = :runId and chunk_no = :chunkNo and part_no = any(:foldedParts::int[])),
  written as (
    insert into run_segments (organization_id, run_id, chunk_no, part_no, first_row, row_count, size, finished_at, positions, heads, body)
    select :organizationId, :runId, :chunkNo, :formerPart + s.n::int, :firstRow::bigint, s.row_count, s.size, clock_timestamp(),
      substring(:bytes::bytea from s.start for s.position_bytes),
      case when s.head_bytes > 0 then substring(:bytes::bytea from s.start + s.position_bytes for s.head_bytes) end,
      substring(:bytes::bytea from s.start + s.position_bytes + s.head_bytes for s.body_bytes)
    from fence, unnest(:rowCounts::int[], :sizes::int[], :starts::int[], :positionBytes::int[], :headBytes::int[], :bodyBytes::int[])
      with ordinality s (row_count, size, start, position_bytes, head_bytes, body_bytes, n)${ofInsert}),
  failed as (
    insert into run_failures (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure, usage)
    select :organizationId, :runId, f.row_index, f.attempts, f.duration_ms, clock_timestamp(), f.code, f.retryable, f.failure, f.usage
    from fence, json_to_recordset(:failures::text::json)
      f (row_index bigint, attempts smallint, duration_ms int, code text, retryable boolean, failure json, usage json)${ofInsert})`;

/** The usage of the day, in the same statement or transaction: what is recorded is what is accounted for. */
const account = (from: string): string => `
    insert into usage_days as day (organization_id, day, run_id, job_spec_id, api_key_id, rows, attempts, input_tokens, output_tokens,
      requests, unpriced_requests, cost_usd, job_spec_version)
    select :organizationId, (now() at time zone 'UTC')::date, :runId, :jobSpecId::uuid, :apiKeyId::uuid, :calledRows::int, :attempts,
      :inputTokens, :outputTokens, :requests, :unpricedRequests, :costUsd::numeric, :jobSpecVersion::int ${from}
    on conflict (organization_id, day, run_id) do update set rows = day.rows + excluded.rows,
      attempts = day.attempts + excluded.attempts, input_tokens = day.input_tokens + excluded.input_tokens,
      output_tokens = day.output_tokens + excluded.output_tokens, requests = day.requests + excluded.requests,
      unpriced_requests = day.unpriced_requests + excluded.unpriced_requests, cost_usd = day.cost_usd + excluded.cost_usd`;

const RESULT = `
  select count(*)::int as fenced from fence`;

const COMMIT = commit(FAMILY_LOCK, `${HAS_FAMILY_LOCK} ${alwaysByNumber(":runId")}`, "");
const commitOnly = namedStatement<CommitValues>("commit_chunk", COMMIT + RESULT);
const commitWithUsage = namedStatement<AccountedValues>(
  "commit_chunk_with_usage",
  `${COMMIT}, accounted as (${account("from fence")})${RESULT}`,
);
const commitUnlocked = namedStatement<CommitValues>(
  "commit_chunk_without_lock",
  commit("", "", " returning 1") + RESULT,
);
const accountOnly = namedStatement<UsageValues>("account_commit", account(""));

/**
 * The chunk's last part if this very commit was made before: only the claim's holder counts it up. It need not be the one that the
 * repeated commit would give it: what the first one has folded is not there to be folded again.
 */
async function findMade(
  client: Statements,
  runId: string,
  { chunkNo, claimNo, lastPart }: CommittedChunk,
): Promise<number | undefined> {
  const { rows } = await client.query<{ last_part: number }>({
    name: "find_commit",
    values: [runId, chunkNo, claimNo, lastPart],
    text: `
      select last_part from run_chunks
      where run_id = $1 and chunk_no = $2 ${byNumber(client, "$1")} and claim_no = $3 and last_part > $4`,
  });
  return rows[0]?.last_part;
}

function valuesOf(segments: readonly EncodedSegment[]): SegmentValues {
  const starts: number[] = [];
  let end = 1;
  for (const { positions, heads, body } of segments) {
    starts.push(end);
    end += positions.length + (heads?.length ?? 0) + body.length;
  }
  const bytes = segments.flatMap(({ positions, heads, body }) => [positions, heads ?? Buffer.alloc(0), body]);
  return {
    bytes: segments.length === 0 ? null : Buffer.concat(bytes),
    rowCounts: segments.map(({ rowCount }) => rowCount),
    sizes: segments.map(({ size }) => size),
    starts,
    positionBytes: segments.map(({ positions }) => positions.length),
    headBytes: segments.map(({ heads }) => heads?.length ?? 0),
    bodyBytes: segments.map(({ body }) => body.length),
  };
}

const segmentRow = ({ index, attempts, durationMs, output, usage }: RecordedSuccess, firstRow: number): SegmentRow => ({
  position: index - firstRow,
  attempts,
  durationMs,
  finishedUs: undefined,
  output,
  usage,
});

const toRecord = (row: RecordedFailure) => ({
  row_index: row.index,
  attempts: row.attempts,
  duration_ms: row.durationMs,
  code: row.code,
  retryable: row.retryable,
  failure: row.failure,
  usage: row.usage === null ? null : (JSON.parse(row.usage) as unknown),
});
