/** Where the rows of a run stand: its chunks, neighbors added up until they fit the cells that were asked for. */
import { DEFAULT_MAP_CELLS } from "@rowmill/contract/run-map";
import { sql } from "../../platform/database/database.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { rangeChunks, unmadeRange } from "./range-chunks.ts";
import { findRun } from "./runs.ts";

interface CellRow {
  firstIndex: number;
  lastIndex: number;
  chunks: number;
  runningChunks: number;
  rows: number;
  succeeded: number;
  failed: number;
}

export const getRunMap: OperationFunction<"getRunMap"> = async (db, caller, { params, query }) => {
  const { cells = DEFAULT_MAP_CELLS } = query;
  const run = await findRun(db, caller, params.runId);
  const unmade = unmadeRange(run);
  const chunks =
    unmade === undefined
      ? sql`select chunk_no, first_row, last_row, state, row_count, succeeded, failed from run_chunks
          where organization_id = ${caller.organizationId} and run_id = ${run.id}`
      : sql`select chunk_no, first_row, last_row, 'pending' as state, row_count, 0 as succeeded, 0 as failed
          from (${rangeChunks(run.datasetId, unmade)}) r`;
  const { rows } = await sql<CellRow>`
    with chunks as materialized (${chunks}), size as (
      select greatest(1, ceil((max(chunk_no) + 1)::numeric / ${cells}))::int as per_cell from chunks)
    select min(first_row) as first_index, max(last_row) as last_index, count(*)::int as chunks,
      count(*) filter (where state in ('running', 'submitted'))::int as running_chunks,
      sum(row_count)::int as rows, sum(succeeded)::int as succeeded, sum(failed)::int as failed
    from chunks cross join size
    group by chunk_no / per_cell order by chunk_no / per_cell`.execute(db);
  return { chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0), cells: rows };
};
