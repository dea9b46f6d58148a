/** What keeps runs going and ends them when nobody else does: the sweep, deadlines, the purge of deleted runs. */
import { sql } from "kysely";
import { inBatches } from "../platform/database/in-batches.ts";
import { isUnavailable, statementsOf } from "../platform/database/database.ts";
import type { Database, OrganizationDatabase } from "../platform/database/database.ts";
import type { AllOrganizations } from "../platform/database/tenants.ts";
import type { Log } from "../platform/log.ts";
import { openJobExists } from "../platform/queue/jobs.ts";
import { afterDeath } from "./chunks/chunk-deaths.ts";
import { WAITING_FOR_CAPACITY, startWaitingRuns } from "../resources/runs/create-run.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import { endRun, finishRunIfDone } from "../resources/runs/finish-run.ts";
import { enqueueLanes, laneQueues, startLaneGeneration } from "../resources/runs/lanes.ts";
import { cancelIfOverBudget } from "./policies/run-policies.ts";
import { purgeResults } from "../resources/runs/stored-results/purge-results.ts";

/** Rows of one transaction. */
const ROWS_AT_ONCE = 20_000;
/** A run younger than this may just be on its way to its first turn. */
const SWEEP_AFTER_SECONDS = 15;

/**
 * Lanes survive the death of their worker; this is for what should not happen: jobs deleted by hand, a restored database.
 * Chunks whose lane is no active job become claimable, runs without lanes get new ones, runs with nothing left end.
 */
export async function sweepRuns({ database, tasks }: AllOrganizations, parts: RunParts, log: Log): Promise<void> {
  const { rows: orphaned } = await sql<{ organizationId: string; id: string }>`
    update run_chunks c set state = 'pending', claimed_by = null, ${sql.raw(afterDeath("true"))}
    from runs r
    where r.id = c.run_id and r.finished_at is null and c.state = 'running'
      and not ${openJobExists(Object.values(laneQueues), sql`j.id = c.claimed_by`)}
    returning r.organization_id, r.id`.execute(database.db);
  for (const run of orphaned) {
    log.warn({ runId: run.id }, "a chunk without a lane was released");
    await tryFor(run, log, async () => {
      await finishRunIfDone(tasks.of(run.organizationId), run.organizationId, run.id, parts);
      await cancelIfOverBudget(tasks.of(run.organizationId), run, parts);
    });
  }
  const { rows: stalled } = await sql<{ organizationId: string; id: string; state: string }>`
    select r.organization_id, r.id, r.state from runs r
    where r.finished_at is null and r.deleted_at is null and r.state in ('queued', 'running', 'canceling')
      and (r.state <> 'queued' or r.state_reason is null)
      -- What only waits for batches needs no lane: each batch has a job of its own.
      and (r.state = 'canceling' or not exists (select 1 from provider_batches b where b.run_id = r.id and b.finished_at is null)
        or exists (select 1 from run_chunks c where c.run_id = r.id and c.state = 'pending' and c.in_real_time))
      and r.updated_at < now() - make_interval(secs => ${SWEEP_AFTER_SECONDS})
      and not ${openJobExists(
        Object.values(laneQueues),
        sql`j.data->>'runId' = r.id::text and (j.data->>'generation')::int = r.lane_generation`,
      )}`.execute(database.db);
  for (const run of stalled) await tryFor(run, log, () => reviveRun(tasks.of(run.organizationId), run, parts, log));
  const { rows: waiting } = await sql<{ organizationId: string }>`
    select distinct organization_id from runs
    where finished_at is null and state = 'queued' and state_reason = ${WAITING_FOR_CAPACITY}`.execute(database.db);
  for (const { organizationId } of waiting) {
    await tasks.of(organizationId).transaction((tx) => startWaitingRuns(tx, organizationId, parts));
  }
}

/** Ends the run if nothing is left of it, else gives it lanes. */
async function reviveRun(
  database: OrganizationDatabase,
  { organizationId, id }: { organizationId: string; id: string },
  parts: RunParts,
  log: Log,
): Promise<void> {
  await finishRunIfDone(database, organizationId, id, parts);
  await database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where("organizationId", "=", organizationId)
      .where("id", "=", id)
      .where("state", "in", ["queued", "running"])
      .forUpdate()
      .executeTakeFirst();
    if (!run) return;
    log.warn({ runId: id }, "a run without lanes got new ones");
    await enqueueLanes(tx, await startLaneGeneration(tx, run), parts.queue);
  });
}

/** One run that cannot be swept must not keep the others from it. */
async function tryFor(run: { id: string }, log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error({ err: error, runId: run.id }, "a run could not be swept");
  }
}

/** Lanes notice a passed deadline themselves, and record finished rows; they get this long. */
const DEADLINE_GRACE_SECONDS = 5;

/** Ends runs whose deadline has passed; rows in flight are abandoned, finished ones are kept. */
export async function expireRuns({ database, tasks }: AllOrganizations, parts: RunParts): Promise<void> {
  for (;;) {
    const wasOne = await database.transaction(async (tx) => {
      const run = await tx
        .selectFrom("runs")
        .selectAll()
        .where("finishedAt", "is", null)
        // What is being canceled ends as canceled.
        .where("state", "!=", "canceling")
        .where("deadlineAt", "<", new Date())
        .where((w) =>
          w.or([
            w("deadlineAt", "<", new Date(Date.now() - DEADLINE_GRACE_SECONDS * 1_000)),
            w.not(
              w.exists(
                w
                  .selectFrom("runChunks")
                  .select("chunkNo")
                  .whereRef("runId", "=", "runs.id")
                  .where("state", "=", "running"),
              ),
            ),
          ]),
        )
        .orderBy("deadlineAt")
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (run === undefined) return false;
      await tasks.bind(tx, run.organizationId);
      await endRun(tx, run, "expired", null, parts);
      return true;
    });
    if (!wasOne) return;
  }
}

/** Which row stands for its duplicates is of no use any more once the run has ended. */
export async function purgeRowKeys({ database, tasks }: AllOrganizations): Promise<void> {
  // From one run to the next by the index: there may be millions of keys, and few runs.
  const { rows: ended } = await sql<{ organizationId: string; runId: string }>`
    with recursive known(run_id, organization_id) as (
      (select run_id, organization_id from run_row_keys order by run_id limit 1)
      union all
      select n.run_id, n.organization_id from known cross join lateral (
        select run_id, organization_id from run_row_keys where run_id > known.run_id order by run_id limit 1) n)
    select k.organization_id, k.run_id from known k
    where not exists (
      select 1 from runs r where r.organization_id = k.organization_id and r.id = k.run_id and r.finished_at is null)`.execute(
    database.db,
  );
  for (const { organizationId, runId } of ended) {
    const { db } = tasks.of(organizationId);
    await inBatches(
      db,
      ROWS_AT_ONCE,
      sql`
        delete from run_row_keys where run_id = ${runId} and key in (
          select key from run_row_keys where run_id = ${runId} limit ${ROWS_AT_ONCE})`,
    );
  }
}

export async function purgeCachedRows(database: Database): Promise<void> {
  await inBatches(
    database.db,
    ROWS_AT_ONCE,
    sql`
      delete from row_cache where (organization_id, key) in (
        select organization_id, key from row_cache where expires_at < now() order by expires_at limit ${ROWS_AT_ONCE})`,
  );
}

/** Deletes what deleted runs leave behind, a bounded number of rows at a time. */
export async function purgeDeletedRuns({ database, tasks }: AllOrganizations): Promise<void> {
  for (;;) {
    const run = await database.db
      .selectFrom("runs")
      .select(["organizationId", "id"])
      .where("deletedAt", "is not", null)
      .orderBy("deletedAt")
      .limit(1)
      .executeTakeFirst();
    if (!run) return;
    const own = tasks.of(run.organizationId);
    // First: a worker that was taken for dead may still record rows, and without its chunk no commit is made.
    await own.transaction((tx) => tx.deleteFrom("runChunks").where("runId", "=", run.id).execute());
    await purgeResults(statementsOf(own.db), run.id);
    await own.transaction(async (tx) => {
      // Those that are still to be canceled at their provider go when that is done.
      await tx.deleteFrom("providerBatches").where("runId", "=", run.id).where("finishedAt", "is not", null).execute();
      await tx.deleteFrom("runBudgets").where("runId", "=", run.id).execute();
      // Its events stay: deliveries of them may be under way.
      await tx.deleteFrom("runs").where("organizationId", "=", run.organizationId).where("id", "=", run.id).execute();
    });
  }
}
