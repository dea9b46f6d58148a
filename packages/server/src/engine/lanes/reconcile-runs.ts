/** Runs that have lost the jobs of their lanes. */
import { sql } from "kysely";
import type { OrganizationDatabase, Queryable } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { Log } from "../../platform/log.ts";
import { openJobExists } from "../../platform/queue/jobs.ts";
import { repairEach } from "../../platform/queue/reconcile.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { finishRunIfDone } from "../../resources/runs/finish-run.ts";
import { enqueueLanes, laneQueues, startLaneGeneration } from "../../resources/runs/lanes.ts";

/** A run younger than this may just be on its way to its first turn. */
const UNTOUCHED_SECONDS = 15;

export async function reconcileRuns(
  { database, tasks, log, ...parts }: AllOrganizations & RunParts & { log: Log },
  report: ReportRepair,
): Promise<void> {
  const { db } = database;
  const waitsForProvider = sql`exists (select 1 from provider_batches b where b.run_id = r.id and b.finished_at is null)`;
  // Chunks of a cluster are on other servers: they are asked for each of these runs.
  const hasRealTime = isDistributed(db)
    ? sql`true`
    : sql`exists (select 1 from run_chunks c where c.run_id = r.id and c.state = 'pending' and c.in_real_time)`;
  const { rows: found } = await sql<{ organizationId: string; id: string; waits: boolean }>`
    select r.organization_id, r.id, ${isDistributed(db) ? sql`r.state <> 'canceling' and ${waitsForProvider}` : sql`false`} as waits
    from runs r
    where r.finished_at is null and r.deleted_at is null and r.state in ('queued', 'running', 'canceling')
      and (r.state <> 'queued' or r.state_reason is null)
      -- What only waits for batches needs no lane: each batch has a job of its own.
      and (r.state = 'canceling' or not ${waitsForProvider} or ${hasRealTime})
      and r.updated_at < now() - make_interval(secs => ${UNTOUCHED_SECONDS})
      and not ${openJobExists(
        Object.values(laneQueues),
        sql`j.data->>'runId' = r.id::text and (j.data->>'generation')::int = r.lane_generation`,
      )}`.execute(db);
  const stalled: typeof found = [];
  for (const run of found) if (!run.waits || (await hasChunkInRealTime(db, run.id))) stalled.push(run);
  await repairEach(stalled, { log, idsOf: ({ id }) => ({ runId: id }) }, async (run) => {
    const what = await reviveRun(tasks.of(run.organizationId), run, parts);
    if (what !== undefined) report({ what, ids: { runId: run.id } });
  });
}

/** Ends the run if nothing is left of it, else gives it lanes. Undefined if neither was necessary. */
async function reviveRun(
  database: OrganizationDatabase,
  { organizationId, id }: { organizationId: string; id: string },
  parts: RunParts,
): Promise<string | undefined> {
  await finishRunIfDone(database, organizationId, id, parts);
  return database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRowOf("runs", { organizationId }, id))
      .forUpdate()
      .executeTakeFirst();
    if (run === undefined || run.state === "canceling") return undefined;
    if (run.finishedAt !== null) return "a run without lanes was ended";
    if (run.state !== "queued" && run.state !== "running") return undefined;
    await enqueueLanes(tx, await startLaneGeneration(tx, run), parts.queue);
    return "a run without lanes got new ones";
  });
}

async function hasChunkInRealTime(db: Queryable, runId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from run_chunks where run_id = ${runId} and state = 'pending' and in_real_time limit 1`.execute(db);
  return rows.length > 0;
}
