/** What starts, ends and deletes runs when no request does: free capacity, deadlines, the purge of deleted runs. */
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { eachValueText } from "../platform/database/each-value.ts";
import { inGroups } from "../platform/database/in-groups.ts";
import { statementsOf } from "../platform/database/database.ts";
import type { Database, OrganizationDatabase, Queryable } from "../platform/database/database.ts";
import { isDistributed } from "../platform/database/distribution-marks.ts";
import type { AllOrganizations } from "../platform/database/tenants.ts";
import { isRowOf } from "../platform/database/row-key.ts";
import {
  FailuresByOrganization,
  forEachOwned,
  rememberFailures,
  untilNoneLeft,
} from "../platform/database/failures-by-organization.ts";
import type { FormerFailures } from "../platform/database/failures-by-organization.ts";
import { startWaitingRuns } from "../resources/runs/create-run.ts";
import { hasNotEnded, waitsForCapacityText } from "../resources/runs/lanes.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import { endRun, hasClaimedChunk } from "../resources/runs/finish-run.ts";
import { purgeResults } from "../resources/runs/stored-results/purge-results.ts";

/** Rows of one transaction. */
const ROWS_AT_ONCE = 20_000;

const OWNERS_OF_WAITING = sql.raw(
  eachValueText("owner", { table: "runs", column: "organization_id", beside: "id", where: waitsForCapacityText }),
);

/** Starts runs that wait for capacity where there is some: a limit may have been raised. */
export async function startRunsThatWait({ database, tasks }: AllOrganizations, parts: RunParts): Promise<void> {
  const { rows: waiting } = await sql<{ organizationId: string }>`
    with recursive owner as (${OWNERS_OF_WAITING}) select organization_id from owner`.execute(database.db);
  await forEachOwned(waiting, async ({ organizationId }) => {
    await tasks.of(organizationId).transaction((tx) => startWaitingRuns(tx, organizationId, parts));
  });
}

/**
 * Lanes notice a passed deadline themselves, wait two seconds for calls, and record finished rows; on a busy machine, too, they get this
 * long.
 */
const DEADLINE_GRACE_SECONDS = 15;

/** Of the database's clock: that of this machine may be wrong, and ends runs of all organizations. */
const NOW = sql<Date>`now()`;
const GRACE_ENDS = sql<Date>`now() - make_interval(secs => ${sql.lit(DEADLINE_GRACE_SECONDS)})`;

/** Ends runs whose deadline has passed; rows in flight are abandoned, finished ones are kept. */
export async function expireRuns(
  { database, tasks }: AllOrganizations,
  parts: RunParts,
  former = rememberFailures(),
  lateAtOnce = LATE_AT_ONCE,
): Promise<void> {
  if (isDistributed(database.db)) return expireOnCluster({ database, tasks }, parts, former("expire"), lateAtOnce);
  // As in `forEachRun`.
  if ((await findExpired(database.db)) === undefined) return;
  await untilNoneLeft(
    (failures, note) =>
      database.transaction(async (tx) => {
        const run = await findExpired(tx, failures.leftOut("organization_id", "id"));
        if (run === undefined) return false;
        note(run);
        await tasks.bind(tx, run.organizationId);
        await endRun(tx, run, "expired", null, parts);
        return true;
      }),
    former("expire"),
  );
}

/** The one whose deadline passed first, locked: of those whose lanes have ended, or had the time to. */
const findExpired = (db: Queryable, isLookedAt: RawBuilder<boolean> = sql`true`) =>
  db
    .selectFrom("runs")
    .selectAll()
    .where("finishedAt", "is", null)
    .where(isLookedAt)
    // What is being canceled ends as canceled.
    .where("state", "!=", "canceling")
    .where("deadlineAt", "<", NOW)
    .where((w) =>
      w.or([
        w("deadlineAt", "<", GRACE_ENDS),
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

const RUNS_WITH_KEYS = sql.raw(
  eachValueText("known", { table: "run_row_keys", column: "run_id", beside: "organization_id" }),
);

/** Which row stands for its duplicates is of no use any more once the run has ended. */
export async function purgeRowKeys({ database, tasks }: AllOrganizations): Promise<void> {
  const ended = await (isDistributed(database.db)
    ? findKeysOfEndedOnCluster(database.db)
    : findKeysOfEnded(database.db));
  await forEachOwned(ended, async ({ organizationId, runId }) => {
    const { db } = tasks.of(organizationId);
    await inGroups(
      db,
      ROWS_AT_ONCE,
      sql`
        delete from run_row_keys where run_id = ${runId} and key in (
          select key from run_row_keys where run_id = ${runId} limit ${ROWS_AT_ONCE})`,
    );
  });
}

/** There may be millions of keys, and few runs. */
async function findKeysOfEnded(db: Queryable): Promise<{ organizationId: string; runId: string }[]> {
  const { rows } = await sql<{ organizationId: string; runId: string }>`
    with recursive known as (${RUNS_WITH_KEYS})
    select k.organization_id, k.run_id from known k
    where not exists (
      select 1 from runs r where r.organization_id = k.organization_id and r.id = k.run_id and r.finished_at is null)`.execute(
    db,
  );
  return rows;
}

export async function purgeCachedRows(database: Database): Promise<void> {
  await inGroups(
    database.db,
    ROWS_AT_ONCE,
    sql`
      delete from row_cache where (organization_id, key) in (
        select organization_id, key from row_cache where expires_at < now() order by expires_at limit ${ROWS_AT_ONCE})`,
  );
}

/** Deletes what deleted runs leave behind, a bounded number of rows at a time. */
export async function purgeDeletedRuns(
  { database, tasks }: AllOrganizations,
  former = rememberFailures(),
): Promise<void> {
  await untilNoneLeft(async (failures, note) => {
    const run = await database.db
      .selectFrom("runs")
      .select(["organizationId", "id"])
      .where("deletedAt", "is not", null)
      .where(failures.leftOut("organization_id", "id"))
      .orderBy("deletedAt")
      .limit(1)
      .executeTakeFirst();
    if (run === undefined) return false;
    note(run);
    return purgeDeletedRun(tasks.of(run.organizationId), run);
  }, former("purge"));
}

/** False: another process is deleting it. */
async function purgeDeletedRun(
  own: OrganizationDatabase,
  run: { organizationId: string; id: string },
): Promise<boolean> {
  // First: a worker that was taken for dead may still record rows, and without its chunk no commit is made.
  await own.transaction((tx) => tx.deleteFrom("runChunks").where("runId", "=", run.id).execute());
  // Without the run nobody would find what another process leaves that deletes them just now.
  if (!(await purgeResults(statementsOf(own.db), run.id))) return false;
  await own.transaction(async (tx) => {
    // Those that are still to be canceled at their provider go when that is done.
    await tx.deleteFrom("providerBatches").where("runId", "=", run.id).where("finishedAt", "is not", null).execute();
    await tx.deleteFrom("runBudgets").where("runId", "=", run.id).execute();
    // Its events stay: deliveries of them may be under way.
    await tx
      .deleteFrom("runs")
      .where(isRowOf("runs", run, run.id))
      .execute();
  });
  return true;
}

/** Of a statement: a pass reads on until it has come to all of them, since those that it leaves come first in the next one, too. */
const LATE_AT_ONCE = 1_000;

/** Runs past their deadline; while they have time left to stop, only those that have no chunk claimed. */
async function expireOnCluster(
  { database, tasks }: AllOrganizations,
  parts: RunParts,
  former: FormerFailures,
  lateAtOnce: number,
): Promise<void> {
  const late = (db: Queryable) => db.selectFrom("runs").where("state", "!=", "canceling").where("deadlineAt", "<", NOW);
  const failures = new FailuresByOrganization(former);
  for (let after: string | undefined; ;) {
    const found = await late(database.db)
      .where("finishedAt", "is", null)
      .where(failures.leftOut("organization_id", "id"))
      .$if(after !== undefined, (q) => q.where("id", ">", String(after)))
      .select(["organizationId", "id"])
      .orderBy("id")
      .limit(lateAtOnce)
      .execute();
    for (const run of found) {
      if (failures.isLeftOut(run.organizationId)) continue;
      try {
        await expireLate(run);
      } catch (error) {
        failures.note(run, error);
      }
    }
    if (found.length < lateAtOnce) break;
    after = found.at(-1)?.id;
  }
  failures.throwAny();

  async function expireLate({ organizationId, id }: { organizationId: string; id: string }): Promise<void> {
    await tasks.of(organizationId).transaction(async (tx) => {
      const run = await late(tx)
        .selectAll()
        .select(sql<boolean>`deadline_at >= ${GRACE_ENDS}`.as("isInGrace"))
        .where(isRowOf("runs", { organizationId }, id))
        .where(hasNotEnded)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (run === undefined) return;
      if (run.isInGrace && (await hasClaimedChunk(tx, id))) return;
      await endRun(tx, run, "expired", null, parts);
    });
  }
}

/** Ended runs that still have row keys. */
async function findKeysOfEndedOnCluster(db: Queryable): Promise<{ organizationId: string; runId: string }[]> {
  const { rows: known } = await sql<{ organizationId: string; runId: string }>`
    select distinct organization_id, run_id from run_row_keys`.execute(db);
  if (known.length === 0) return [];
  const { rows: open } = await sql<{ id: string }>`
    select id from runs where id = any(${known.map(({ runId }) => runId)}::uuid[]) and finished_at is null`.execute(db);
  const openIds = new Set(open.map(({ id }) => id));
  return known.filter(({ runId }) => !openIds.has(runId));
}
