/**
 * What is recorded of the rows of runs: the one way to read it. Successes lie in segments, failures in rows, and nothing
 * outside of this folder knows that. Rows without a result are derived from the chunks (`../positions.ts`).
 */
import type { FailureCode } from "@rowmill/contract/failures";
import type { Statements } from "../../../platform/database/database.ts";
import { JsonSlice } from "../../../platform/json-bytes.ts";
import { readFailureHeads, readWholeFailures } from "./failures.ts";
import type { FailureHead, StoredFailure } from "./failures.ts";
import { positionsIn } from "./segment-format.ts";
import {
  WINDOW_BYTES,
  readNextChunks,
  readOutputsOf,
  resumeWhenFolded,
  rowsOfSegments,
  withOutputs,
} from "./segments.ts";
import type { ChunkSegments, Segment, SegmentRowRef } from "./segments.ts";
import { SegmentsOfRuns } from "./segments-of-runs.ts";

export interface StoredOutput {
  index: number;
  attempts: number;
  finishedUs: number;
  output: JsonSlice;
  /** JSON text. */
  usage: string | null;
}

/** Chunks whose segments are read at once: few for a page, more for those who read on. */
const FIRST_CHUNKS = 2;
const MOST_CHUNKS = 32;

/** Outputs in row order, after row `after`, `wanted` of them or all, as many at once as fit into memory. */
export function readOutputs(
  client: Statements,
  runId: string,
  after: number,
  wanted: number,
): AsyncGenerator<StoredOutput[]> {
  return resumeWhenFolded(
    after,
    (from) => readOutputsFrom(client, runId, from, wanted),
    ({ index }) => index,
  );
}

async function* readOutputsFrom(
  client: Statements,
  runId: string,
  after: number,
  wanted: number,
): AsyncGenerator<StoredOutput[]> {
  let missing = wanted;
  for await (const chunks of readChunkGroups(client, runId, after, wanted)) {
    for (const { segments } of chunks) {
      const [segment] = segments;
      if (segment !== undefined && segments.length === 1) {
        const outputs = await readSegmentOutputs(client, segment, after, missing);
        yield outputs;
        missing -= outputs.length;
        if (missing === 0) return;
        continue;
      }
      const rows = rowsOfSegments(segments);
      const first = rows.findIndex(({ index }) => index > after);
      const next = first === -1 ? [] : rows.slice(first, first + missing);
      for await (const window of withOutputs(client, next, (row) => row))
        yield window.map(({ item, output }) => storedOutput(item, output));
      missing -= next.length;
      if (missing === 0) return;
    }
  }
}

/** For who wants all, the database reads the next group while this one is worked on. */
async function* readChunkGroups(
  client: Statements,
  runId: string,
  after: number,
  wanted: number,
): AsyncGenerator<ChunkSegments[]> {
  const readsAhead = wanted === Number.POSITIVE_INFINITY;
  let chunkCount = FIRST_CHUNKS;
  let next = readNextChunks(client, runId, after, chunkCount, wanted);
  for (;;) {
    const chunks = await next;
    const last = chunks.at(-1);
    const isLast = last === undefined || chunks.length < chunkCount;
    const readNext = (): void => {
      if (last === undefined) return;
      chunkCount = nextChunkCount(chunks, chunkCount);
      next = readNextChunks(client, runId, last.lastRow, chunkCount, wanted);
      // It is awaited in the next round. Where the reader ends before, nobody needs its error.
      next.catch(() => undefined);
    };
    if (readsAhead && !isLast) readNext();
    yield chunks;
    if (isLast) return;
    if (!readsAhead) readNext();
  }
}

/** As many as come with their bodies, if they are like the last ones: each that does not costs a query of its own. */
function nextChunkCount(chunks: readonly ChunkSegments[], chunkCount: number): number {
  const size = chunks.reduce((sum, { segments }) => segments.reduce((all, segment) => all + segment.size, sum), 0);
  const fitting = Math.floor((chunks.length * WINDOW_BYTES) / Math.max(1, size));
  return Math.max(1, Math.min(2 * chunkCount, fitting, MOST_CHUNKS));
}

/** What most chunks are: without a list of the rows being made first. */
async function readSegmentOutputs(
  client: Statements,
  segment: Segment,
  after: number,
  wanted: number,
): Promise<StoredOutput[]> {
  const { positions } = segment.heads;
  if (segment.firstRow + (positions.at(-1) ?? -1) <= after) return [];
  const lines = (await readOutputsOf(client, [segment])).get(segment);
  const outputs: StoredOutput[] = [];
  for (let at = countUpTo(positions, after - segment.firstRow); at < positions.length; at++) {
    if (outputs.length === wanted) break;
    const index = segment.firstRow + (positions[at] ?? 0);
    outputs.push(storedOutput({ segment, at, index }, lines?.at(at)));
  }
  return outputs;
}

/** How many of the positions, which are in order, are at most `last`. */
function countUpTo(positions: Uint16Array, last: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NULL = JsonSlice.of("null");

const storedOutput = (
  { segment: { heads }, at, index }: SegmentRowRef & { index: number },
  output: JsonSlice | undefined,
): StoredOutput => ({
  index,
  attempts: heads.attemptsAt(at),
  finishedUs: heads.finishedUsAt(at),
  output: output ?? NULL,
  usage: heads.usageAt(at),
});

/** What is known of a row's result without its output. */
export interface ResultHead {
  runId: string;
  index: number;
  attempts: number;
  durationMs: number;
  /** In microseconds: two retry runs may record a row within the same millisecond. */
  finishedUs: number;
  /** Undefined: it succeeded. */
  code: FailureCode | undefined;
  message: string | undefined;
  /** Undefined: it failed. */
  row: SegmentRowRef | undefined;
  /** Undefined: it succeeded, or only the head was read. */
  failure: StoredFailure | undefined;
}

export type ReadFailures = "none" | "heads" | "whole";

/**
 * The heads of these rows in each of the runs, by run and row index. Failures are looked for where no run has a success, which they would
 * not hide; `failures`: whether they are read whole, for those who show them, or not at all.
 */
export async function readResultHeads(
  segments: SegmentsOfRuns,
  rows: readonly { index: number; chunkNo: number | undefined; hasFailures?: boolean }[],
  failures: ReadFailures = "heads",
): Promise<Map<string, Map<number, ResultHead>>> {
  const { client, runIds } = segments;
  const wanted = new Set(rows.map(({ index }) => index));
  const heads = new Map<string, Map<number, ResultHead>>(runIds.map((id) => [id, new Map<number, ResultHead>()]));
  const succeeded = new Set<number>();
  for (const segment of await segments.take([...new Set(rows.flatMap(({ chunkNo }) => chunkNo ?? []))]))
    for (const [at, position] of segment.heads.positions.entries()) {
      const index = segment.firstRow + position;
      if (!wanted.has(index)) continue;
      heads.get(segment.runId)?.set(index, headOfRow({ segment, at }, index));
      succeeded.add(index);
    }
  if (failures === "none") return heads;
  const isOne = runIds.length === 1;
  // Most pages are all successes, and ask no more.
  const others = rows.flatMap(({ index, hasFailures = true }) =>
    succeeded.has(index) || (isOne && !hasFailures) ? [] : [index],
  );
  for (const head of failures === "whole"
    ? (await readWholeFailures(client, pairsOf(runIds, others))).map(headOfWhole)
    : (await readFailureHeads(client, runIds, others)).map(headOfFailure))
    heads.get(head.runId)?.set(head.index, head);
  return heads;
}

const pairsOf = (runIds: readonly string[], indexes: readonly number[]) =>
  runIds.flatMap((runId) => indexes.map((index) => ({ runId, index })));

const headOfRow = (row: SegmentRowRef, index: number): ResultHead => ({
  runId: row.segment.runId,
  index,
  attempts: row.segment.heads.attemptsAt(row.at),
  durationMs: row.segment.heads.durationMsAt(row.at),
  finishedUs: row.segment.heads.finishedUsAt(row.at),
  code: undefined,
  message: undefined,
  row,
  failure: undefined,
});

const headOfFailure = (head: FailureHead): ResultHead => ({ ...head, row: undefined, failure: undefined });

const headOfWhole = (failure: StoredFailure): ResultHead => ({
  runId: failure.runId,
  index: failure.index,
  attempts: failure.attempts,
  durationMs: failure.durationMs,
  finishedUs: failure.finishedUs,
  code: failure.code,
  message: undefined,
  row: undefined,
  failure,
});

export type WholeResult = { output: StoredOutput } | { failure: StoredFailure };

/** Items in their order, each with the whole of the result that its head names. */
export async function* readWholeResults<T>(
  client: Statements,
  items: readonly T[],
  headOf: (item: T) => ResultHead | undefined,
): AsyncGenerator<{ item: T; result: WholeResult | undefined }[]> {
  for await (const window of withOutputs(client, items, (item) => headOf(item)?.row)) {
    const failed = window.flatMap(({ item }) => {
      const head = headOf(item);
      return head === undefined || head.row !== undefined || head.failure !== undefined ? [] : [head];
    });
    const failures = new Map(
      (await readWholeFailures(client, failed)).map((failure) => [keyOf(failure), failure] as const),
    );
    yield window.map(({ item, output }) => {
      const head = headOf(item);
      return { item, result: head === undefined ? undefined : wholeResult(head, output, failures) };
    });
  }
}

function wholeResult(
  head: ResultHead,
  output: JsonSlice | undefined,
  failures: ReadonlyMap<string, StoredFailure>,
): WholeResult | undefined {
  if (head.row !== undefined) return { output: storedOutput({ ...head.row, index: head.index }, output) };
  const failure = head.failure ?? failures.get(keyOf(head));
  return failure === undefined ? undefined : { failure };
}

const keyOf = ({ runId, index }: { runId: string; index: number }): string => `${runId}/${index}`;

/** The rows among these of one run that have a result, wherever they are; those without one are missing. */
export async function readResultsAt(
  client: Statements,
  runId: string,
  indexes: readonly number[],
): Promise<Map<number, WholeResult>> {
  const ordered = indexes.toSorted((a, b) => a - b);
  const results = new Map<number, WholeResult>();
  // Next to each other are rows of one segment, which is unpacked once then.
  const found = resumeWhenFolded(
    -1,
    (after) =>
      readResultsOf(
        client,
        runId,
        ordered.filter((index) => index > after),
      ),
    ({ index }) => index,
  );
  for await (const window of found) for (const { index, result } of window) results.set(index, result);
  return results;
}

async function* readResultsOf(
  client: Statements,
  runId: string,
  indexes: readonly number[],
): AsyncGenerator<{ index: number; result: WholeResult }[]> {
  if (indexes.length === 0) return;
  const { rows } = await client.query<{ index: number; chunkNo: number }>({
    name: "find_chunks_of_rows",
    values: [runId, indexes],
    // Chunks do not overlap: the first that ends behind the row is the one that has it.
    text: `select i.row_index as index, c.chunk_no as "chunkNo" from unnest($2::bigint[]) i(row_index) cross join lateral (
        select chunk_no from run_chunks where run_id = $1 and last_row >= i.row_index order by last_row limit 1) c`,
  });
  const heads = (await readResultHeads(new SegmentsOfRuns(client, [runId]), rows)).get(runId);
  const ended = indexes.flatMap((index) => heads?.get(index) ?? []);
  for await (const window of readWholeResults(client, ended, (head) => head))
    yield window.flatMap(({ item: { index }, result }) => (result === undefined ? [] : [{ index, result }]));
}

/** Rows of the chunk that have a result. */
export async function readRecordedRows(
  client: Statements,
  runId: string,
  chunk: { chunkNo: number; firstRow: number; lastRow: number },
): Promise<Set<number>> {
  const { rows: failures } = await client.query<{ row_index: number }>({
    name: "read_recorded_failures",
    values: [runId, chunk.firstRow, chunk.lastRow],
    text: "select row_index from run_failures where run_id = $1 and row_index between $2 and $3",
  });
  const { rows: segments } = await client.query<{ positions: Buffer; row_count: number }>({
    name: "read_recorded_segments",
    values: [runId, chunk.chunkNo],
    text: "select positions, row_count from run_segments where run_id = $1 and chunk_no = $2",
  });
  const recorded = new Set(failures.map((row) => row.row_index));
  for (const { positions, row_count } of segments)
    for (const position of positionsIn(positions, row_count)) recorded.add(chunk.firstRow + position);
  return recorded;
}
