/** Checks the results of a batch like those of calls, and records them chunk by chunk. */
import { setImmediate as nextRound } from "node:timers/promises";
import { parseUsd } from "../../platform/usd.ts";
import type { BatchStep } from "../../processors/provider-batches.ts";
import type { InputRow, RowOutcome, RowUsage } from "../../processors/processor.ts";
import { addUsage } from "../../processors/row-usage.ts";
import { addOutcome, addUsed, textOfCarriedUsage, noResults, readCarriedUsage } from "../chunks/chunk-results.ts";
import type { CarriedUsage } from "../chunks/chunk-results.ts";
import type { PreparedRun } from "../lanes/prepared-runs.ts";
import { delayBeforeAttempt } from "../rows/retry-delay.ts";
import type { FinishedRowOutcome } from "../rows/try-rows.ts";
import { noteOutcomes } from "../policies/run-policies.ts";
import { readRecordedRows } from "../../resources/runs/stored-results/read-results.ts";
import type { ResponseFiles } from "./response-files.ts";
import { rowsOf } from "./request-file.ts";
import type { BatchChunk } from "./request-file.ts";
import { keepOutputs, recordResults } from "./record-results.ts";
import type { BatchRecording, ChunkNext, MadeOutput } from "./record-results.ts";
import { sharedMs } from "../../platform/shared-time.ts";

/** Responses are read on the thread that serves everything else. */
const ROWS_A_ROUND = 10;
/** As in `process-chunk.ts`. */
const MAX_COMMIT_SIZE = 8 * 1024 * 1024;

/** False: the run has ended, or another pass has the batch; nothing more is recorded. */
export async function recordChunk(
  recording: BatchRecording,
  chunk: BatchChunk,
  responses: ResponseFiles,
  signal: AbortSignal,
): Promise<boolean> {
  const { parts, batch, run, ready, step } = recording;
  const { definition, watch, cache } = ready;
  const client = parts.database.statements;
  const recorded = await readRecordedRows(client, run.id, chunk);
  const rows = (await rowsOf(client, run, chunk)).filter((row) => !recorded.has(row.index));
  const durationMs = Math.max(0, sharedMs() - (batch.submittedAt ?? batch.createdAt).getTime());
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
      carried.set(row.index, withAttempt(carried.get(row.index), interpreted.usage));
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

const withAttempt = (before: CarriedUsage | undefined, usage: RowUsage | undefined): CarriedUsage => ({
  attempts: 1 + (before?.attempts ?? 0),
  usage: addUsage(before?.usage, usage),
});

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
