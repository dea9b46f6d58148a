/** Conditions of statements that ask for results; both are fragments of SQL, and no values are written into them. */

/**
 * Whether the row at this index has succeeded, `chunk` (an alias of `run_chunks`) being the one that has it. `ofRun`: a further condition,
 * for a cluster.
 */
export const hasSucceeded = (chunk: string, index: string, ofRun = ""): string => `exists (
  select 1 from run_segments s where s.run_id = ${chunk}.run_id ${ofRun} and s.chunk_no = ${chunk}.chunk_no
    and case when ${index} >= ${chunk}.first_row then get_bit(s.positions, ${index} - ${chunk}.first_row) = 1 end)`;

/** Positions of the chunk `chunk` (an alias of `run_chunks`) that succeeded in one of the runs (SQL: an array of ids). */
export const succeededPositions = (runs: string, chunk: string): string => `
  select o.pos from run_segments s
    cross join lateral generate_series(0, (${chunk}.last_row - ${chunk}.first_row)::int) o(pos)
  where s.run_id = any(${runs}) and s.chunk_no = ${chunk}.chunk_no and get_bit(s.positions, o.pos) = 1`;
