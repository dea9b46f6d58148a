/**
 * Claims on chunks. A chunk is `pending`, `running` in the hand of one lane job, or `done`:
 *
 *   pending ──claim──▶ running ──commit──▶ done
 *      ▲                  │ ▲                       flush: results so far are committed, the chunk stays claimed
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
  /** Workers that died with the chunk claimed. */
  deaths: number;
  /** Of rows by index that were named when a worker died: how often it had nothing else in flight then. */
  suspects: Readonly<Record<string, number>>;
  /** No suspect is tried by this claim: the last trial is too near. */
  isPaused: boolean;
  /** JSON text: of rows by index, what they have used that the counters have already. */
  carriedUsage: string | null;
  /** The number of the last segment that was written; each commit under the claim counts it up. */
  lastPart: number;
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
  carried_usage: string | null;
  last_part: number;
}

/**
 * The run's next pending chunk, or one that this very job had claimed when its worker died; `inFlight` are those that it still has. The run's row is locked against
 * a change of its state, and before the chunk: else a run could end between the look at it and the claim.
 */
export async function claimChunk(
  client: Statements,
  run: { organizationId: string; id: string },
  jobId: string,
  inFlight: readonly number[] = [],
): Promise<ClaimedChunk | undefined> {
  const { rows } = await client.query<ChunkRow>({
    name: "claim_chunk",
    values: [run.id, jobId, run.organizationId, inFlight],
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
        coalesce(not_before > now(), false) as is_paused, booked as carried_usage, last_part`,
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
        carriedUsage: row.carried_usage,
        lastPart: row.last_part,
      };
}

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
  carriedUsage: string | null;
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
