/**
 * Reads segments. A reader first learns which segments there are, then loads the bodies that it needs. Between the two the
 * last commit of a chunk may have replaced small segments by one: then `SegmentsFoldedError` is thrown, and the reader begins
 * again behind the last row that it has passed on (`resumeWhenFolded`). A chunk is folded once, so this ends.
 */
import type { Statements } from "../../../platform/database/database.ts";
import { isDistributed } from "../../../platform/database/distribution-marks.ts";
import type { JsonLines, JsonSlice } from "../../../platform/json-bytes.ts";
import { decodeBody, decodeHeads } from "./segment-format.ts";
import type { SegmentHeads } from "./segment-format.ts";

/** Outputs that a reader unpacks at once: it holds them as bytes and as text. At least one segment is unpacked, however large. */
export const WINDOW_BYTES = 2 * 1024 * 1024;
/** A chunk has 10 000 rows at most, and a segment one at least. The limit also keeps the planner from joining whole tables. */
export const MAX_SEGMENTS_PER_CHUNK = 10_000;

export interface Segment {
  runId: string;
  chunkNo: number;
  partNo: number;
  /** Of the chunk. */
  firstRow: number;
  rowCount: number;
  size: number;
  heads: SegmentHeads;
  /** As it is stored; undefined: not loaded. */
  body: Buffer | undefined;
}

/** A row of a segment. */
export interface SegmentRowRef {
  segment: Segment;
  at: number;
}

export interface SegmentRecord {
  run_id: string;
  chunk_no: number;
  part_no: number;
  first_row: number;
  row_count: number;
  size: number;
  finished_us: number;
  positions: Buffer;
  heads: Buffer | null;
  body: Buffer | null;
}

export const HEAD_COLUMNS = `run_id, chunk_no, part_no, first_row, row_count, size,
  (extract(epoch from finished_at) * 1000000)::bigint as finished_us, positions, heads`;

/** Another statement has replaced the segments that this one looked for. */
export class SegmentsFoldedError extends Error {}

/** `read` yields items in row order, from a row on; what it has not passed on is read again. */
export async function* resumeWhenFolded<T>(
  after: number,
  read: (after: number) => AsyncGenerator<T[]>,
  indexOf: (item: T) => number,
): AsyncGenerator<T[]> {
  let from = after;
  for (let restarts = 0; ; restarts++) {
    try {
      for await (const items of read(from)) {
        const last = items.at(-1);
        if (last === undefined) continue;
        yield items;
        from = indexOf(last);
        restarts = 0;
      }
      return;
    } catch (error) {
      if (!(error instanceof SegmentsFoldedError) || restarts >= MAX_RESTARTS) throw error;
    }
  }
}

/** Chunks that were folded in a row while a reader looked at them. More are not a coincidence. */
const MAX_RESTARTS = 100;

export interface ChunkSegments {
  lastRow: number;
  segments: Segment[];
}

/**
 * The segments of the next chunks with outputs that end behind row `after`, with the bodies that fit into one window and that a
 * reader of `wanted` outputs comes to.
 */
export async function readNextChunks(
  client: Statements,
  runId: string,
  after: number,
  chunkCount: number,
  wanted: number,
): Promise<ChunkSegments[]> {
  // Chunks without an output are stepped over by their counters, however many there are.
  const { rows } = await client.query<SegmentRecord & { last_row: number; has_segment: boolean }>({
    name: "read_next_segments",
    values: [runId, after, chunkCount, Math.min(wanted, Number.MAX_SAFE_INTEGER), WINDOW_BYTES],
    text: `select c.last_row, s.run_id is not null as has_segment, s.run_id, s.chunk_no, s.part_no, s.first_row, s.row_count, s.size,
        s.finished_us, s.positions, s.heads,
        -- All rows of the first segment up to the one that the reader is at may have an output.
        case when sum(s.size) over in_order <= $5
          and coalesce(sum(s.row_count) over (in_order rows between unbounded preceding and 1 preceding), 0)
            - greatest($2 + 1 - first_value(s.first_row) over in_order, 0) < $4
          then s.body end as body
      from (
        select run_id, chunk_no, last_row from run_chunks
        where run_id = $1 and last_row > $2 and succeeded > 0 order by last_row limit $3) c
      left join lateral (
        select ${HEAD_COLUMNS}, body from run_segments
        where run_id = c.run_id${isDistributed(client) ? " and run_id = $1" : ""} and chunk_no = c.chunk_no order by part_no limit ${MAX_SEGMENTS_PER_CHUNK}) s on true
      window in_order as (order by c.last_row, s.part_no)
      order by c.last_row, s.part_no`,
  });
  const chunks: ChunkSegments[] = [];
  const decoded = await Promise.all(
    rows.map((row) => (row.has_segment ? decodeSegment(row) : Promise.resolve(undefined))),
  );
  for (const [i, { last_row: lastRow }] of rows.entries()) {
    if (chunks.at(-1)?.lastRow !== lastRow) chunks.push({ lastRow, segments: [] });
    const segment = decoded[i];
    if (segment !== undefined) chunks.at(-1)?.segments.push(segment);
  }
  return chunks;
}

export async function decodeSegment(row: SegmentRecord): Promise<Segment> {
  return {
    runId: row.run_id,
    chunkNo: row.chunk_no,
    partNo: row.part_no,
    firstRow: row.first_row,
    rowCount: row.row_count,
    size: row.size,
    heads: await decodeHeads({
      rowCount: row.row_count,
      positions: row.positions,
      heads: row.heads,
      finishedUs: row.finished_us,
    }),
    body: row.body ?? undefined,
  };
}

/** The rows of the segments, in row order. */
export function rowsOfSegments(segments: readonly Segment[]): (SegmentRowRef & { index: number })[] {
  const rows = segments.flatMap((segment) =>
    Array.from(segment.heads.positions, (position, at) => ({ segment, at, index: segment.firstRow + position })),
  );
  return segments.length < 2 ? rows : rows.sort((a, b) => a.index - b.index);
}

/**
 * The items in their order, each with the output of its row if it has one. Segments are unpacked window by window, so that
 * memory does not grow with the outputs.
 */
export async function* withOutputs<T>(
  client: Statements,
  items: readonly T[],
  rowOf: (item: T) => SegmentRowRef | undefined,
): AsyncGenerator<{ item: T; output: JsonSlice | undefined }[]> {
  for (let from = 0; from < items.length;) {
    const window = new Set<Segment>();
    let size = 0;
    let to = from;
    for (; to < items.length; to++) {
      const segment = rowOf(items[to] as T)?.segment; // `to` is an index of the array
      if (segment === undefined || window.has(segment)) continue;
      if (window.size > 0 && size + segment.size > WINDOW_BYTES) break;
      window.add(segment);
      size += segment.size;
    }
    const outputs = await readOutputsOf(client, [...window]);
    yield items.slice(from, to).map((item) => {
      const row = rowOf(item);
      return { item, output: row === undefined ? undefined : outputs.get(row.segment)?.at(row.at) };
    });
    from = to;
  }
}

/** Those of whole segments. Bodies are freed with them. */
export async function readOutputsOf(
  client: Statements,
  segments: readonly Segment[],
): Promise<ReadonlyMap<Segment, JsonLines>> {
  await loadBodies(
    client,
    segments.filter(({ body }) => body === undefined),
  );
  return new Map(
    await Promise.all(
      segments.map(async (segment): Promise<[Segment, JsonLines]> => {
        const { body, rowCount } = segment;
        if (body === undefined) throw new SegmentsFoldedError("a segment is gone");
        segment.body = undefined;
        return [segment, await decodeBody(body, rowCount)];
      }),
    ),
  );
}

async function loadBodies(client: Statements, segments: readonly Segment[]): Promise<void> {
  if (segments.length === 0) return;
  if (!isDistributed(client)) return loadBodiesOf(client, segments);
  for (const [runId, ofOne] of Map.groupBy(segments, (segment) => segment.runId))
    await loadBodiesOf(client, ofOne, runId);
}

/** `runId` is that of all segments, where a cluster must know it. */
async function loadBodiesOf(client: Statements, segments: readonly Segment[], runId?: string): Promise<void> {
  const { rows } = await client.query<{ n: number; body: Buffer }>({
    name: "load_segment_bodies",
    values: [
      segments.map(({ runId }) => runId),
      segments.map(({ chunkNo }) => chunkNo),
      segments.map(({ partNo }) => partNo),
      ...(runId === undefined ? [] : [runId]),
    ],
    text: `select w.n::int as n, s.body
      from unnest($1::uuid[], $2::int[], $3::int[]) with ordinality w(run_id, chunk_no, part_no, n) cross join lateral (
        select body from run_segments where run_id = w.run_id and chunk_no = w.chunk_no and part_no = w.part_no${runId === undefined ? "" : " and run_id = $4"} limit 1) s`,
  });
  for (const { n, body } of rows) {
    const segment = segments[n - 1];
    if (segment !== undefined) segment.body = body;
  }
}
