/** Whether the large tables are spread over several servers. A process asks once, at its start: `distribute.ts` lets none run meanwhile. */
import type { Pool } from "pg";

export async function readDistribution(pool: Pool): Promise<boolean> {
  // Without the extension there is no such catalog.
  const { rowCount } = await pool.query("select from pg_extension where extname = 'citus'");
  if (rowCount === 0) return false;
  const { rows } = await pool.query<{ found: boolean }>(
    "select exists (select from pg_dist_partition where logicalrelid = 'run_chunks'::regclass) as found",
  );
  return rows[0]?.found === true;
}
