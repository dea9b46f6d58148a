/**
 * Works on one claimed chunk: reads its rows, leaves out those already recorded, processes the rest and commits. A chunk
 * that takes long commits what is finished again and again, so that a crash repeats little.
 */
import type { Statements } from "../../platform/database/database.ts";
import { pause } from "../../platform/pause.ts";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import { decodeChunk, readChunk } from "../../resources/datasets/chunk-store.ts";
import { readRecordedRows } from "../../resources/runs/stored-results/read-results.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { DEATHS_BEFORE_CARE } from "./chunk-deaths.ts";
import type { ChunkEnd, ChunkWork } from "./chunk-work.ts";
import { ChunkCommits } from "./chunk-commits.ts";
import { addAbandoned, addOutcome, addRest, carriedUsageOf, noResults, retriesOf } from "./chunk-results.ts";
import type { CarriedUsage } from "./chunk-results.ts";
import { processCarefully } from "./process-carefully.ts";
import { readEndsOfOriginals, sortDuplicates } from "./duplicate-rows.ts";
import type { RowCache } from "./row-cache.ts";
import { processRows } from "../rows/process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "../rows/try-rows.ts";
import { throughOutages } from "./through-outages.ts";

/** Characters of outputs in one commit: several lanes hold that much at once, as text, bytes and statement. */
const MAX_COMMIT_SIZE = 8 * 1024 * 1024;
/** Rows that are looked for in the cache at once: their outputs may be large. */
const LOOK_UP_ROWS = 100;
/** How soon a duplicate of a row in another worker's hand is looked at again. */
const DUPLICATES_EVERY_MS = 250;
/** When nothing has come of it for this long, the chunk rests: the other row's call may take minutes. */
const DUPLICATES_WAIT_MS = 10_000;
/** The same of a chunk that has rested before: it is hardly a matter of moments. */
const DUPLICATES_WAIT_AGAIN_MS = 1_000;
const DUPLICATES_REST_MS = 10_000;
/** Behind the rows that it waits for, where their chunks rest: these are claimed first, and keep their attempts. */
const DUPLICATES_BEHIND_MS = 1_000;
/** Such a row may be woken, and end before it was due. */
const LONGEST_DUPLICATES_REST_MS = 60_000;

export async function processChunk(client: Statements, work: ChunkWork, chunk: ClaimedChunk): Promise<ChunkEnd> {
  const stored = await readRows(client, work.datasetId, chunk);
  // Its bytes would stay in memory beside the rows for as long as these take.
  chunk.body = null;
  if (stored === undefined) throw new Error(`chunk ${chunk.chunkNo} of dataset ${work.datasetId} is missing`);
  let rows = pickRows(stored, chunk.picked);
  if (chunk.claimNo > 1) {
    const recorded = await readRecordedRows(client, work.target.runId, chunk);
    rows = rows.filter((row) => !recorded.has(row.index));
  }
  if (chunk.deaths >= DEATHS_BEFORE_CARE) return processCarefully(client, work, chunk, rows);

  return new ChunkInProgress(client, work, chunk).process(rows);
}

async function readRows(client: Statements, datasetId: string, { chunkNo, firstRow, body }: ClaimedChunk) {
  return body === null ? readChunk(client, datasetId, chunkNo) : { firstRow, lines: await decodeChunk(body) };
}

class ChunkInProgress {
  readonly #client: Statements;
  readonly #work: ChunkWork;
  readonly #chunk: ClaimedChunk;
  readonly #signal: AbortSignal;
  readonly #plan: RowPlan;
  readonly #carried: ReadonlyMap<number, CarriedUsage>;
  readonly #commits: ChunkCommits;
  #results = noResults();
  #flushedAt = performance.now();
  #total = 0;
  #finished = 0;
  /** Outputs that were made here since the last commit. */
  #made: { index: number; output: string }[] = [];

  constructor(client: Statements, work: ChunkWork, chunk: ClaimedChunk) {
    this.#client = client;
    this.#work = work;
    this.#chunk = chunk;
    this.#signal = work.control.signal;
    this.#carried = carriedUsageOf(chunk);
    this.#plan = { ...work.plan, rowsPerCall: 1, retries: retriesOf(this.#carried) };
    this.#commits = new ChunkCommits(work, chunk, { carried: this.#carried, progress: this.#plan.progress });
  }

  async process(rows: InputRow[]): Promise<ChunkEnd> {
    this.#total = rows.length;
    try {
      const end = await this.#takeAll(rows);
      if (end === "lost") await this.#commits.accountLost(this.#results);
      return end;
    } catch (error) {
      await this.#commits.keepUsage(this.#results);
      throw error;
    } finally {
      this.#work.cache?.forget(rows);
    }
  }

  async #takeAll(rows: InputRow[]): Promise<ChunkEnd> {
    const { cache, dedupes } = this.#work;
    const open = cache === undefined ? rows : await this.#readFromCache(cache, rows);
    if (open === "lost") return "lost";
    const end = dedupes ? await this.#processOnce(open) : await this.#processAll(open, new Map());
    if (end === "lost") return "lost";
    const isDone = this.#finished === rows.length;
    const { progress } = this.#plan;
    addAbandoned(this.#results, this.#carried, progress.takeAbandoned());
    if (!isDone) addRest(this.#results, progress, this.#chunk, this.#carried);
    if (!(await this.#commit(isDone ? "done" : "pending"))) return "lost";
    if (isDone) return "done";
    return progress.restsUntil === undefined ? "released" : "resting";
  }

  /** Outputs that the cache has for rows, as far as they fit this job spec's checks. */
  async #lookUp(cache: RowCache, rows: readonly InputRow[]): Promise<ReadonlyMap<number, RowOutcome>> {
    const { checks } = this.#work.plan;
    const fitting = new Map<number, RowOutcome>();
    try {
      const refused = await checks.checkInputs(rows, this.#signal);
      const known = await cache.lookUp(
        this.#client,
        rows.filter((_row, i) => refused[i] === undefined),
      );
      const found = [...known].map(([index, output]) => ({ index, outcome: { ok: true, output } as const }));
      const checked = await checks.checkOutputs(
        found.map(({ outcome }) => outcome),
        this.#signal,
      );
      for (const [i, { index }] of found.entries()) {
        const outcome = checked[i];
        if (outcome?.ok === true) fitting.set(index, outcome);
      }
    } catch (error) {
      // Nothing of the chunk is processed any more.
      if (!this.#signal.aborted) throw error;
    }
    return fitting;
  }

  /** The rows that the cache does not know. */
  async #readFromCache(cache: RowCache, rows: InputRow[]): Promise<InputRow[] | "lost"> {
    const unknown: InputRow[] = [];
    for (let at = 0; at < rows.length; at += LOOK_UP_ROWS) {
      const asked = rows.slice(at, at + LOOK_UP_ROWS);
      const fitting = await this.#lookUp(cache, asked);
      for (const row of asked) {
        const outcome = fitting.get(row.index);
        // What does not fit this job spec's checks is processed.
        if (outcome !== undefined) this.#add(withoutCalls(row, outcome));
        else unknown.push(row);
      }
      if (this.#results.size >= MAX_COMMIT_SIZE && (await this.#flush()) === "lost") return "lost";
    }
    return unknown;
  }

  /** One row of each kind is processed, and its duplicates get what came of it, here or in another worker's hand. */
  async #processOnce(rows: InputRow[]): Promise<ChunkEnd | "ended"> {
    const { progress } = this.#plan;
    const waitMs = this.#chunk.hasRested ? DUPLICATES_WAIT_AGAIN_MS : DUPLICATES_WAIT_MS;
    let open = rows;
    let finishedAt = performance.now();
    while (open.length > 0 && !this.#signal.aborted && this.#work.control.mayBegin()) {
      const { originals, duplicatesHere, duplicatesElsewhere } = await sortDuplicates(
        this.#client,
        this.#work.target,
        this.#chunk,
        open,
      );
      const before = this.#finished;
      if ((await this.#processAll(originals, duplicatesHere)) === "lost") return "lost";
      const { ends, restMs } = await readEndsOfOriginals(this.#client, this.#work.target.runId, duplicatesElsewhere);
      for (const row of duplicatesElsewhere) {
        const outcome = ends.get(row.index);
        if (outcome !== undefined) this.#add(withoutCalls(row, outcome));
      }
      open = duplicatesElsewhere.filter((row) => !ends.has(row.index));
      if (open.length > 0 && (await this.#flushIfDue()) === "lost") return "lost";
      if (restMs !== undefined)
        progress.restUntil(Date.now() + Math.min(restMs + DUPLICATES_BEHIND_MS, LONGEST_DUPLICATES_REST_MS));
      else if (before !== this.#finished) finishedAt = performance.now();
      else if (performance.now() - finishedAt >= waitMs) progress.restUntil(Date.now() + DUPLICATES_REST_MS);
      if (progress.restsUntil !== undefined) break;
      if (open.length > 0 && before === this.#finished) await pause(DUPLICATES_EVERY_MS, this.#signal);
    }
    return "ended";
  }

  async #processAll(rows: InputRow[], duplicatesHere: ReadonlyMap<number, InputRow[]>): Promise<"ended" | "lost"> {
    const work = this.#work;
    const nextRowsPerCall = (): number =>
      Math.min(work.rowsPerCall(), work.policies.probeRows() ?? Number.POSITIVE_INFINITY);
    this.#plan.rowsPerCall = nextRowsPerCall();
    for await (const ended of processRows(this.#plan, rows, work.control)) {
      work.policies.noteOutcomes(ended);
      let isLost = false;
      for (const row of ended) {
        this.#add(row);
        for (const duplicate of duplicatesHere.get(row.index) ?? []) this.#add(withoutCalls(duplicate, row.outcome));
        if (!isLost && this.#results.size >= MAX_COMMIT_SIZE) isLost = (await this.#flush()) === "lost";
      }
      if (isLost || (await this.#flushIfDue()) === "lost") return "lost";
      this.#plan.rowsPerCall = nextRowsPerCall();
    }
    return "ended";
  }

  #add(row: FinishedRowOutcome): void {
    this.#finished++;
    if (row.outcome.ok && row.usage?.cached !== true && this.#work.cache !== undefined)
      this.#made.push({ index: row.index, output: row.outcome.output });
    addOutcome(this.#results, row, this.#carried.get(row.index));
  }

  /** Not for the last rows of a chunk, which are committed with its end. */
  async #flushIfDue(): Promise<"ended" | "lost"> {
    const hasNews = this.#results.successes.length + this.#results.failures.length > 0;
    const isDue =
      this.#work.policies.probeRows() !== undefined || performance.now() - this.#flushedAt >= this.#work.flushAfterMs;
    return hasNews && isDue && this.#finished < this.#total ? this.#flush() : "ended";
  }

  async #flush(): Promise<"ended" | "lost"> {
    if (!(await this.#commit("running"))) return "lost";
    this.#flushedAt = performance.now();
    await throughOutages(() => this.#work.policies.check(), this.#signal);
    return "ended";
  }

  async #commit(state: "done" | "running" | "pending"): Promise<boolean> {
    const { cache } = this.#work;
    if (!(await this.#commits.commit(this.#results, state))) return false;
    this.#results = noResults();
    const made = this.#made.splice(0);
    if (cache !== undefined) await throughOutages(() => cache.keep(this.#client, made), this.#signal);
    return true;
  }
}

/** Its result was there already, or is another row's. */
const withoutCalls = (row: InputRow, outcome: RowOutcome): FinishedRowOutcome => ({
  index: row.index,
  attempts: 0,
  durationMs: 0,
  outcome,
  usage: { requests: 0, costUsd: "0", cached: true },
});

/** Those of a dataset's chunk that the run has. */
export function pickRows(stored: { firstRow: number; lines: string[] }, picked: number[] | null): InputRow[] {
  if (picked === null) return stored.lines.map((text, i) => ({ index: stored.firstRow + i, text }));
  return picked.map((position) => {
    const text = stored.lines[position];
    if (text === undefined) throw new Error(`a chunk has no row at position ${position}`);
    return { index: stored.firstRow + position, text };
  });
}
