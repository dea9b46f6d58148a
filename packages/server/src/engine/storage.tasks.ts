/**
 * What keeps runs within what may be stored. A task pauses the runs of organizations that store more than they may (`result-bytes.ts`
 * counts their results). Below the floor of free space all runs pause. Both resume by themselves. What is written until a task sees
 * it is some seconds' worth of results.
 */
import { randomUUID } from "node:crypto";
import { sql } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { AllOrganizations } from "../platform/database/tenants.ts";
import { forEachOwned, rememberFailures } from "../platform/database/failures-by-organization.ts";
import { doBoth } from "../platform/log-failures.ts";
import type { FreeSpace } from "../platform/storage/free-space.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import { letRunGoOn, pauseRunBecause } from "../resources/runs/run-actions.ts";
import { forEachRun } from "./suspension.tasks.ts";
import type { FindRun } from "./suspension.tasks.ts";

/** A process that has not reported low space for this long has ended, or has space again. */
const REPORT_SECONDS = 15;
/** Pauses runs of organizations over their limit; lets them go on when there is room. */
export async function followStorageLimits(
  all: AllOrganizations,
  parts: RunParts,
  former = rememberFailures(),
): Promise<void> {
  const limit = sql`coalesce((o.limits->>'storageBytes')::bigint, ${parts.limits.storageBytes ?? null}::bigint)`;
  const findRunToPause: FindRun = async (db, isLookedAt) => {
    const { rows } = await sql<{ organizationId: string; id: string }>`
      select r.organization_id, r.id from storage_usage u join organizations o on o.id = u.organization_id
        join runs r on r.organization_id = o.id
      where u.bytes > ${limit} and r.state = 'running' and r.deleted_at is null and ${isLookedAt}
      limit 1 for update of r skip locked`.execute(db);
    return rows[0];
  };
  const findRunToResume: FindRun = async (db, isLookedAt) => {
    const { rows } = await sql<{ organizationId: string; id: string }>`
      select r.organization_id, r.id from runs r join organizations o on o.id = r.organization_id
        join storage_usage u on u.organization_id = o.id
      where r.state = 'paused' and r.state_reason = 'storage_limit_reached' and (${limit} is null or u.bytes <= ${limit}) and ${isLookedAt}
      order by r.id limit 1 for update of r skip locked`.execute(db);
    return rows[0];
  };
  await doBoth(
    () =>
      forEachRun(all, findRunToPause, (tx, run) => pauseRunBecause(tx, run, "storage_limit_reached"), former("pause")),
    () => forEachRun(all, findRunToResume, (tx, run) => letRunGoOn(tx, run, parts), former("resume")),
  );
}

/** Of one process: it says that its disk is low as long as it is. */
export function createFollowFreeSpace(
  all: AllOrganizations,
  freeSpace: FreeSpace,
  parts: RunParts,
): () => Promise<void> {
  const processId = randomUUID();
  const former = rememberFailures();
  let wasLow = false;
  return async () => {
    const isLow = await freeSpace.isLow();
    if (isLow)
      await sql`insert into low_space_reports (process_id, reported_at) values (${processId}, now())
        on conflict (process_id) do update set reported_at = now()`.execute(all.database.db);
    else if (wasLow) await sql`delete from low_space_reports where process_id = ${processId}`.execute(all.database.db);
    wasLow = isLow;
    await forEachRun(
      all,
      isLow ? findRunInProgress : findRunWithRoom,
      (tx, run) => (isLow ? pauseRunBecause(tx, run, "insufficient_storage") : letRunGoOn(tx, run, parts)),
      former(isLow ? "pause" : "resume"),
    );
  };
}

const findRunInProgress: FindRun = async (db, isLookedAt) => {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select r.organization_id, r.id from runs r
    where r.finished_at is null and r.state = 'running' and r.deleted_at is null and ${isLookedAt}
    limit 1 for update skip locked`.execute(db);
  return rows[0];
};

/** Oldest first, as they began; none as long as any process is short of space. */
const findRunWithRoom: FindRun = async (db, isLookedAt) => {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select r.organization_id, r.id from runs r
    where r.state = 'paused' and r.state_reason = 'insufficient_storage' and ${isLookedAt}
      and not exists (select 1 from low_space_reports where reported_at > now() - make_interval(secs => ${REPORT_SECONDS}))
    order by r.id limit 1 for update of r skip locked`.execute(db);
  return rows[0];
};

/** Computes the sums again from what is stored, and counts datasets again, for example after a table was restored. */
export async function recountStorage({ database, tasks }: AllOrganizations): Promise<void> {
  const { rows } = await sql<{ organizationId: string }>`select id as organization_id from organizations`.execute(
    database.db,
  );
  await forEachOwned(rows, async ({ organizationId: id }) => {
    await tasks.of(id).transaction(async (tx) => {
      await sql`insert into storage_usage (organization_id) values (${id}) on conflict do nothing`.execute(tx);
      // With the row locked, every change is either in what is added up, or waits to add itself.
      await sql`select 1 from storage_usage where organization_id = ${id} for update`.execute(tx);
      await sql`
        update storage_usage set bytes = (select sum(bytes) from (
          select sum(storage_bytes) as bytes from dataset_uploads where organization_id = ${id}
          union all select sum(storage_bytes) from datasets where organization_id = ${id}
          union all select sum(storage_bytes) from exports where organization_id = ${id}
          union all select sum(storage_bytes) from runs where organization_id = ${id}
          union all select 0) stored),
          declared_bytes = (select coalesce(sum(declared_bytes), 0) from dataset_uploads where organization_id = ${id})
        where organization_id = ${id}`.execute(tx);
      await recountDatasets(tx, id);
    });
  });
}

/** In the order in which others lock the two: the count last. */
async function recountDatasets(tx: Transaction, organizationId: string): Promise<void> {
  await sql`insert into dataset_counts (organization_id) values (${organizationId}) on conflict do nothing`.execute(tx);
  await sql`select 1 from dataset_counts where organization_id = ${organizationId} for update`.execute(tx);
  await sql`
    update dataset_counts set datasets = (
      select count(*) from datasets where organization_id = ${organizationId} and deleted_at is null)
    where organization_id = ${organizationId}`.execute(tx);
}
