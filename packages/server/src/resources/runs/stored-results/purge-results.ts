/**
 * Deletes what is recorded of a deleted run, a bounded number of rows in each transaction. False: something is left, since another process is
 * deleting it at the same time.
 */
import type { Statements } from "../../../platform/database/database.ts";
import { repeatGroups } from "../../../platform/database/in-groups.ts";

const FAILURES_AT_ONCE = 20_000;
/** Each has some rows of stored bytes beside it. */
const SEGMENTS_AT_ONCE = 2_000;

export async function purgeResults(client: Statements, runId: string): Promise<boolean> {
  await repeatGroups(SEGMENTS_AT_ONCE, async () => {
    const { rowCount } = await client.query({
      name: "purge_segments",
      values: [runId, SEGMENTS_AT_ONCE],
      text: `delete from run_segments where run_id = $1 and (chunk_no, part_no) in (
        select chunk_no, part_no from run_segments where run_id = $1 order by chunk_no, part_no limit $2)`,
    });
    return rowCount ?? 0;
  });
  await repeatGroups(FAILURES_AT_ONCE, async () => {
    const { rowCount } = await client.query({
      name: "purge_failures",
      values: [runId, FAILURES_AT_ONCE],
      text: `delete from run_failures where run_id = $1 and row_index in (
        select row_index from run_failures where run_id = $1 order by row_index limit $2)`,
    });
    return rowCount ?? 0;
  });
  const { rows } = await client.query({
    name: "find_unpurged_results",
    values: [runId],
    text: `(select 1 from run_segments where run_id = $1 limit 1) union all (select 1 from run_failures where run_id = $1 limit 1)`,
  });
  return rows.length === 0;
}
