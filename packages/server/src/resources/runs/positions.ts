/** The rows that a run has, in order, read from its chunks: a run of a million rows is two thousand of those. */
import type { Statements } from "../../platform/database/database.ts";
import type { RowRange } from "./range-chunks.ts";
import { CHUNK_COLUMNS } from "./stored-results/segments-of-runs.ts";
import type { ChunkRow, ChunkStatement, SegmentsOfRuns } from "./stored-results/segments-of-runs.ts";

export interface Position {
  index: number;
  /** Undefined: the run has not started, and no row has a result. */
  chunkNo: number | undefined;
  /** Of the chunk, some rows of this run have failed. */
  hasFailures: boolean;
  /** It has begun, by the worker's last report, or is in a page at a provider. */
  isInFlight: boolean;
}

/** Chunks of which kind are looked into; the others are stepped over by their counters. */
export interface WantedChunks {
  succeeded: boolean;
  failed: boolean;
  unfinished: boolean;
}

/** Positions of a part: the first one, and as many as a later one may have. */
export interface PartSizes {
  first: number;
  most: number;
}

/** Where a filter leaves few of them, fewer at once would be many statements. */
const FILTERED_AT_ONCE = 1_000;
/** For those who read all of a run: their results are in memory at once. */
const MOST_AT_ONCE = 2_000;
/** A filter that every second row meets is satisfied by the first part. */
const FIRST_FILTERED_PARTS = 2;
const GROWTH = 4;

/** How many positions are read at once for `wanted` items: where they are filtered, more with each part. */
export function partSizesOf(wanted: number, isFiltered: boolean): PartSizes {
  const all = Math.min(wanted, MOST_AT_ONCE);
  if (!isFiltered) return { first: all, most: all };
  const most = Math.max(all, FILTERED_AT_ONCE);
  return { first: Math.min(FIRST_FILTERED_PARTS * all, most), most };
}

/** Chunks fetched at first: more than a page of most runs needs. */
const FIRST_CHUNKS = 2;
/** Chunks fetched at once after those: a retry run may have a single row in each. */
const CHUNKS_AT_ONCE = 64;

/** Each condition is one of an index, which has the kind as its name at its end: see `indexName` of the lists. */
const conditions: Record<keyof WantedChunks, string> = {
  succeeded: "succeeded > 0",
  failed: "failed > 0",
  unfinished: "row_count > succeeded + failed",
};

function statementOf(wanted: WantedChunks, values: unknown[]): ChunkStatement {
  const kinds = (["succeeded", "failed", "unfinished"] as const).filter((kind) => wanted[kind]);
  const select = (condition: string, order: string): string =>
    `select ${CHUNK_COLUMNS} from run_chunks
      where run_id = $1 and last_row > $2 and ${condition} order by ${order} limit $3`;
  const name = `read_run_chunks_${kinds.join("_")}`;
  // Every chunk is of one kind or another.
  if (kinds.length === 3) return { name, values, text: select("true", "last_row") };
  const each = kinds
    .map((kind) => `(${select(conditions[kind], `last_row, (run_id::text = '${kind}')`)})`)
    .join(" union all ");
  return { name, values, text: `select distinct on (last_row) * from (${each}) c order by last_row limit $3` };
}

/**
 * Positions after row index `after`, in parts of these sizes. `segments`: of what the rows of the first chunks are to be read, in the same
 * round trip.
 */
export async function* readPositions(
  client: Statements,
  runId: string,
  unmade: RowRange | undefined,
  after: number,
  { first, most }: PartSizes,
  wanted: WantedChunks,
  segments?: SegmentsOfRuns,
): AsyncGenerator<Position[]> {
  if (unmade !== undefined) {
    if (wanted.unfinished) yield* positionsOfRange(unmade, after, most);
    return;
  }
  let page: Position[] = [];
  let size = first;
  let from = after;
  for (let limit = FIRST_CHUNKS; ; limit = CHUNKS_AT_ONCE) {
    const statement = statementOf(wanted, [runId, from, limit]);
    const rows =
      segments !== undefined && limit === FIRST_CHUNKS
        ? await segments.readWithChunks(statement, after, first)
        : (await client.query<ChunkRow>(statement)).rows;
    for (const chunk of rows) {
      const isInFlight = inFlightOf(chunk);
      const count = chunk.picked?.length ?? chunk.last_row - chunk.first_row + 1;
      for (let i = 0; i < count; i++) {
        const offset = chunk.picked?.[i] ?? i;
        const index = chunk.first_row + offset;
        if (index <= after) continue;
        page.push({
          index,
          chunkNo: chunk.chunk_no,
          hasFailures: chunk.has_failures,
          isInFlight: isInFlight(offset),
        });
        if (page.length < size) continue;
        yield page;
        page = [];
        size = Math.min(GROWTH * size, most);
      }
      from = chunk.last_row;
    }
    if (rows.length < limit) break;
  }
  if (page.length > 0) yield page;
}

/** Of a run that has not started, as it was when it was looked at: there is nothing to read of its rows. */
function* positionsOfRange({ from, to }: RowRange, after: number, size: number): Generator<Position[]> {
  for (let start = Math.max(from, after + 1); start < to; start += size)
    yield Array.from({ length: Math.min(size, to - start) }, (_unused, i) => ({
      index: start + i,
      chunkNo: undefined,
      hasFailures: false,
      isInFlight: false,
    }));
}

function inFlightOf({ state, in_flight: reported }: ChunkRow): (offset: number) => boolean {
  if (state === "submitted") return () => true;
  const offsets = new Set(state === "running" ? reported : []);
  return (offset) => offsets.has(offset);
}
