/** Segments of results written straight into their table, as a lane would have left them. */
import { encodeSegments } from "../resources/runs/stored-results/segment-format.ts";
import type { SegmentRow } from "../resources/runs/stored-results/segment-format.ts";

export type TestQuery = (text: string, values?: unknown[]) => Promise<unknown>;

export interface SegmentToInsert {
  organizationId: string | undefined;
  /** UUID. */
  runId: string | undefined;
  chunkRows: number;
  rows: readonly (Pick<SegmentRow, "position" | "output"> & Partial<SegmentRow>)[];
  finishedAt: Date | string;
}

/** The same in each of the chunks; `firstRow` is SQL over the number `n` of the chunk. */
export async function insertSegments(
  query: TestQuery,
  { organizationId, runId, chunkRows, rows, finishedAt }: SegmentToInsert,
  chunks: { from: number; to: number; firstRow: string },
): Promise<void> {
  const usual = { attempts: 1, durationMs: 0, finishedUs: undefined, usage: null };
  const segments = await encodeSegments(
    rows.map((row) => ({ ...usual, ...row })),
    chunkRows,
  );
  for (const [i, { rowCount, size, positions, heads, body }] of segments.entries())
    await query(
      `insert into run_segments (organization_id, run_id, chunk_no, part_no, first_row, row_count, size, finished_at, positions, heads, body)
       select $1, $2, n, $3, ${chunks.firstRow}, $4, $5, $6, $7, $8, $9 from generate_series($10::int, $11::int) n`,
      [organizationId, runId, i + 1, rowCount, size, finishedAt, positions, heads, body, chunks.from, chunks.to],
    );
}
