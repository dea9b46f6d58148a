/**
 * How successful results lie in `run_segments`. One segment holds rows of one chunk, in row order, in three values:
 *
 *   positions  a bitmap: bit `n` is the row at position `n` of the dataset's chunk, as `get_bit` of PostgreSQL counts
 *   heads      attempts, durations and finish times, each on a line, then the usage of each row on a line of its own;
 *              one value on a line is that of all rows, none the usual one;
 *              null when every row took one attempt and no time, ended with the commit, and used nothing
 *   body       outputs as JSON text, one a line
 *
 * Heads and bodies are compressed unless they are small. The first bytes of a zstd frame are not the beginning of either.
 */
import { JsonLines } from "../../../platform/json-bytes.ts";
import * as zstd from "../../../platform/zstd.ts";

/** For outputs of 200 bytes level 3 saves 8 % and takes a third more time. */
const LEVEL = 1;
/** Below this, compression costs more than the bytes that it saves. */
const COMPRESSED_FROM_BYTES = 512;

/**
 * Outputs in one segment, before compression. A read of one row unpacks its segment: this bounds its time to some
 * milliseconds. An output that is larger has a segment of its own.
 */
export const MAX_SEGMENT_BYTES = 1024 * 1024;

export interface SegmentRow {
  /** Within the dataset's chunk. */
  position: number;
  attempts: number;
  durationMs: number;
  /** Microseconds since 1970; undefined: the time of the segment's commit. */
  finishedUs: number | undefined;
  /** JSON text on one line. */
  output: string;
  /** JSON text on one line. */
  usage: string | null;
}

export interface EncodedSegment {
  rowCount: number;
  /** Of the outputs, before compression. */
  size: number;
  positions: Buffer;
  heads: Buffer | null;
  body: Buffer;
}

/** What stands beside the outputs, for each row of a segment. */
export interface SegmentHeads {
  positions: Uint16Array;
  attemptsAt: (at: number) => number;
  durationMsAt: (at: number) => number;
  finishedUsAt: (at: number) => number;
  usageAt: (at: number) => string | null;
}

/** Segments of rows in any order; `chunkRows` is the number of rows of the dataset's chunk. */
export async function encodeSegments(rows: readonly SegmentRow[], chunkRows: number): Promise<EncodedSegment[]> {
  const ordered = isInOrder(rows) ? rows : rows.toSorted((a, b) => a.position - b.position);
  const segments: Promise<EncodedSegment>[] = [];
  let from = 0;
  let size = 0;
  for (const [at, { output }] of ordered.entries()) {
    // A character takes up to three bytes; outputs are mostly ASCII, and the bound need not be exact.
    if (at > from && size + output.length > MAX_SEGMENT_BYTES) {
      segments.push(encodeSegment(ordered.slice(from, at), chunkRows));
      from = at;
      size = 0;
    }
    size += output.length + 1;
  }
  if (ordered.length > from) segments.push(encodeSegment(from === 0 ? ordered : ordered.slice(from), chunkRows));
  return Promise.all(segments);
}

async function encodeSegment(rows: readonly SegmentRow[], chunkRows: number): Promise<EncodedSegment> {
  const text = rows.map(({ output }) => output).join("\n");
  const size = Buffer.byteLength(text);
  const heads = headsOf(rows);
  return {
    rowCount: rows.length,
    size,
    positions: bitmapOf(rows, chunkRows),
    heads: heads === undefined ? null : await pack(heads, Buffer.byteLength(heads)),
    body: await pack(text, size),
  };
}

function headsOf(rows: readonly SegmentRow[]): string | undefined {
  const lines = [
    lineOf(rows, ({ attempts }) => attempts, 1),
    lineOf(rows, ({ durationMs }) => durationMs, 0),
    lineOf(rows, ({ finishedUs }) => finishedUs, undefined),
    ...(rows.some(({ usage }) => usage !== null) ? rows.map(({ usage }) => usage ?? "") : []),
  ];
  return lines.some((line) => line !== "") ? lines.join("\n") : undefined;
}

/** Rows of one call took the same time, and mostly as many attempts: such a line is short enough not to be compressed. */
function lineOf(
  rows: readonly SegmentRow[],
  valueOf: (row: SegmentRow) => number | undefined,
  usual: number | undefined,
): string {
  const [first] = rows;
  const value = first === undefined ? usual : valueOf(first);
  if (rows.some((row) => valueOf(row) !== value)) return rows.map((row) => valueOf(row) ?? "").join(",");
  return value === usual ? "" : String(value);
}

function isInOrder(rows: readonly SegmentRow[]): boolean {
  let last = -1;
  for (const { position } of rows) {
    if (position < last) return false;
    last = position;
  }
  return true;
}

function bitmapOf(rows: readonly SegmentRow[], chunkRows: number): Buffer {
  const bitmap = Buffer.alloc(Math.ceil(chunkRows / 8));
  for (const { position } of rows) {
    if (position < 0 || position >= chunkRows)
      throw new Error(`position ${position} is not in a chunk of ${chunkRows} rows`);
    const byte = position >> 3;
    bitmap[byte] = (bitmap[byte] ?? 0) | (1 << (position & 7));
  }
  return bitmap;
}

/** The positions in a bitmap, in order. */
export function positionsIn(bitmap: Buffer, rowCount: number): Uint16Array {
  const positions = new Uint16Array(rowCount);
  let found = 0;
  for (const [byte, bits] of bitmap.entries())
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      positions[found++] = byte * 8 + (31 - Math.clz32(rest & -rest));
    }
  if (found !== rowCount) throw new Error(`a segment of ${rowCount} rows has ${found} positions`);
  return positions;
}

export async function decodeHeads(
  segment: Pick<EncodedSegment, "rowCount" | "positions" | "heads"> & { finishedUs: number },
): Promise<SegmentHeads> {
  const { rowCount, finishedUs } = segment;
  const positions = positionsIn(segment.positions, rowCount);
  const lines = segment.heads === null ? [] : (await unpack(segment.heads)).toString("utf8").split("\n");
  const [attempts, durations, times] = [0, 1, 2].map((line) => valuesOn(lines[line] ?? ""));
  return {
    positions,
    attemptsAt: (at) => Number(attempts?.(at) ?? 1),
    durationMsAt: (at) => Number(durations?.(at) ?? 0),
    finishedUsAt: (at) => Number(times?.(at) || finishedUs),
    usageAt: (at) => lines[at + HEAD_LINES] || null,
  };
}

/** Separated when somebody asks: most readers want few of them. */
function valuesOn(line: string): ((at: number) => string | undefined) | undefined {
  if (line === "") return undefined;
  if (!line.includes(",")) return () => line;
  let values: string[] | undefined;
  return (at) => (values ??= line.split(","))[at];
}

export async function decodeBody(body: Buffer, rowCount: number): Promise<JsonLines> {
  const outputs = new JsonLines(await unpack(body));
  if (outputs.count !== rowCount) throw new Error(`a segment of ${rowCount} rows has ${outputs.count} outputs`);
  return outputs;
}

/** What stands before the usages. */
const HEAD_LINES = 3;

const pack = (text: string, size: number): Buffer | Promise<Buffer> =>
  size < COMPRESSED_FROM_BYTES ? Buffer.from(text) : zstd.packText(text, size, LEVEL);

const unpack = (bytes: Buffer): Buffer | Promise<Buffer> => (zstd.isPacked(bytes) ? zstd.unpack(bytes) : bytes);
