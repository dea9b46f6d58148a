/** One row of a run in real time, before the rest is sent in files. */
import type { EventType } from "@rowmill/contract/events";
import { failureCodes } from "@rowmill/contract/failures";
import { RowPostponedError } from "../../processors/processor.ts";
import type { InputRow, RowFailure, RowOutcome, RowUsage, Step } from "../../processors/processor.ts";
import { listenedTypes } from "../../resources/events/events.ts";
import { mayBeDone } from "../../platform/database/database.ts";
import { addAbandoned, addOutcome, addUsed, noResults, readCarriedUsage } from "../chunks/chunk-results.ts";
import type { ChunkResults } from "../chunks/chunk-results.ts";
import { ROW_EVENT_TYPES, accountLost, targetOf } from "../chunks/commit-results.ts";
import { delayBeforeAttempt } from "../rows/retry-delay.ts";
import { startClock } from "../rows/row-clock.ts";
import type { BatchPass } from "./batch-pass.ts";
import { keepOutputs, recordResults } from "./record-results.ts";
import { rowsToSend } from "./request-file.ts";
import type { BatchChunk } from "./request-file.ts";

/** What is forgotten costs one row in real time. */
const MAX_RUNS = 1_000;

/** A pass has one of few places, and a provider that has refused calls may not be asked again for a quarter of an hour. */
const LONGEST_WAIT_MS = 90_000;

/**
 * What is wrong for all rows; `postponed`: there is no money for one; `later`: its call could not begin; undefined: nothing is known to be
 * wrong.
 */
export type FirstRowEnd = RowFailure | "postponed" | "later" | undefined;

/** Runs whose first row this process has asked for, or is asking for: their other batches wait for it. */
export class FirstRows {
  readonly #ends = new Map<string, Promise<FirstRowEnd>>();

  async tryOnce(pass: BatchPass, chunks: readonly BatchChunk[]): Promise<FirstRowEnd> {
    const { id } = pass.run;
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    if (this.#ends.size >= MAX_RUNS) this.#ends.clear();
    const trying = tryFirstRow(pass, chunks);
    this.#ends.set(id, trying);
    let isFine = false;
    try {
      const end = await trying;
      isFine = end === undefined;
      return end;
    } finally {
      if (!isFine) this.#ends.delete(id);
    }
  }
}

/**
 * What is wrong for all rows (the key, the model, how the provider wants to be spoken to) shows in a second and at the price of a row,
 * and not after hours in each of 45 000 responses.
 */
async function tryFirstRow(pass: BatchPass, chunks: readonly BatchChunk[]): Promise<FirstRowEnd> {
  const { parts, batch, run, signal } = pass;
  const { step, checks, definition, ...ready } = await pass.ready();
  const client = parts.database.statements;
  for (const chunk of chunks) {
    for (const row of await rowsToSend({ client, run, ready: { step, checks, definition, ...ready } }, chunk)) {
      const captured = await step.captureRequest(row);
      if (!captured.ok) continue;
      const startedAt = performance.now();
      let used: RowUsage | undefined;
      let isRecording = false;
      try {
        const [tried] = await processPatiently(step, row, signal, (usage) => (used = usage));
        if (tried === undefined) throw new Error("a processor gave no outcome for a row");
        used = tried.usage;
        const [outcome = tried] = await checks.checkOutputs([tried]);
        const failure = outcome.ok ? undefined : outcome.failure;
        const isForAll = failure !== undefined && failureCodes[failure.code].class === "configuration";
        // What may pass by itself is tried again with the others.
        if (
          isForAll ||
          (failure !== undefined && delayBeforeAttempt(definition.retry ?? {}, failure, 1, 0) !== undefined)
        ) {
          isRecording = true;
          await keepUsage(pass, chunk, row, used);
          return isForAll ? failure : undefined;
        }
        const results = noResults();
        const { index } = row;
        const durationMs = Math.round(performance.now() - startedAt);
        addOutcome(results, { index, attempts: 1, durationMs, outcome, usage: outcome.usage });
        const listened = await listenedTypes(parts.database.db, run.organizationId, ROW_EVENT_TYPES);
        // Its call has a reservation of its own.
        const next = { state: "submitted" } as const;
        isRecording = true;
        const isRecorded = await recordResults({ parts, batch, run, step, listened }, chunk, results, next, 0n);
        used = undefined;
        if (!isRecorded) await accountApart(pass, chunk, results.usage);
        else if (outcome.ok) await keepOutputs(client, ready.cache, [{ row, output: outcome.output }]);
        return undefined;
      } catch (error) {
        // Where only the response of the database was lost, it has been recorded, perhaps.
        await keepUsageAfterError(pass, chunk, row, isRecording && mayBeDone(error) ? undefined : used);
        if (error instanceof RowPostponedError) return error.reason === "nothing_begins" ? "later" : "postponed";
        throw error;
      }
    }
  }
  return undefined;
}

/** The row goes on with the others, and with what its attempt has used. */
async function keepUsage(
  pass: BatchPass,
  chunk: BatchChunk,
  { index }: InputRow,
  usage: RowUsage | undefined,
): Promise<void> {
  const { parts, batch, run, ready } = pass;
  if ((usage?.requests ?? 0) === 0) return;
  const results = noResults();
  addAbandoned(results, readCarriedUsage(chunk.booked), [{ index, attempts: 1, usage }]);
  const recording = { parts, batch, run, step: (await ready()).step, listened: new Set<EventType>() };
  const isRecorded = await recordResults(recording, chunk, results, { state: "submitted" }, 0n);
  if (isRecorded) chunk.booked = results.carriedUsage;
  else await accountApart(pass, chunk, results.usage);
}

/** The error that came first is the one to report. */
async function keepUsageAfterError(
  pass: BatchPass,
  chunk: BatchChunk,
  row: InputRow,
  usage: RowUsage | undefined,
): Promise<void> {
  try {
    await keepUsage(pass, chunk, row, usage);
  } catch (error) {
    const { parts, run } = pass;
    parts.log.warn(
      { err: error, runId: run.id, usage },
      "what the first row of a run has used could not be kept for it",
    );
    const results = noResults();
    addUsed(results, 1, usage);
    if (!mayBeDone(error)) await accountApart(pass, chunk, results.usage);
  }
}

/** The run has ended meanwhile, or another worker has the batch: the row cannot have what was paid for it. */
async function accountApart(
  { parts, run }: BatchPass,
  { chunkNo }: BatchChunk,
  usage: ChunkResults["usage"],
): Promise<void> {
  await accountLost(parts, targetOf(run), chunkNo, usage);
}

/** For so long, its call waits for what it needs to begin. */
async function processPatiently(
  step: Step,
  row: InputRow,
  signal: AbortSignal,
  noteUsage: (usage: RowUsage) => void,
): Promise<RowOutcome[]> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new RowPostponedError("nothing_begins")), LONGEST_WAIT_MS);
  const clock = startClock(undefined, signal, patience.signal);
  try {
    return await step.processRows([row], clock.signal, { ...clock, noteUsage: (_row, usage) => noteUsage(usage) });
  } finally {
    clearTimeout(timer);
    clock.stop();
  }
}
