/** Batches that have lost their job, and chunks that wait for a batch that is over. */
import { sql } from "kysely";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import type { Log } from "../../platform/log.ts";
import { openJobExists } from "../../platform/queue/jobs.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import { repairEach } from "../../platform/queue/reconcile.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import { hasNotEnded } from "../../resources/runs/lanes.ts";
import { BATCH_QUEUE, enqueueBatch } from "../../resources/runs/provider-batch-records.ts";

/** A job is on its way to its worker for moments. */
const UNTOUCHED_SECONDS = 15;

export async function reconcileBatches(
  { database, tasks, queue, log }: AllOrganizations & { queue: Queue; log: Log },
  report: ReportRepair,
): Promise<void> {
  const { rows: lost } = await sql<{ organizationId: string; id: string; turnNo: number }>`
    select organization_id, id, turn_no from provider_batches b
    where finished_at is null and coalesce(next_turn_at, created_at) < now() - make_interval(secs => ${UNTOUCHED_SECONDS})
      and not ${openJobExists(
        [BATCH_QUEUE],
        sql`(j.id = b.turn_job or j.data->>'batchId' = b.id::text and (j.data->>'turnNo')::int = b.turn_no)`,
      )}`.execute(database.db);
  await repairEach(lost, { log, idsOf: ({ id }) => ({ batchId: id }) }, async (batch) => {
    await tasks.of(batch.organizationId).transaction((tx) => enqueueBatch(tx, batch, 0, queue));
    report({ what: "a batch without a job got a new one", ids: { batchId: batch.id } });
  });
}

export async function reconcileSubmittedChunks(
  { database }: Pick<AllOrganizations, "database">,
  report: ReportRepair,
): Promise<void> {
  const { db } = database;
  const rows = await (isDistributed(db) ? releaseSubmittedOnCluster(database) : releaseSubmitted(db));
  if (rows > 0) report({ what: "chunks of finished batches were released", rows });
}

async function releaseSubmitted(db: Queryable): Promise<number> {
  const { numAffectedRows } = await sql`
    update run_chunks c set state = 'pending', batch_id = null, claim_no = claim_no + 1
    from runs r
    where r.finished_at is null and r.execution->>'mode' = 'provider_batch' and c.run_id = r.id and c.state = 'submitted' and not exists (
      select 1 from provider_batches b where b.organization_id = c.organization_id and b.id = c.batch_id and b.finished_at is null)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/**
 * Chunks in batches that are over. A batch and its chunks are on two servers, and one commits before the other: who opens a batch holds the
 * run until both have. Under the lock of the run, chunks without an open batch wait for none.
 */
async function releaseSubmittedOnCluster({ db, transaction }: AllOrganizations["database"]): Promise<number> {
  const { rows: runs } = await sql<OpenRun>`
    select organization_id, id from runs where finished_at is null and execution->>'mode' = 'provider_batch'`.execute(
    db,
  );
  let released = 0;
  for (const run of runs) released += await transaction((tx) => releaseSubmittedOf(tx, run));
  return released;
}

interface OpenRun {
  organizationId: string;
  id: string;
}

async function releaseSubmittedOf(tx: Transaction, { organizationId, id }: OpenRun): Promise<number> {
  const { rows: locked } = await sql`
    select from runs where ${isRowOf("runs", { organizationId }, id)} and ${hasNotEnded} for update`.execute(tx);
  if (locked.length === 0) return 0;
  const { rows: open } = await sql<{ id: string }>`
    select id from provider_batches
    where organization_id = ${organizationId} and run_id = ${id} and finished_at is null`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    update run_chunks set state = 'pending', batch_id = null, claim_no = claim_no + 1
    where run_id = ${id} and state = 'submitted'
      and (batch_id is null or batch_id <> all(${open.map((batch) => batch.id)}::uuid[]))`.execute(tx);
  return Number(numAffectedRows);
}
