/**
 * Where rows end one by one, each commit writes a small segment. The commit that ends the chunk replaces them by as few as
 * there may be. Only the claim that holds the chunk writes segments of it, so what is read here cannot change before the
 * commit; and if the claim is lost, the commit neither deletes nor writes.
 */
import type { Statements } from "../../../platform/database/database.ts";
import { MAX_SEGMENT_BYTES, decodeBody, decodeHeads } from "./segment-format.ts";
import type { SegmentRow } from "./segment-format.ts";

/** Larger segments stay as they are: to write them again would cost more than it saves. */
const FOLDED_BELOW_BYTES = MAX_SEGMENT_BYTES / 2;
/** Outputs that are folded by one commit; a lane holds them as text. What is beyond it stays as it is. */
const MAX_FOLDED_BYTES = 4 * MAX_SEGMENT_BYTES;

export interface Folded {
  partNos: number[];
  rows: SegmentRow[];
  /** What they take in the table. */
  storedBytes: number;
}

export const NOTHING_FOLDED: Folded = { partNos: [], rows: [], storedBytes: 0 };

/** The small segments of the chunk; nothing if there is no more than one to be written in the end. */
export async function readSegmentsToFold(
  client: Statements,
  runId: string,
  chunkNo: number,
  newRows: number,
): Promise<Folded> {
  const { rows } = await client.query<{
    part_no: number;
    row_count: number;
    finished_us: number;
    positions: Buffer;
    heads: Buffer | null;
    body: Buffer;
  }>({
    name: "read_segments_to_fold",
    values: [runId, chunkNo, FOLDED_BELOW_BYTES, MAX_FOLDED_BYTES],
    text: `select part_no, row_count, (extract(epoch from finished_at) * 1000000)::bigint as finished_us, positions, heads, body
      from (
        select *, sum(size) over (order by size, part_no) as folded_size from run_segments
        where run_id = $1 and chunk_no = $2 and size < $3) s
      where folded_size <= $4 order by part_no`,
  });
  if (rows.length === 0 || (rows.length === 1 && newRows === 0)) return NOTHING_FOLDED;
  const folded: Folded = { partNos: [], rows: [], storedBytes: 0 };
  for (const { part_no, row_count: rowCount, finished_us: finishedUs, positions, heads, body } of rows) {
    folded.partNos.push(part_no);
    folded.storedBytes += storedBytesOf({ positions, heads, body });
    const decoded = await decodeHeads({ rowCount, positions, heads, finishedUs });
    const outputs = await decodeBody(body, rowCount);
    for (let at = 0; at < rowCount; at++)
      folded.rows.push({
        position: decoded.positions[at] ?? 0,
        attempts: decoded.attemptsAt(at),
        durationMs: decoded.durationMsAt(at),
        finishedUs: decoded.finishedUsAt(at),
        usage: decoded.usageAt(at),
        output: outputs.at(at)?.text ?? "null",
      });
  }
  return folded;
}

/** The head of a table row, its other columns and its entry in the index. */
const SEGMENT_ROW_BYTES = 120;

export const storedBytesOf = ({
  positions,
  heads,
  body,
}: {
  positions: Buffer;
  heads: Buffer | null;
  body: Buffer;
}): number => SEGMENT_ROW_BYTES + positions.length + (heads?.length ?? 0) + body.length;
