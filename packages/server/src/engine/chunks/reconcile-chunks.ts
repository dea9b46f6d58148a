/** Chunks that a lane has claimed whose job is gone. */
import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import type { Log } from "../../platform/log.ts";
import { openJobExists } from "../../platform/queue/jobs.ts";
import { repairEach } from "../../platform/queue/reconcile.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { finishRunIfDone } from "../../resources/runs/finish-run.ts";
import { laneQueues } from "../../resources/runs/lanes.ts";
import { cancelIfOverBudget } from "../policies/run-policies.ts";
import { FROM_NOW, afterDeath, afterDeathOnCluster } from "./chunk-deaths.ts";

/** They become claimable. A run that is being canceled may end with them. */
export async function reconcileClaimedChunks(
  { database, tasks, log, ...parts }: AllOrganizations & RunParts & { log: Log },
  report: ReportRepair,
): Promise<void> {
  const { db } = database;
  const orphaned = await (isDistributed(db) ? releaseOrphanedOnCluster(db) : releaseOrphaned(db));
  const idsOf = (run: { id: string }): { runId: string } => ({ runId: run.id });
  for (const run of orphaned) report({ what: "a chunk without a lane was released", ids: idsOf(run) });
  await repairEach(orphaned, { log, idsOf }, async (run) => {
    const own = tasks.of(run.organizationId);
    await finishRunIfDone(own, run.organizationId, run.id, parts);
    await cancelIfOverBudget(own, run, parts);
  });
}

interface RunKey {
  organizationId: string;
  id: string;
}

async function releaseOrphaned(db: Queryable): Promise<RunKey[]> {
  const { rows } = await sql<RunKey>`
    update run_chunks c set state = 'pending', claimed_by = null, ${sql.raw(afterDeath("true"))}
    from runs r
    where r.id = c.run_id and r.finished_at is null and c.state = 'running'
      and not ${openJobExists(Object.values(laneQueues), sql`j.id = c.claimed_by`)}
    returning r.organization_id, r.id`.execute(db);
  return rows;
}

/** Chunks whose lane is gone. A job that has ended does not open again: what it has claimed may be released a moment later. */
async function releaseOrphanedOnCluster(db: Queryable): Promise<RunKey[]> {
  const { rows: claims } = await sql<{ id: string; claimedBy: string }>`
    select distinct run_id as id, claimed_by from run_chunks where state = 'running'`.execute(db);
  if (claims.length === 0) return [];
  const runIds = claims.map(({ id }) => id);
  const jobIds = claims.map(({ claimedBy }) => claimedBy);
  const { rows: orphans } = await sql<RunKey & { claimedBy: string }>`
    select r.organization_id, r.id, c.claimed_by
    from unnest(${runIds}::uuid[], ${jobIds}::uuid[]) c (run_id, claimed_by)
    join runs r on r.id = c.run_id and r.finished_at is null
    where not ${openJobExists(Object.values(laneQueues), sql`j.id = c.claimed_by`)}`.execute(db);
  const released: RunKey[] = [];
  for (const { organizationId, id, claimedBy } of orphans) {
    const { rows } = await sql`
      update run_chunks c set state = 'pending', claimed_by = null, ${sql.raw(`${afterDeathOnCluster("true")} ${FROM_NOW}`)}
      where run_id = ${id} and state = 'running' and claimed_by = ${claimedBy} returning 1`.execute(db);
    released.push(...rows.map(() => ({ organizationId, id })));
  }
  return released;
}
