/**
 * Works on one claimed chunk: reads its rows, leaves out those already recorded, processes the rest and commits. A chunk
 * that takes long commits what is finished every second or so, so that a crash repeats little.
 */
import { failureCodes } from "@rowmill/contract/failures";
import type { Statements } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { RowInHand } from "../../processors/processor.ts";
import { readChunk } from "../datasets/chunk-store.ts";
import { markSuspect, noResults, readRecordedRows } from "./chunk-claims.ts";
import type { ChunkResults, ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import { addDecimals, processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./process-rows.ts";

/** Longest a finished row waits for its commit. */
const FLUSH_AFTER_MS = 1_000;
/** A row that was in hand so often when its worker died is not given to another one. */
const MAX_DEATHS_IN_HAND = 3;
/** Workers also die of power cuts and deployments: only then is a chunk taken row by row. */
const DEATHS_BEFORE_CARE = MAX_DEATHS_IN_HAND - 1;
const MAX_MESSAGE_LENGTH = 2_000;

export interface ChunkWork {
  target: CommitTarget;
  datasetId: string;
  plan: RowPlan;
  /** Commits results of the chunk; tells whoever listens to rows. False: the claim is lost. */
  commit(chunk: ClaimedChunk, results: ChunkResults, state: "done" | "running" | "pending"): Promise<boolean>;
  /** Asked after every flush: the run's policies may want to see the rows so far. */
  afterFlush(finished: number): Promise<void>;
  /** Commit after so many rows at first, so that policies can judge a run before it has spent much. */
  firstFlushRows: number | undefined;
  log: Log;
}

/** `given_back`: the signal aborted, what was finished is recorded. `lost`: another worker has the chunk. */
export type ChunkEnd = "done" | "given_back" | "lost";

export async function processChunk(
  client: Statements,
  work: ChunkWork,
  chunk: ClaimedChunk,
  signal: AbortSignal,
): Promise<ChunkEnd> {
  const stored = await readChunk(client, work.datasetId, chunk.chunkNo);
  if (stored === undefined) throw new Error(`chunk ${chunk.chunkNo} of dataset ${work.datasetId} is missing`);
  let rows = pickRows(stored, chunk.picked);
  if (chunk.claimNo > 1) {
    const recorded = await readRecordedRows(client, work.target.runId, chunk);
    rows = rows.filter((row) => !recorded.has(row.index));
  }
  if (chunk.deaths >= DEATHS_BEFORE_CARE) return processCarefully(client, work, chunk, rows, signal);

  const { firstFlushRows } = work;
  const plan =
    firstFlushRows === undefined
      ? work.plan
      : { ...work.plan, batchRows: Math.min(work.plan.batchRows, firstFlushRows) };
  let results = noResults();
  let flushedAt = Date.now();
  let finished = 0;
  for await (const batch of processRows(plan, rows, signal)) {
    finished += batch.length;
    addOutcomes(results, batch);
    const isProbe = firstFlushRows !== undefined && plan.batchRows < work.plan.batchRows && finished >= firstFlushRows;
    if (finished === rows.length || (!isProbe && Date.now() - flushedAt < FLUSH_AFTER_MS)) continue;
    if (!(await work.commit(chunk, results, "running"))) return "lost";
    await work.afterFlush(finished);
    results = noResults();
    flushedAt = Date.now();
    plan.batchRows = work.plan.batchRows;
  }
  const isDone = finished === rows.length;
  if (!(await work.commit(chunk, results, isDone ? "done" : "pending"))) return "lost";
  return isDone ? "done" : "given_back";
}

/**
 * Workers died with this chunk in hand, twice. Row by row, each named before it is taken, the one that kills workers gives
 * itself away: its third death makes it a failure, and the rest of the chunk goes on.
 */
async function processCarefully(
  client: Statements,
  work: ChunkWork,
  chunk: ClaimedChunk,
  rows: RowInHand[],
  signal: AbortSignal,
): Promise<ChunkEnd> {
  const poison = chunk.suspectDeaths > 0 ? chunk.suspectRow : null;
  const plan = { ...work.plan, batchRows: 1 };
  // The suspect comes first: naming another row would forget it.
  const ordered = rows.toSorted((a, b) => Number(b.index === poison) - Number(a.index === poison));
  for (const row of ordered) {
    if (signal.aborted) return (await work.commit(chunk, noResults(), "pending")) ? "given_back" : "lost";
    const results = noResults();
    if (row.index === poison) {
      work.log.warn({ runId: work.target.runId, rowIndex: row.index }, "a row is given up: workers died of it");
      addOutcomes(results, [poisoned(row)]);
    } else {
      if (!(await markSuspect(client, work.target.runId, chunk, row.index))) return "lost";
      for await (const batch of processRows(plan, [row], signal)) addOutcomes(results, batch);
    }
    if (!(await work.commit(chunk, results, "running"))) return "lost";
  }
  return (await work.commit(chunk, noResults(), "done")) ? "done" : "lost";
}

const poisoned = (row: RowInHand): FinishedRowOutcome => ({
  index: row.index,
  attempts: MAX_DEATHS_IN_HAND,
  durationMs: 0,
  outcome: {
    ok: false,
    failure: { code: "poison_row", message: `The row was in hand ${MAX_DEATHS_IN_HAND} times when its worker died.` },
  },
  usage: undefined,
});

function pickRows(stored: { firstRow: number; lines: string[] }, picked: number[] | null): RowInHand[] {
  if (picked === null) return stored.lines.map((text, i) => ({ index: stored.firstRow + i, text }));
  return picked.map((position) => {
    const text = stored.lines[position];
    if (text === undefined) throw new Error(`a chunk has no row at position ${position}`);
    return { index: stored.firstRow + position, text };
  });
}

function addOutcomes(results: ChunkResults, rows: readonly FinishedRowOutcome[]): void {
  const sums = results.usage;
  for (const { index, attempts, durationMs, outcome, usage } of rows) {
    sums.attempts += attempts;
    if (usage !== undefined) {
      sums.inputTokens += usage.inputTokens ?? 0;
      sums.outputTokens += usage.outputTokens ?? 0;
      sums.requests += usage.requests ?? 0;
      if (usage.costUsd !== undefined) sums.costUsd = addDecimals(sums.costUsd, usage.costUsd);
    }
    const common = { index, attempts, durationMs, usage: usage === undefined ? null : JSON.stringify(usage) };
    if (outcome.ok) {
      // A line break is only white space in JSON, but here it would end the row.
      const output = outcome.output.includes("\n") ? JSON.stringify(JSON.parse(outcome.output)) : outcome.output;
      results.successes.push({ ...common, output });
    } else {
      const { code, message, details, retryable } = outcome.failure;
      results.failures.push({
        ...common,
        code,
        retryable: retryable ?? failureCodes[code].retryable,
        failure: { message: message.slice(0, MAX_MESSAGE_LENGTH), details: details ?? null },
      });
    }
  }
}
