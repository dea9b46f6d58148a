/** Where the rows of a run stand: its chunks, neighbors added up until they fit the cells that were asked for. */
import { DEFAULT_MAP_CELLS } from "@rowmill/contract/run-map";
import type { RunMap } from "@rowmill/contract/run-map";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
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

export async function getRunMap(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
  cells = DEFAULT_MAP_CELLS,
): Promise<RunMap> {
  const run = await findRun(db, caller.organizationId, id);
  const { rows } = await sql<CellRow>`
    with size as (
      select greatest(1, ceil((max(chunk_no) + 1)::numeric / ${cells}))::int as per_cell
      from run_chunks where organization_id = ${caller.organizationId} and run_id = ${run.id})
    select min(first_row) as first_index, max(last_row) as last_index, count(*)::int as chunks,
      count(*) filter (where state in ('running', 'submitted'))::int as running_chunks,
      sum(row_count)::int as rows, sum(succeeded)::int as succeeded, sum(failed)::int as failed
    from run_chunks c cross join size
    where c.organization_id = ${caller.organizationId} and c.run_id = ${run.id}
    group by chunk_no / per_cell order by chunk_no / per_cell`.execute(db);
  return { chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0), cells: rows };
}
