/**
 * The file of a batch's requests, written chunk by chunk: bounded in requests, bytes and money, and never in memory as a whole. A
 * chunk goes in whole or not at all; rows that need no request, or of which none can be made, are left to real time, which
 * completes them from the cache, from their duplicates, or with the failure that they have.
 */
import { open } from "node:fs/promises";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Statements } from "../../platform/database/database.ts";
import { parseUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { BatchApi, BatchStep, RequestFile } from "../../processors/provider-batches.ts";
import type { InputRow } from "../../processors/processor.ts";
import { readChunk } from "../../resources/datasets/chunk-store.ts";
import { sortDuplicates } from "../chunks/duplicate-rows.ts";
import type { PreparedRun } from "../lanes/prepared-runs.ts";
import { pickRows } from "../chunks/process-chunk.ts";
import type { BatchPass } from "./batch-pass.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { readRecordedRows } from "../../resources/runs/stored-results/read-results.ts";

/** Requests are made one after the other on the thread that serves everything else. */
const ROWS_A_ROUND = 20;
/** Text that is gathered before it is written. */
const WRITE_BYTES = 256 * 1024;

export interface BatchChunk {
  chunkNo: number;
  firstRow: number;
  lastRow: number;
  picked: number[] | null;
  /** JSON text: what rows have used that the counters have already. */
  booked: string | null;
}

export async function readChunksOf({ parts, batch }: Pick<BatchPass, "parts" | "batch">): Promise<BatchChunk[]> {
  return parts.database.db
    .selectFrom("runChunks")
    .select(["chunkNo", "firstRow", "lastRow", "picked", "booked"])
    .where("runId", "=", batch.runId)
    .where("state", "=", "submitted")
    .where("batchId", "=", batch.id)
    .orderBy("chunkNo")
    .execute();
}

export interface FileLimits {
  requests: number;
  bytes: number;
  /** Undefined: there is no budget. */
  costUsd: PicoUsd | undefined;
}

export interface BuiltFile extends RequestFile {
  highestCost: PicoUsd;
  /** In the file. */
  sent: number[];
  /** Nothing of them is sent. */
  empty: number[];
  /** They did not fit; the first of them by this limit. */
  rest: number[];
  stoppedBy: keyof FileLimits | undefined;
}

export interface FileParts {
  client: Statements;
  run: RunRecord;
  ready: PreparedRun;
  step: BatchStep;
  api: BatchApi;
  customIdOf: (index: number) => string;
}

export async function buildRequestFile(
  parts: FileParts,
  chunks: readonly BatchChunk[],
  path: string,
  limits: FileLimits,
  signal: AbortSignal,
): Promise<BuiltFile> {
  const file = await open(path, "wx", 0o600);
  const built: BuiltFile = {
    path,
    bytes: 0,
    requests: 0,
    highestCost: 0n,
    sent: [],
    empty: [],
    rest: [],
    stoppedBy: undefined,
  };
  try {
    for (const [position, chunk] of chunks.entries()) {
      signal.throwIfAborted();
      const sum = { bytes: built.bytes, requests: built.requests, costUsd: built.highestCost };
      let stoppedBy: keyof FileLimits | undefined;
      let pieces: Buffer[] = [];
      let gathered = 0;
      const write = async (): Promise<void> => {
        await file.write(Buffer.concat(pieces), 0, gathered, sum.bytes - gathered);
        pieces = [];
        gathered = 0;
      };
      for await (const { line, highestCost } of linesOf(parts, chunk)) {
        sum.requests++;
        sum.bytes += line.length;
        sum.costUsd += highestCost ?? 0n;
        const isUnpriced = highestCost === undefined && limits.costUsd !== undefined;
        stoppedBy = isUnpriced ? "costUsd" : limitReached(sum, limits);
        if (stoppedBy !== undefined) break;
        pieces.push(line);
        gathered += line.length;
        if (gathered >= WRITE_BYTES) await write();
      }
      if (stoppedBy !== undefined) {
        built.stoppedBy = stoppedBy;
        built.rest = chunks.slice(position).map(({ chunkNo }) => chunkNo);
        break;
      }
      if (gathered > 0) await write();
      (sum.requests === built.requests ? built.empty : built.sent).push(chunk.chunkNo);
      Object.assign(built, { bytes: sum.bytes, requests: sum.requests, highestCost: sum.costUsd });
    }
    // The beginning of a chunk that did not fit.
    await file.truncate(built.bytes);
    return built;
  } finally {
    await file.close();
  }
}

function limitReached(
  sum: { requests: number; bytes: number; costUsd: PicoUsd },
  limits: FileLimits,
): keyof FileLimits | undefined {
  if (limits.costUsd !== undefined && sum.costUsd > limits.costUsd) return "costUsd";
  if (sum.bytes > limits.bytes) return "bytes";
  return sum.requests > limits.requests ? "requests" : undefined;
}

interface RequestLine {
  line: Buffer;
  /** Undefined: its price is not known, and no budget can cover it. */
  highestCost: PicoUsd | undefined;
}

async function* linesOf(parts: FileParts, chunk: BatchChunk): AsyncGenerator<RequestLine> {
  const { step, api, customIdOf } = parts;
  for (const [at, row] of (await rowsToSend(parts, chunk)).entries()) {
    if (at % ROWS_A_ROUND === 0) await nextRound();
    const captured = await step.captureRequest(row, { isLimited: parts.run.budget !== null });
    if (!captured.ok) continue;
    const line = Buffer.from(`${api.lineOf(customIdOf(row.index), captured.request)}\n`);
    const { highestCostUsd } = captured;
    yield { line, highestCost: highestCostUsd === undefined ? undefined : parseUsd(highestCostUsd) };
  }
}

/** Rows of the chunk that have no result, and need a request to get one. */
export async function rowsToSend(
  { client, run, ready }: Pick<FileParts, "client" | "run" | "ready">,
  chunk: BatchChunk,
): Promise<InputRow[]> {
  const { checks, cache, definition } = ready;
  const recorded = await readRecordedRows(client, run.id, chunk);
  const open = (await rowsOf(client, run, chunk)).filter((row) => !recorded.has(row.index));
  const refused = await checks.checkInputs(open);
  let rows = open.filter((_row, at) => refused[at] === undefined);
  if (cache !== undefined && rows.length > 0) {
    const known = await cache.lookUp(client, rows);
    cache.forget(rows);
    rows = rows.filter((row) => !known.has(row.index));
  }
  if (definition.dedupe === "exact" && rows.length > 0)
    rows = (await sortDuplicates(client, { organizationId: run.organizationId, runId: run.id }, chunk, rows)).originals;
  return rows;
}

export async function rowsOf(client: Statements, run: RunRecord, chunk: BatchChunk): Promise<InputRow[]> {
  const stored = await readChunk(client, run.datasetId, chunk.chunkNo);
  if (stored === undefined) throw new Error(`chunk ${chunk.chunkNo} of dataset ${run.datasetId} is missing`);
  return pickRows(stored, chunk.picked);
}
