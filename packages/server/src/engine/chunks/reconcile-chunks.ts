/** Chunks that a lane has claimed whose job is gone. */
import { sql } from "kysely";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import type { Log } from "../../platform/log.ts";
import { openJobExists } from "../../platform/queue/jobs.ts";
import { repairEach } from "../../platform/queue/reconcile.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { finishRunIfDone } from "../../resources/runs/finish-run.ts";
import { laneQueues } from "../../resources/runs/lanes.ts";
import { cancelIfOverBudget } from "../policies/run-policies.ts";
import { afterDeath } from "./chunk-deaths.ts";

/** They become claimable. A run that is being canceled may end with them. */
export async function reconcileClaimedChunks(
  { database, tasks, log, ...parts }: AllOrganizations & RunParts & { log: Log },
  report: ReportRepair,
): Promise<void> {
  const { rows: orphaned } = await sql<{ organizationId: string; id: string }>`
    update run_chunks c set state = 'pending', claimed_by = null, ${sql.raw(afterDeath("true"))}
    from runs r
    where r.id = c.run_id and r.finished_at is null and c.state = 'running'
      and not ${openJobExists(Object.values(laneQueues), sql`j.id = c.claimed_by`)}
    returning r.organization_id, r.id`.execute(database.db);
  const idsOf = (run: { id: string }): { runId: string } => ({ runId: run.id });
  for (const run of orphaned) report({ what: "a chunk without a lane was released", ids: idsOf(run) });
  await repairEach(orphaned, { log, idsOf }, async (run) => {
    const own = tasks.of(run.organizationId);
    await finishRunIfDone(own, run.organizationId, run.id, parts);
    await cancelIfOverBudget(own, run, parts);
  });
}
