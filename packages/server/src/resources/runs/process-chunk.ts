/**
 * Works on one claimed chunk: reads its rows, leaves out those already recorded, processes the rest and commits. A chunk
 * that takes long commits what is finished every second or so, so that a crash repeats little.
 */
import type { Statements } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { RowInHand } from "../../processors/processor.ts";
import { readChunk } from "../datasets/chunk-store.ts";
import { markSuspect, readRecordedRows } from "./chunk-claims.ts";
import type { ChunkResults, ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import { addOutcome, noResults } from "./chunk-results.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./process-rows.ts";

/** Longest a finished row waits for its commit. */
const FLUSH_AFTER_MS = 1_000;
/** Characters of outputs in one commit: several lanes hold that much at once, as text, bytes and statement. */
const MAX_COMMIT_SIZE = 8 * 1024 * 1024;
/** A row that was in hand so often when its worker died is not given to another one. */
const MAX_DEATHS_IN_HAND = 3;
/** Workers also die of power cuts and deployments: only then is a chunk taken row by row. */
const DEATHS_BEFORE_CARE = MAX_DEATHS_IN_HAND - 1;

export interface ChunkWork {
  target: CommitTarget;
  datasetId: string;
  plan: RowPlan;
  /** Commits results of the chunk; tells whoever listens to rows. False: the claim is lost. */
  commit(chunk: ClaimedChunk, results: ChunkResults, state: "done" | "running" | "pending"): Promise<boolean>;
  /** Asked after every commit but the last: `stop` if the run's policies have ended or paused it. */
  afterFlush(): Promise<"go_on" | "stop">;
  /** Told of rows as they end, before they are recorded. */
  noteOutcomes(rows: readonly FinishedRowOutcome[]): void;
  /** While it answers a number, at most so many rows are taken and then committed, for policies to judge. */
  probeRows(): number | undefined;
  /** False: the turn is over. What has begun is finished, and the rest given back. */
  mayBegin: () => boolean;
  log: Log;
}

/** `given_back`: the rest is for another turn, what was finished is recorded. `lost`: another worker has the chunk. */
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

  let results = noResults();
  let flushedAt = Date.now();
  let finished = 0;
  const flush = async (): Promise<ChunkEnd | undefined> => {
    if (!(await work.commit(chunk, results, "running"))) return "lost";
    results = noResults();
    flushedAt = Date.now();
    if ((await work.afterFlush()) === "go_on") return undefined;
    return (await work.commit(chunk, results, "pending")) ? "given_back" : "lost";
  };
  const nextBatchRows = (): number => Math.min(work.plan.batchRows, work.probeRows() ?? Number.POSITIVE_INFINITY);
  const plan = { ...work.plan, batchRows: nextBatchRows() };
  for await (const batch of processRows(plan, rows, signal, work.mayBegin)) {
    finished += batch.length;
    work.noteOutcomes(batch);
    for (const row of batch) {
      addOutcome(results, row);
      if (results.size < MAX_COMMIT_SIZE) continue;
      const end = await flush();
      if (end !== undefined) return end;
    }
    const hasNews = results.successes.length + results.failures.length > 0;
    const isDue = work.probeRows() !== undefined || Date.now() - flushedAt >= FLUSH_AFTER_MS;
    if (hasNews && isDue && finished < rows.length) {
      const end = await flush();
      if (end !== undefined) return end;
    }
    plan.batchRows = nextBatchRows();
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
  const giveBack = async (): Promise<ChunkEnd> =>
    (await work.commit(chunk, noResults(), "pending")) ? "given_back" : "lost";
  const poison = chunk.suspectDeaths > 0 ? chunk.suspectRow : null;
  const plan = { ...work.plan, batchRows: 1 };
  // The suspect comes first: naming another row would forget it.
  const ordered = rows.toSorted((a, b) => Number(b.index === poison) - Number(a.index === poison));
  for (const row of ordered) {
    const outcomes: FinishedRowOutcome[] = [];
    if (row.index === poison) {
      work.log.warn({ runId: work.target.runId, rowIndex: row.index }, "a row is given up: workers died of it");
      outcomes.push(poisoned(row));
    } else {
      if (signal.aborted || !work.mayBegin()) return giveBack();
      if (!(await markSuspect(client, work.target.runId, chunk, row.index))) return "lost";
      for await (const batch of processRows(plan, [row], signal)) outcomes.push(...batch);
      if (outcomes.length === 0) return giveBack();
    }
    const results = noResults();
    for (const outcome of outcomes) addOutcome(results, outcome);
    if (!(await work.commit(chunk, results, "running"))) return "lost";
    if ((await work.afterFlush()) === "stop") return giveBack();
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
