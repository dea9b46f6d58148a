/**
 * Runs of a suspended organization pause, and go on when it is active again: those that were paused for this reason and no
 * other. The organization's state is the only thing that is said; this task brings the runs after it, one in a transaction, so
 * that a suspension is as quick for ten thousand waiting runs as for none, and is followed whichever process dies.
 */
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Queryable, Transaction } from "../platform/database/database.ts";
import { rememberFailures, untilNoneLeft } from "../platform/database/failures-by-organization.ts";
import type { FormerFailures } from "../platform/database/failures-by-organization.ts";
import type { AllOrganizations } from "../platform/database/tenants.ts";
import { doBoth } from "../platform/log-failures.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import { letRunGoOn, pauseRunBecause } from "../resources/runs/run-actions.ts";
import { lockRun } from "../resources/runs/runs.ts";
import type { RunRecord } from "../resources/runs/runs.ts";

const ORGANIZATION_SUSPENDED = "organization_suspended";

export async function followSuspensions(
  all: AllOrganizations,
  parts: RunParts,
  former = rememberFailures(),
): Promise<void> {
  const pause = (tx: Transaction, run: RunRecord) => pauseRunBecause(tx, run, ORGANIZATION_SUSPENDED);
  await doBoth(
    () => forEachRun(all, findRunToPause, pause, former("pause")),
    () => forEachRun(all, findRunToResume, (tx, run) => letRunGoOn(tx, run, parts), former("resume")),
  );
}

/**
 * One that is not looked at by anybody else; locked for as long as the transaction is open, if there is one. `isLookedAt`: a condition on the
 * run `r`.
 */
export type FindRun = (
  db: Queryable,
  isLookedAt: RawBuilder<boolean>,
) => Promise<{ organizationId: string; id: string } | undefined>;

/**
 * Each run has a transaction of its own, until no run is left. The first look has no transaction around it: it is made every second or so,
 * nearly always finds nothing, and would be three statements in place of one.
 */
export async function forEachRun(
  { database, tasks }: AllOrganizations,
  find: FindRun,
  change: (tx: Transaction, run: RunRecord) => Promise<void>,
  former: FormerFailures,
): Promise<void> {
  if ((await find(database.db, sql<boolean>`true`)) === undefined) return;
  await untilNoneLeft(
    (failures, note) =>
      database.transaction(async (tx) => {
        const found = await find(tx, failures.leftOut("r.organization_id", "r.id"));
        if (found === undefined) return false;
        note(found);
        await tasks.bind(tx, found.organizationId);
        await change(tx, await lockRun(tx, found, found.id));
        return true;
      }),
    former,
  );
}

// A run whose row somebody else holds is looked at again in the next round.
const findRunToPause: FindRun = async (db, isLookedAt) => {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select r.organization_id, r.id from organizations o join runs r on r.organization_id = o.id
    where o.state = 'suspended' and r.state in ('queued', 'running') and r.deleted_at is null and ${isLookedAt}
    limit 1 for update of r skip locked`.execute(db);
  return rows[0];
};

/** Oldest first, as they began. */
const findRunToResume: FindRun = async (db, isLookedAt) => {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select r.organization_id, r.id from runs r join organizations o on o.id = r.organization_id
    where o.state = 'active' and r.state = 'paused' and r.state_reason = 'organization_suspended' and ${isLookedAt}
    order by r.id limit 1 for update of r skip locked`.execute(db);
  return rows[0];
};
