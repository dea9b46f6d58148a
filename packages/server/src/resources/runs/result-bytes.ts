/**
 * Bytes of a run's results. They are counted per chunk, where results are committed, and added up for the run: every few seconds
 * while it runs, and exactly in the transaction that ends it, so that `usage.storageBytes` does not change after the end.
 */
import type { RawBuilder } from "kysely";
import { executeLater, sql } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import { forEachOwned } from "../../platform/database/failures-by-organization.ts";
import { alwaysById, isRowOf } from "../../platform/database/row-key.ts";

/** Runs added up in one pass; the next pass finds more. */
const RUNS_PER_PASS = 500;

const bytesOfChunks = sql`(select coalesce(sum(c.result_bytes), 0) from run_chunks c where c.run_id = r.id)`;

/** The same as a value, where the chunks are on another server than the run. */
async function readBytesOfChunks(db: Queryable, runId: string): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(result_bytes), 0)::bigint as bytes from run_chunks where run_id = ${runId}`.execute(db);
  return sql`${rows[0]?.bytes ?? 0}::bigint`;
}

/**
 * For a run that ends in this transaction: no later commit adds results. Call it last, because it locks the organization's sum, for
 * which reservations of other requests wait.
 */
export async function settleEndedRun(tx: Transaction, organizationId: string, runId: string): Promise<void> {
  const bytes = isDistributed(tx) ? await readBytesOfChunks(tx, runId) : bytesOfChunks;
  // With the commit: others wait for the organization's sum while PostgreSQL commits, and for no round trip of ours.
  await executeLater(
    tx,
    sql`update runs r set results_settled = true, result_bytes = ${bytes}
    where ${isRowOf("runs", { organizationId }, runId, "r")}`,
  );
}

/** For a run in progress, where a process has written many of its results. It is left to another one that adds up at this moment. */
export async function settleRunningRun(db: Queryable, { organizationId, id }: { organizationId: string; id: string }) {
  const bytes = isDistributed(db) ? await readBytesOfChunks(db, id) : bytesOfChunks;
  await sql`
    update runs r set results_settled = r.finished_at is not null, result_bytes = ${bytes}
    from (select organization_id, id from runs where ${isRowOf("runs", { organizationId }, id)}
        and not results_settled for no key update skip locked) free
    where r.organization_id = free.organization_id and r.id = free.id${sql.raw(alwaysById("runs", "r"))}
      -- The run may have ended after this statement took its snapshot, which does not show the last results.
      and not r.results_settled and (r.finished_at is not null or r.result_bytes <> ${bytes})`.execute(db);
}

/** Of runs in progress, again and again. An ended run is among them only if a process of an earlier version ended it. */
export async function settleResults({ database, tasks }: AllOrganizations): Promise<void> {
  const { rows: runs } = await sql<{ organizationId: string; id: string }>`
    select organization_id, id from runs where not results_settled and started_at is not null
    order by random() limit ${RUNS_PER_PASS}`.execute(database.db);
  // One run per transaction: each locks the sum of one organization only.
  await forEachOwned(runs, (run) => settleRunningRun(tasks.of(run.organizationId).db, run));
}
