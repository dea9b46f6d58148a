/**
 * Claims on chunks. A chunk is `pending`, `running` in the hand of one lane job, or `done`:
 *
 *   pending ──claim──▶ running ──commit──▶ done
 *      ▲                  │ ▲                       flush: results so far are committed, the chunk stays in hand
 *      └────release───────┘ └─claim again: the same job, given to another worker since the first one died
 *
 * In runs that use a provider's batches it can be `submitted` as well, in nobody's hand: see `provider-batches/`.
 *
 * Each claim takes a new number, and every write proves in its own statement that the number still holds. So a worker that
 * was taken for dead cannot write late, results stand or fall with the counters, and no row is recorded twice.
 */
import type { FailureCode } from "@rowmill/contract/failures";
import type { Statements } from "../../platform/database/database.ts";
import { afterDeath } from "./chunk-deaths.ts";

export interface ClaimedChunk {
  chunkNo: number;
  firstRow: number;
  lastRow: number;
  picked: number[] | null;
  claimNo: number;
  /** Workers that died with the chunk in hand. */
  deaths: number;
  /** Of rows by index that were named when a worker died: how often it had nothing else in hand then. */
  suspects: Readonly<Record<string, number>>;
  /** No suspect is tried by this claim: the last trial is too near. */
  isPaused: boolean;
  /** JSON text: of rows by index, what they have used that the counters have already. */
  booked: string | null;
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
  booked: string | null;
}

/**
 * The run's next pending chunk, or one that this very job had in hand when its worker died; `inHand` are those that it still has. The run's row is locked against
 * a change of its state, and before the chunk: else a run could end between the look at it and the claim.
 */
export async function claimChunk(
  client: Statements,
  run: { organizationId: string; id: string },
  jobId: string,
  inHand: readonly number[] = [],
): Promise<ClaimedChunk | undefined> {
  const { rows } = await client.query<ChunkRow>({
    name: "claim_chunk",
    values: [run.id, jobId, run.organizationId, inHand],
    text: `
      with open_run as materialized (
        select id, execution->>'mode' = 'provider_batch' and real_time_since is null as has_batches
        from runs where organization_id = $3 and id = $1 and state = 'running' for key share)
      update run_chunks c set state = 'running', claimed_by = $2, claim_no = c.claim_no + 1, ${afterDeath("c.state = 'running'")}
      where run_id = $1 and chunk_no = (
        select next.chunk_no from open_run cross join lateral (
          select chunk_no from run_chunks
          where run_id = open_run.id and state <> 'done'
            and (state = 'pending' and (in_real_time or has_batches is not true) and (not_before is null or not_before <= now()) or (claimed_by = $2 and chunk_no <> all($4::int[])))
          order by chunk_no limit 1 for update skip locked) next)
      returning chunk_no, first_row, last_row, picked, claim_no, deaths, suspects,
        coalesce(not_before > now(), false) as is_paused, booked`,
  });
  const row = rows[0];
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
        booked: row.booked,
      };
}

/** What a result takes beside its own text: the row's head, its other columns, its entry in the index. */
const RESULT_ROW_BYTES = 100;

export interface RecordedSuccess {
  index: number;
  attempts: number;
  durationMs: number;
  /** JSON text on one line. */
  output: string;
  /** JSON text. */
  usage: string | null;
}

export interface RecordedFailure {
  index: number;
  attempts: number;
  durationMs: number;
  code: FailureCode;
  retryable: boolean;
  /** What is shown of the failure beside the columns: message and details. */
  failure: { message: string; details: Record<string, unknown> | null };
  usage: string | null;
}

export interface ChunkResults {
  successes: RecordedSuccess[];
  failures: RecordedFailure[];
  /** Characters of the outputs, about: what one statement carries is bounded. */
  size: number;
  /** Sums over the attempts of these rows. */
  usage: {
    attempts: number;
    inputTokens: number;
    outputTokens: number;
    requests: number;
    unpricedRequests: number;
    costUsd: string;
  };
  /** Of these rows, those for which something was called. */
  calledRows: number;
  /** JSON text, as of a `ClaimedChunk`; null: nothing has changed. */
  booked: string | null;
}

export interface CommitTarget {
  organizationId: string;
  runId: string;
  jobSpecId: string;
  apiKeyId: string | null;
  /** Retry runs of one family may record the same row: they take turns on it, so that times tell who was first. */
  familyLock: bigint | null;
}

/**
 * Records results and the chunk's new state in one statement. False: another claim has taken the chunk over, and nothing
 * was written. Outputs travel as lines of one text, which PostgreSQL splits: the fastest of the ways that were measured
 * (see `docs/decisions/0003-results-in-one-statement.md`).
 */
export async function commitChunk(
  client: Statements,
  target: CommitTarget,
  chunk: Pick<ClaimedChunk, "chunkNo" | "claimNo">,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  const { successes, failures, usage } = results;
  // What calls nobody needs no place in the books, and its commits no fourth table.
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
      successes.length === 0 ? null : successes.map((row) => row.output).join("\n"),
      successes.map((row) => row.index),
      successes.some((row) => row.attempts !== 1) ? successes.map((row) => row.attempts) : null,
      successes.some((row) => row.durationMs !== 0) ? successes.map((row) => row.durationMs) : null,
      successes.some((row) => row.usage !== null) ? successes.map((row) => row.usage) : null,
      failures.length === 0 ? null : JSON.stringify(failures.map(toRecord)),
      target.familyLock === null ? null : String(target.familyLock),
      usage.unpricedRequests,
      results.booked,
      ...(isAccounted ? [target.jobSpecId, target.apiKeyId, results.calledRows] : []),
    ],
    text: `
      with turn as materialized (select case when $19::bigint is null then null else pg_advisory_xact_lock($19::bigint)::text end as taken),
      fence as (
        update run_chunks set state = $5, succeeded = succeeded + $6, failed = failed + $7, attempts = attempts + $8,
          input_tokens = input_tokens + $9, output_tokens = output_tokens + $10, requests = requests + $11, cost_usd = cost_usd + $12::numeric,
          unpriced_requests = unpriced_requests + $20,
          result_bytes = result_bytes + coalesce(octet_length($13::text), 0) + coalesce(octet_length($18::text), 0) + ${RESULT_ROW_BYTES} * ($6 + $7), booked = coalesce($21::json, booked),
          claimed_by = case when $5 = 'pending' then null else claimed_by end,
          suspect_row = null, is_trial = false, failures = 0
        where run_id = $2 and chunk_no = $3 and claim_no = $4 and state = 'running' and (select taken is null or taken is not null from turn)
        returning 1),
      succeeded as (
        insert into run_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, output, usage)
        select $1, $2, ($14::bigint[])[n], coalesce(($15::smallint[])[n], 1), coalesce(($16::int[])[n], 0), clock_timestamp(),
          line::json, ($17::text[])[n]::json
        from fence, string_to_table($13::text, E'\\n') with ordinality t(line, n)),
      failed as (
        insert into run_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure, usage)
        select $1, $2, f.i, f.a, f.d, clock_timestamp(), f.c, f.r, f.f, f.u
        from fence, json_to_recordset($18::text::json) f(i bigint, a smallint, d int, c text, r boolean, f json, u json))${isAccounted ? ACCOUNT : ""}
      select count(*)::int as held from fence`,
  });
  return rows[0]?.held === 1;
}

/** The books of the day, in the same statement: what is recorded is what is accounted for. */
const ACCOUNT = `,
      accounted as (
        insert into usage_days as day (organization_id, day, run_id, job_spec_id, api_key_id, rows, attempts, input_tokens, output_tokens,
          requests, unpriced_requests, cost_usd)
        select $1, (now() at time zone 'UTC')::date, $2, $22::uuid, $23::uuid, $24::int, $8, $9, $10, $11, $20, $12::numeric from fence
        on conflict (organization_id, day, run_id) do update set rows = day.rows + excluded.rows,
          attempts = day.attempts + excluded.attempts, input_tokens = day.input_tokens + excluded.input_tokens,
          output_tokens = day.output_tokens + excluded.output_tokens, requests = day.requests + excluded.requests,
          unpriced_requests = day.unpriced_requests + excluded.unpriced_requests, cost_usd = day.cost_usd + excluded.cost_usd)`;

const toRecord = (row: RecordedFailure) => ({
  i: row.index,
  a: row.attempts,
  d: row.durationMs,
  c: row.code,
  r: row.retryable,
  f: row.failure,
  u: row.usage === null ? null : (JSON.parse(row.usage) as unknown),
});

/** Rows of the chunk that an earlier claim has recorded already. */
export async function readRecordedRows(
  client: Statements,
  runId: string,
  chunk: Pick<ClaimedChunk, "firstRow" | "lastRow">,
): Promise<Set<number>> {
  const { rows } = await client.query<{ row_index: number }>({
    name: "read_recorded_rows",
    values: [runId, chunk.firstRow, chunk.lastRow],
    text: "select row_index from run_results where run_id = $1 and row_index between $2 and $3",
  });
  return new Set(rows.map((row) => row.row_index));
}
