/**
 * Chunks of runs over a range of rows. Creating such a run writes none, so that it costs the same for a hundred rows and for a
 * hundred million. The transaction that starts the run writes all of them, or the one that ends it before it started:
 *
 *   queued, paused before its start: no chunks, every row is pending ──start or end──▶ all chunks
 *
 * The check `runs_begin_with_chunks` guards it. A reader of rows of a run that has no chunks derives them from the range.
 */
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { toInsertSelected } from "../../platform/database/insert-selected.ts";
import type { RunRecord } from "./runs.ts";

export interface RowRange {
  from: number;
  /** Not included. */
  to: number;
}

/** The rows of a run whose chunks are not written yet. */
export function unmadeRange({
  chunksMade,
  scope,
  rowTotal,
}: Pick<RunRecord, "chunksMade" | "scope" | "rowTotal">): RowRange | undefined {
  if (chunksMade) return undefined;
  const from = scope.type === "range" ? scope.from : 0;
  return { from, to: from + rowTotal };
}

/** How many chunks of the dataset the range touches: two look-ups in an index, since chunks are numbered in row order. */
export async function countRangeChunks(db: Queryable, datasetId: string, { from, to }: RowRange): Promise<number> {
  const chunkAt = (row: number): RawBuilder<unknown> => sql`(
    select chunk_no from dataset_chunks
    where dataset_id = ${datasetId} and first_row <= ${row}::bigint order by first_row desc limit 1)`;
  const { rows } = await sql<{
    count: number | null;
  }>`select ${chunkAt(to - 1)} - ${chunkAt(from)} + 1 as count`.execute(db);
  const count = rows[0]?.count ?? 0;
  if (count < 1) throw new Error(`dataset ${datasetId} has no chunks for rows ${from} to ${to}`);
  return count;
}

/** Statement: the chunks of the range. Whole ones inside, and the positions of the first and last one that lie within. */
export const rangeChunks = (datasetId: string, { from, to }: RowRange): RawBuilder<unknown> => sql`
  select chunk_no, first_row, last_row, upto - start as row_count,
    case when start > first_row or upto <= last_row
      then array(select generate_series((start - first_row)::int, (upto - first_row - 1)::int)) end as picked
  from (
    select chunk_no, first_row, first_row + row_count - 1 as last_row,
      greatest(first_row, ${from}::bigint) as start, least(first_row + row_count, ${to}::bigint) as upto
    from dataset_chunks
    where dataset_id = ${datasetId} and first_row < ${to}::bigint and first_row + row_count > ${from}::bigint
  ) c`;

/** Writes the chunks that the run does not have yet. The transaction has locked the run, and sets `chunksMade`. */
export async function makeRangeChunks(tx: Transaction, run: RunRecord): Promise<void> {
  const range = unmadeRange(run);
  if (range === undefined) return;
  const { numAffectedRows } = await sql`
    insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
    select ${run.organizationId}, ${run.id}, r.chunk_no, r.first_row, r.last_row, r.row_count, r.picked
    from (${rangeChunks(run.datasetId, range)}) r order by r.chunk_no ${sql.raw(toInsertSelected(tx))}`.execute(tx);
  if (numAffectedRows !== BigInt(run.chunkCount))
    throw new Error(`run ${run.id} has ${run.chunkCount} chunks, but its dataset has ${numAffectedRows} of them`);
}
