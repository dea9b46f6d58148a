/**
 * Records results and the chunk's new state in one statement, fence first:
 *
 *   fence      the update of the chunk, which proves the claim, and that this commit has not been made before
 *   folded     small segments that this commit replaces, if it ends the chunk
 *   written    the successes, as segments
 *   failed     the failures, as rows
 *   accounted  what was used, by day
 *
 * A commit whose response was lost may be repeated: its fence finds that `last_part` has moved, and it is taken as made.
 * Why segments, and what was measured: `docs/decisions/0012-results-in-segments.md`.
 */
import type { Statements } from "../../platform/database/database.ts";
import type { ChunkResults, ClaimedChunk, CommitTarget, RecordedFailure, RecordedSuccess } from "./chunk-claims.ts";
import {
  NOTHING_FOLDED,
  readSegmentsToFold,
  storedBytesOf,
} from "../../resources/runs/stored-results/fold-segments.ts";
import { encodeSegments } from "../../resources/runs/stored-results/segment-format.ts";
import type { EncodedSegment, SegmentRow } from "../../resources/runs/stored-results/segment-format.ts";

/** What a failure takes beside its own text: the row's head, its other columns, its entries in the indexes. */
const FAILURE_ROW_BYTES = 200;

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
  const folded =
    state === "done" && chunk.lastPart > 0
      ? await readSegmentsToFold(client, target.runId, chunk.chunkNo, successes.length)
      : NOTHING_FOLDED;
  const segments = await encodeSegments(
    [...folded.rows, ...successes.map((row) => segmentRow(row, chunk.firstRow))],
    chunk.lastRow - chunk.firstRow + 1,
  );
  const lastPart = chunk.lastPart + Math.max(1, segments.length);
  const failed = failures.length === 0 ? null : JSON.stringify(failures.map(toRecord));
  const storedBytes =
    segments.reduce((sum, segment) => sum + storedBytesOf(segment), 0) -
    folded.storedBytes +
    (failed === null ? 0 : Buffer.byteLength(failed) + FAILURE_ROW_BYTES * failures.length);
  // What calls nobody needs no place in the books, and its commits no further table.
  const isAccounted = usage.requests > 0 || results.calledRows > 0;
  const { rows } = await client.query<{ held: number }>({
    name: isAccounted ? "commit_chunk_with_usage" : "commit_chunk",
    values: [
      target.organizationId,
      target.runId,
      chunk.chunkNo,
      chunk.claimNo,
      state,
      successes.length,
      failures.length,
      usage.attempts,
      usage.inputTokens,
      usage.outputTokens,
      usage.requests,
      usage.costUsd,
      usage.unpricedRequests,
      results.booked,
      target.familyLock === null ? null : String(target.familyLock),
      chunk.lastPart,
      lastPart,
      storedBytes,
      folded.partNos.length === 0 ? null : folded.partNos,
      chunk.firstRow,
      ...valuesOf(segments),
      failed,
      ...(isAccounted ? [target.jobSpecId, target.apiKeyId, results.calledRows, target.jobSpecVersion] : []),
    ],
    text: `
      with turn as materialized (select case when $15::bigint is null then null else pg_advisory_xact_lock($15::bigint)::text end as taken),
      fence as (
        update run_chunks set state = $5, succeeded = succeeded + $6, failed = failed + $7, attempts = attempts + $8,
          input_tokens = input_tokens + $9, output_tokens = output_tokens + $10, requests = requests + $11, cost_usd = cost_usd + $12::numeric,
          unpriced_requests = unpriced_requests + $13, booked = coalesce($14::json, booked),
          last_part = $17, result_bytes = result_bytes + $18,
          claimed_by = case when $5 = 'pending' then null else claimed_by end,
          suspect_row = null, is_trial = false, failures = 0
        where run_id = $2 and chunk_no = $3 and claim_no = $4 and state = 'running' and last_part = $16
          and (select taken is null or taken is not null from turn)
        returning 1),
      folded as (
        delete from run_segments using fence where run_id = $2 and chunk_no = $3 and part_no = any($19::int[])),
      written as (
        insert into run_segments (organization_id, run_id, chunk_no, part_no, first_row, row_count, size, finished_at, positions, heads, body)
        select $1, $2, $3, $16 + s.n::int, $20::bigint, s.row_count, s.size, clock_timestamp(),
          substring($21::bytea from s.at for s.positions),
          case when s.heads > 0 then substring($21::bytea from s.at + s.positions for s.heads) end,
          substring($21::bytea from s.at + s.positions + s.heads for s.body)
        from fence, unnest($22::int[], $23::int[], $24::int[], $25::int[], $26::int[], $27::int[])
          with ordinality s(row_count, size, at, positions, heads, body, n)),
      failed as (
        insert into run_failures (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure, usage)
        select $1, $2, f.i, f.a, f.d, clock_timestamp(), f.c, f.r, f.f, f.u
        from fence, json_to_recordset($28::text::json) f(i bigint, a smallint, d int, c text, r boolean, f json, u json))${isAccounted ? ACCOUNT : ""}
      select count(*)::int as held from fence`,
  });
  if (rows[0]?.held === 1) return { lastPart, isRepeated: false };
  const madeLastPart = await findMade(client, target.runId, chunk);
  return madeLastPart === undefined ? undefined : { lastPart: madeLastPart, isRepeated: true };
}

/** The books of the day, in the same statement: what is recorded is what is accounted for. */
const ACCOUNT = `,
      accounted as (
        insert into usage_days as day (organization_id, day, run_id, job_spec_id, api_key_id, rows, attempts, input_tokens, output_tokens,
          requests, unpriced_requests, cost_usd, job_spec_version)
        select $1, (now() at time zone 'UTC')::date, $2, $29::uuid, $30::uuid, $31::int, $8, $9, $10, $11, $13, $12::numeric, $32::int from fence
        on conflict (organization_id, day, run_id) do update set rows = day.rows + excluded.rows,
          attempts = day.attempts + excluded.attempts, input_tokens = day.input_tokens + excluded.input_tokens,
          output_tokens = day.output_tokens + excluded.output_tokens, requests = day.requests + excluded.requests,
          unpriced_requests = day.unpriced_requests + excluded.unpriced_requests, cost_usd = day.cost_usd + excluded.cost_usd)`;

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
    text: "select last_part from run_chunks where run_id = $1 and chunk_no = $2 and claim_no = $3 and last_part > $4",
  });
  return rows[0]?.last_part;
}

/** All values in one parameter, which is sent as bytes, where arrays of bytes would be sent as text; and where each of them lies. */
function valuesOf(segments: readonly EncodedSegment[]): unknown[] {
  if (segments.length === 0) return [null, [], [], [], [], [], []];
  const at: number[] = [];
  let end = 1;
  for (const { positions, heads, body } of segments) {
    at.push(end);
    end += positions.length + (heads?.length ?? 0) + body.length;
  }
  return [
    Buffer.concat(segments.flatMap(({ positions, heads, body }) => [positions, heads ?? Buffer.alloc(0), body])),
    segments.map(({ rowCount }) => rowCount),
    segments.map(({ size }) => size),
    at,
    segments.map(({ positions }) => positions.length),
    segments.map(({ heads }) => heads?.length ?? 0),
    segments.map(({ body }) => body.length),
  ];
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
  i: row.index,
  a: row.attempts,
  d: row.durationMs,
  c: row.code,
  r: row.retryable,
  f: row.failure,
  u: row.usage === null ? null : (JSON.parse(row.usage) as unknown),
});
