/** Checks the results of a batch like those of calls, and records them chunk by chunk. */
import { sql } from "kysely";
import { setImmediate as nextRound } from "node:timers/promises";
import type { EventType } from "@rowmill/contract/events";
import type { Statements } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { parseUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { BatchStep } from "../../processors/provider-batches.ts";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import type { ChunkResults } from "../chunks/chunk-claims.ts";
import { addOutcome, addUsed, textOfCarriedUsage, noResults, readCarriedUsage } from "../chunks/chunk-results.ts";
import { commitWithin } from "../chunks/commit-results.ts";
import { storableResults } from "../chunks/unstorable-outputs.ts";
import type { LaneParts, PreparedRun } from "../lanes/prepared-runs.ts";
import { delayBeforeAttempt } from "../rows/retry-delay.ts";
import type { FinishedRowOutcome } from "../rows/try-rows.ts";
import type { RowCache } from "../chunks/row-cache.ts";
import { settleBatch } from "../../resources/runs/run-budgets.ts";
import { noteOutcomes } from "../policies/run-policies.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { readRecordedRows } from "../../resources/runs/stored-results/read-results.ts";
import type { ResponseFiles } from "./response-files.ts";
import { lockPass } from "../../resources/runs/provider-batch-records.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import { rowsOf } from "./request-file.ts";
import type { BatchChunk } from "./request-file.ts";

/** Responses are read on the thread that serves everything else. */
const ROWS_A_ROUND = 10;
/** As in `process-chunk.ts`. */
const MAX_COMMIT_SIZE = 8 * 1024 * 1024;

export interface RecordParts {
  parts: LaneParts;
  batch: BatchRecord;
  run: RunRecord;
  ready: PreparedRun;
  step: BatchStep;
  listened: ReadonlySet<EventType>;
}

/** False: the run has ended, or another pass has the batch; nothing more is recorded. */
export async function recordChunk(
  recording: RecordParts,
  chunk: BatchChunk,
  responses: ResponseFiles,
  signal: AbortSignal,
): Promise<boolean> {
  const { parts, batch, run, ready, step } = recording;
  const { definition, watch, cache } = ready;
  const client = parts.database.statements;
  const recorded = await readRecordedRows(client, run.id, chunk);
  const rows = (await rowsOf(client, run, chunk)).filter((row) => !recorded.has(row.index));
  const durationMs = Date.now() - (batch.submittedAt ?? batch.createdAt).getTime();
  const carried = readCarriedUsage(chunk.booked);
  // What goes on in real time is written with the end of the chunk: so it is counted once, however often it is checked.
  const repeated = noResults();
  let goesOn = false;
  let results = noResults();
  const made: MadeOutput[] = [];

  const flush = async (next: ChunkNext): Promise<boolean> => {
    const spent = parseUsd(results.usage.costUsd);
    if (!(await recordResults(recording, chunk, results, next, spent))) return false;
    results = noResults();
    await keepOutputs(client, cache, made.splice(0));
    return true;
  };

  const onMissing = (): void => {
    goesOn = true;
  };
  for await (const { row, interpreted, mayGoOn, outcome } of interpretAll(
    ready,
    step,
    rows,
    responses,
    onMissing,
    signal,
  )) {
    if (
      !interpreted.ok &&
      (mayGoOn || delayBeforeAttempt(definition.retry ?? {}, interpreted.failure, 1, 0) !== undefined)
    ) {
      goesOn = true;
      carried.set(row.index, { attempts: 1, usage: interpreted.usage });
      addUsed(repeated, 1, interpreted.usage);
      continue;
    }
    const finished: FinishedRowOutcome = { index: row.index, attempts: 1, durationMs, outcome, usage: outcome.usage };
    noteOutcomes(watch, [finished]);
    addOutcome(results, finished, carried.get(row.index));
    if (outcome.ok) made.push({ row, output: outcome.output });
    if (results.size >= MAX_COMMIT_SIZE && !(await flush({ state: "submitted" }))) return false;
  }
  const { attempts, ...usage } = repeated.usage;
  addUsed(results, attempts, usage);
  return flush(goesOn ? { state: "real_time", carriedUsage: textOfCarriedUsage(carried) } : { state: "done" });
}

/** Rows with a response, and what it means for them. `onMissing` is called for each row without one. */
async function* interpretAll(
  { checks }: PreparedRun,
  step: BatchStep,
  rows: readonly InputRow[],
  responses: ResponseFiles,
  onMissing: () => void,
  signal: AbortSignal,
) {
  for (let at = 0; at < rows.length; at += ROWS_A_ROUND) {
    const interpreted: { row: InputRow; interpreted: RowOutcome; mayGoOn: boolean }[] = [];
    for (const row of rows.slice(at, at + ROWS_A_ROUND)) {
      // A response may be megabytes.
      await nextRound();
      signal.throwIfAborted();
      const response = await responses.find(row.index);
      if (response === undefined) {
        onMissing();
        continue;
      }
      const { goesOn: mayGoOn, ...outcome } = await step.interpretResponse(row, response);
      interpreted.push({ row, interpreted: outcome, mayGoOn });
    }
    const outcomes = await checks.checkOutputs(
      interpreted.map((one) => one.interpreted),
      signal,
    );
    for (const [i, one] of interpreted.entries()) yield { ...one, outcome: outcomes[i] ?? one.interpreted };
  }
}

export interface MadeOutput {
  row: InputRow;
  output: string;
}

/** For rows to come that ask the same. */
export async function keepOutputs(
  client: Statements,
  cache: RowCache | undefined,
  made: readonly MadeOutput[],
): Promise<void> {
  if (cache === undefined || made.length === 0) return;
  const rows = made.map(({ row }) => row);
  // It keeps what it was asked for.
  await cache.lookUp(client, rows);
  await cache.keep(
    client,
    made.map(({ row, output }) => ({ index: row.index, output })),
  );
  cache.forget(rows);
}

/** Where a chunk of a batch is after a commit. */
export type ChunkNext =
  | { state: "submitted" }
  | { state: "done" }
  | { state: "real_time"; carriedUsage: string | null };

/**
 * Records results of a chunk in the batch: claims it, commits as every lane does, and lets it go again, in one transaction
 * that proves that the run has not ended and no later pass has begun. `spent` comes from what is set aside for the batch.
 */
export async function recordResults(
  { parts, batch, run, step, listened }: Pick<RecordParts, "parts" | "batch" | "run" | "step" | "listened">,
  chunk: Pick<BatchChunk, "chunkNo" | "firstRow" | "lastRow">,
  results: ChunkResults,
  next: ChunkNext,
  spent: PicoUsd,
): Promise<boolean> {
  const storable = await storableResults(step, results);
  const isRecorded = await parts.database.transaction(async (tx) => {
    const { rows: open } = await sql`
        select 1 from runs where ${isRow(run, run.id)} and finished_at is null
        for no key update`.execute(tx);
    if (open.length === 0 || !(await lockPass(tx, batch))) return false;
    const { rows: claimed } = await sql<{ claimNo: number; lastPart: number }>`
        update run_chunks set state = 'running', batch_id = null, claim_no = claim_no + 1
        where run_id = ${run.id} and chunk_no = ${chunk.chunkNo} and state = 'submitted' and batch_id = ${batch.id}
        returning claim_no, last_part`.execute(tx);
    const claim = claimed[0];
    if (claim === undefined) return false;
    const state = next.state === "done" ? "done" : "pending";
    if ((await commitWithin(tx, run, listened, { ...chunk, ...claim }, storable, state)) === undefined)
      throw new Error("a chunk that was claimed in this transaction is not ours");
    if (next.state !== "done")
      await tx
        .updateTable("runChunks")
        .set(
          next.state === "submitted"
            ? { state: "submitted", batchId: batch.id }
            : { inRealTime: true, booked: next.carriedUsage },
        )
        .where("runId", "=", run.id)
        .where("chunkNo", "=", chunk.chunkNo)
        .execute();
    if (spent > 0n) await settleBatch(tx, { organizationId: run.organizationId, id: run.id }, batch.id, spent, false);
    return true;
  });
  if (isRecorded) parts.meter.countRows(storable, run);
  return isRecorded;
}
