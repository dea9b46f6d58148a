/** Conditions of statements that ask for results; both are fragments of SQL, and no values are written into them. */

/** Whether the row of the run has a result. `run` and `index` are SQL. */
export const hasResult = (run: string, index: string): string => `(
  exists (select 1 from run_failures where run_id = ${run} and row_index = ${index})
  or exists (
    select 1 from (
      select chunk_no, first_row, last_row from run_chunks
      where run_id = ${run} and last_row >= ${index} order by last_row limit 1) holder
    cross join lateral (select positions from run_segments where run_id = ${run} and chunk_no = holder.chunk_no) s
    where case when ${index} >= holder.first_row then get_bit(s.positions, ${index} - holder.first_row) = 1 end))`;

/** Positions of the chunk `chunk` (an alias of `run_chunks`) that succeeded in one of the runs (SQL: an array of ids). */
export const succeededPositions = (runs: string, chunk: string): string => `
  select o.pos from run_segments s
    cross join lateral generate_series(0, (${chunk}.last_row - ${chunk}.first_row)::int) o(pos)
  where s.run_id = any(${runs}) and s.chunk_no = ${chunk}.chunk_no and get_bit(s.positions, o.pos) = 1`;
