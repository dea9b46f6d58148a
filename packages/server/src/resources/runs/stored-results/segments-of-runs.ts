/**
 * Segments of the chunks of some runs, without or with their bodies. Those of the first chunks come in the statement that finds these
 * chunks, so that a page takes one round trip less; the others are read by the numbers of their chunks.
 */
import { isDistributed } from "../../../platform/database/distribution-marks.ts";
import { queryByRun } from "../../../platform/database/query-by-run.ts";
import type { Statements } from "../../../platform/database/database.ts";
import { HEAD_COLUMNS, MAX_SEGMENTS_PER_CHUNK, WINDOW_BYTES, decodeSegment } from "./segments.ts";
import type { Segment, SegmentRecord } from "./segments.ts";

export interface ChunkRow {
  chunk_no: number;
  first_row: number;
  last_row: number;
  row_count: number;
  picked: number[] | null;
  state: string;
  /** Offsets from `first_row`, as they were reported last. */
  in_flight: number[] | null;
  has_failures: boolean;
}

export const CHUNK_COLUMNS =
  "chunk_no, first_row, last_row, row_count, picked, state, in_flight, failed > 0 as has_failures";

/** Reads `CHUNK_COLUMNS` in the order of rows. */
export interface ChunkStatement {
  name: string;
  text: string;
  values: unknown[];
}

interface ChunkRecord extends ChunkRow {
  is_chunk: true;
  has_segments: boolean;
}

export class SegmentsOfRuns {
  readonly client: Statements;
  /** All runs of a family have the same chunks. */
  readonly runIds: readonly string[];
  readonly bodies: "without" | "with";
  /** By the number of their chunk. They are taken once: who reads bodies frees them. */
  readonly #read = new Map<number, Segment[]>();

  /** `bodies`: those that fit into one window. */
  constructor(client: Statements, runIds: readonly string[], bodies: "without" | "with" = "without") {
    this.client = client;
    this.runIds = runIds;
    this.bodies = bodies;
  }

  /** The chunks, and in the same round trip the segments of those that a reader of `wanted` rows behind row `after` comes to. */
  async readWithChunks(chunks: ChunkStatement, after: number, wanted: number): Promise<ChunkRow[]> {
    // On a cluster, each run is on one server.
    if (isDistributed(this.client)) return (await this.client.query<ChunkRow>(chunks)).rows;
    const { rows } = await this.client.query<ChunkRecord | (SegmentRecord & { is_chunk: false })>({
      name: `${chunks.name}_${this.bodies === "with" ? "and_bodies" : "and_segments"}`,
      values: [...chunks.values, this.runIds, after, wanted, ...(this.bodies === "with" ? [WINDOW_BYTES] : [])],
      text: selectWithSegments(chunks, this.bodies),
    });
    const found = rows.filter((row) => row.is_chunk).toSorted((a, b) => a.last_row - b.last_row);
    for (const { chunk_no: chunkNo, has_segments: isRead } of found) if (isRead) this.#read.set(chunkNo, []);
    const records = rows.filter((row) => !row.is_chunk);
    for (const segment of await Promise.all(records.map(decodeSegment))) this.#read.get(segment.chunkNo)?.push(segment);
    return found;
  }

  /** Of these chunks, in each of the runs. */
  async take(chunkNos: readonly number[]): Promise<Segment[]> {
    const known = chunkNos.flatMap((chunkNo) => this.#read.get(chunkNo) ?? []);
    const others = chunkNos.filter((chunkNo) => !this.#read.delete(chunkNo));
    if (others.length === 0) return known;
    return [...known, ...(await readSegments(this.client, this.runIds, others, this.bodies))];
  }
}

/**
 * Chunks and segments are rows of one result. `has_segments`: of the rows of the chunks before it, fewer than wanted are certain to be
 * behind the first one, and so its segments are read, too.
 */
function selectWithSegments({ text, values }: ChunkStatement, bodies: SegmentsOfRuns["bodies"]): string {
  const [runIds, after, wanted, windowBytes] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const withBodies = bodies === "with";
  const body = withBodies
    ? `case when sum(s.size) over (rows unbounded preceding) <= ${windowBytes}::bigint then s.body end`
    : "null";
  return `with c as materialized (
      select *, coalesce(sum(case when first_row > ${after}::bigint then row_count when picked is null then last_row - ${after} else 0 end)
        over (order by last_row rows between unbounded preceding and 1 preceding), 0) < ${wanted}::bigint as has_segments
      from (${text}) chunks)
    select true as is_chunk, chunk_no, first_row, last_row, row_count, picked, state, in_flight, has_failures, has_segments,
      null::uuid as run_id, null::int as part_no, null::int as size, null::bigint as finished_us, null::bytea as positions,
      null::bytea as heads, null::bytea as body
    from c
    union all
    select false, s.chunk_no, s.first_row, null, s.row_count, null, null, null, null, null, s.run_id, s.part_no, s.size, s.finished_us,
      s.positions, s.heads, ${body}
    from c cross join unnest(${runIds}::uuid[]) r(id) cross join lateral (
      select ${HEAD_COLUMNS}${withBodies ? ", body" : ""} from run_segments
      where run_id = r.id and chunk_no = c.chunk_no order by part_no limit ${MAX_SEGMENTS_PER_CHUNK}) s
    where c.has_segments`;
}

async function readSegments(
  client: Statements,
  runIds: readonly string[],
  chunkNos: readonly number[],
  bodies: SegmentsOfRuns["bodies"],
): Promise<Segment[]> {
  const rows = await queryByRun<string, SegmentRecord>(
    client,
    runIds,
    (runId) => runId,
    (ids, ofRun, before) =>
      bodies === "with"
        ? {
            name: "read_segments_with_bodies",
            values: [ids, chunkNos, WINDOW_BYTES - sizeOfBodies(before)],
            text: selectSegments(COLUMNS_WITH_BODIES, "body", ofRun(4)),
          }
        : { name: "read_segments", values: [ids, chunkNos], text: selectSegments("s.*", "null::bytea", ofRun(3)) },
  );
  return Promise.all(rows.map(decodeSegment));
}

const sizeOfBodies = (records: readonly SegmentRecord[]): number =>
  records.reduce((sum, { body, size }) => (body === null ? sum : sum + size), 0);

const selectSegments = (columns: string, body: string, ofRun: string): string =>
  `select ${columns} from unnest($1::uuid[]) r(id) cross join unnest($2::int[]) c(no) cross join lateral (
    select ${HEAD_COLUMNS}, ${body} as body from run_segments
    where run_id = r.id and chunk_no = c.no ${ofRun} order by part_no limit ${MAX_SEGMENTS_PER_CHUNK}) s`;

const COLUMNS_WITH_BODIES = `s.run_id, s.chunk_no, s.part_no, s.first_row, s.row_count, s.size, s.finished_us, s.positions, s.heads,
    case when sum(s.size) over (rows unbounded preceding) <= $3 then s.body end as body`;
