/** Runs that may still call a connection. */
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { indexName } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";

/**
 * Those whose version of its job spec may call the connection. What has not ended is read by its own index, and each version by its key: joined
 * freely, with old statistics, all runs and all versions would be read.
 */
export async function findUnfinishedRuns(
  db: Queryable,
  organizationId: string,
  id: string,
  limit?: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from (
      select id, job_spec_id, job_spec_version from runs
      where organization_id = ${organizationId} and finished_at is null order by ${indexName("runs", ["unfinished"])}) r
    cross join lateral (
      select from job_spec_versions v
      where v.organization_id = ${organizationId} and v.job_spec_id = r.job_spec_id and v.version = r.job_spec_version
        and ${formatId("connection", id)} = any(v.connection_ids)
      limit 1) v
    limit ${limit ?? null}`.execute(db);
  return rows.map((run) => run.id);
}
