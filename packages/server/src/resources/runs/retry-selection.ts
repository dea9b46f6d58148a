/**
 * Which rows of its parent a retry run has. A row that has succeeded anywhere in the family is chosen only by `rows` and `all`. On a
 * cluster the rows are chosen by `pick-on-cluster.ts`.
 */
import type { Selection } from "@rowmill/contract/run-rows";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { RunRecord } from "./runs.ts";
import { rowIndexes } from "./scopes.ts";
import { succeededPositions } from "./stored-results/result-sql.ts";

/** Statement: the parent's chunks that have rows of the selection, with these rows. */
export function selectedChunks(
  parent: RunRecord,
  selection: Selection,
  datasetRows: number,
): RawBuilder<Record<string, unknown>> {
  switch (selection.type) {
    case "all":
      return sql`select chunk_no, first_row, last_row, row_count, picked from run_chunks where run_id = ${parent.id}`;
    case "rows":
      return chunksOfRows(parent, rowIndexes(selection.rowIds, parent.datasetId, datasetRows, "selection"));
    case "unfinished":
      return chunksOfChosen(parent, sql`c.succeeded < c.row_count`, sql`true`);
    case "failures":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code is not null)`);
    case "retryable_failures":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code is not null and m.retryable)`);
    case "codes":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code = any(${selection.codes}))`);
  }
}

/** Those of the rows that the parent has. */
const chunksOfRows = (parent: RunRecord, wanted: number[]): RawBuilder<Record<string, unknown>> => sql`
  select c.chunk_no, c.first_row, c.last_row, count(*) as row_count,
    array_agg((w.row_index - c.first_row)::int order by w.row_index) as picked
  from unnest(${wanted}::bigint[]) w(row_index)
  join lateral (
    select * from run_chunks where run_id = ${parent.id} and last_row >= w.row_index order by last_row limit 1
  ) c on c.first_row <= w.row_index and (c.picked is null or (w.row_index - c.first_row)::int = any(c.picked))
  group by c.chunk_no, c.first_row, c.last_row`;

/**
 * Rows of the parent's chunks `c` that no run of the family has an output for, and that the condition on the marks `m` of a
 * row chooses. Marks are the rows that the parent has, its failures, and the family's outputs, each found by a range of an
 * index and then grouped. A join would be at the mercy of statistics, which a run of this minute does not have yet.
 */
const chunksOfChosen = (
  parent: RunRecord,
  chunkCondition: RawBuilder<unknown>,
  rowCondition: RawBuilder<unknown>,
): RawBuilder<Record<string, unknown>> => sql`
  select c.chunk_no, c.first_row, c.last_row, chosen.row_count, chosen.picked
  from (
    select array_agg(id) as ids from runs
    where organization_id = ${parent.organizationId} and root_run_id = ${parent.rootRunId} and deleted_at is null) family
  cross join run_chunks c
  cross join lateral (
    select count(*) as row_count, array_agg(p.pos order by p.pos) as picked
    from (
      select m.pos from (
        select o.pos, 'row' as mark, null::text as code, null::boolean as retryable
        from unnest(coalesce(c.picked, array(select generate_series(0, (c.last_row - c.first_row)::int)))) o(pos)
        union all
        select (f.row_index - c.first_row)::int, 'failure', f.code, f.retryable from run_failures f
        where f.run_id = ${parent.id} and f.row_index between c.first_row and c.last_row
        union all
        select s.pos, 'output', null, null from (${sql.raw(succeededPositions("family.ids", "c"))}) s
      ) m
      group by m.pos
      having bool_or(m.mark = 'row') and not bool_or(m.mark = 'output') and ${rowCondition}
    ) p
  ) chosen
  where c.run_id = ${parent.id} and ${chunkCondition} and chosen.row_count > 0`;
