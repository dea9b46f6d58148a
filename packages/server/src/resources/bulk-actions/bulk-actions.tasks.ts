/**
 * Works through the targets of bulk actions. A job takes one target after the other:
 *
 *   lock the bulk action, still running? · lock the target, without an outcome? · the action · its outcome and the counters
 *
 * in one transaction. So a process that dies leaves its target without an outcome and undone; two processes with the same job
 * alternate; and an abort waits for the target at work, and no further one is begun.
 */
import { scopesToWriteBulk } from "@rowmill/contract/bulk-actions";
import type { ErrorCode } from "@rowmill/contract/errors";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { isUnavailable, sql } from "../../platform/database/database.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Tenants } from "../../platform/database/tenants.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, isServiceStopping } from "../../platform/http/errors.ts";
import { readScopes } from "../../platform/http/open-requests.ts";
import { formatId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { findWaitingJobs, openJobExists } from "../../platform/queue/jobs.ts";
import type { Job, Queue } from "../../platform/queue/queue.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import type { RequestParts } from "../runs/create-run.ts";
import { BULK_QUEUE, endBulkAction, lockBulkAction } from "./bulk-actions.ts";
import type { BulkJob, BulkRecord } from "./bulk-actions.ts";
import { prepareAction } from "./do-action.ts";
import { kindOf } from "./targets.ts";

/**
 * Of a process, each of another organization. Targets are short transactions, one after the other; more would only take connections from
 * requests.
 */
export const BULK_ACTIONS_AT_ONCE = { places: 2, mostOfOrganization: 1 };
/** Then an action goes to the end of the queue, where others wait: they may be short, this one may take an hour. */
const TARGETS_AT_ONCE = 100;
/** Between two looks whether the key may still do it: a tenth of a second's work. */
const TARGETS_BETWEEN_LOOKS = 20;
/** An action that nothing has happened to for this long has lost its job. */
const FORGOTTEN_AFTER_SECONDS = 60;
const REQUEUED_AT_ONCE = 100;
/** Ids that a reason names. */
const MAX_NAMED_IDS = 20;

/** The state of a thing does not allow the action, or the thing is gone; everything else has failed. */
const skipCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid_state",
  "not_found",
  "resource_in_use",
  "nothing_to_retry",
  "budget_exceeded",
  "export_expired",
]);

export interface BulkTaskParts extends RequestParts {
  database: Database;
  /** A bulk action does what requests of its organization do, with their rights and no others. */
  tenants: Tenants;
  log: Log;
}

type Outcome = { outcome: "done" } | { outcome: "skipped" | "failed"; code: ErrorCode; message: string };
interface Target {
  position: number;
  targetId: string;
}

export const createBulkWorker =
  (parts: BulkTaskParts) =>
  async ({ data, signal, stopping }: Job<BulkJob>): Promise<void> => {
    const action = await begin(parts, data);
    if (action === undefined) return;
    for (let done = 0; ; done++) {
      signal.throwIfAborted();
      stopping.throwIfAborted();
      const caller = done % TARGETS_BETWEEN_LOOKS === 0 ? await callerOf(parts.database, action) : action.caller;
      if (caller === undefined) return failForItsKey(parts, action);
      if (done > 0 && done % TARGETS_AT_ONCE === 0 && (await giveWay(parts, data))) return;
      action.caller = caller;
      const target = await nextTarget(parts, action);
      if (target === undefined) return complete(parts, action);
      if (!(await workOn(parts, action, caller, target))) return;
    }
  };

/** Jobs are lost with a database that is restored, and after too many deaths of their workers. */
export async function reconcileBulkActions(
  { database, queue }: { database: Database; queue: Queue },
  report: ReportRepair,
): Promise<void> {
  // One that waits has its job.
  const { rows } = await sql<BulkJob>`
    select organization_id, id as bulk_action_id from bulk_actions a
    where finished_at is null and updated_at < now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})
      and not ${openJobExists([BULK_QUEUE], sql`j.data->>'bulkActionId' = a.id::text`)}
    order by updated_at limit ${REQUEUED_AT_ONCE}`.execute(database.db);
  for (const job of rows) {
    // Two processes may look at once. A second job finds a target locked, or nothing left: it does no harm.
    await queue.enqueueNow(BULK_QUEUE, job);
    report({ what: "a bulk action without a job got a new one", ids: { bulkActionId: job.bulkActionId } });
  }
}

/** True if another action waits, of whatever organization: this one continues later, by a job at the end of the queue. */
async function giveWay({ database, queue }: BulkTaskParts, job: BulkJob): Promise<boolean> {
  const isOwn = sql`j.data->>'bulkActionId' = ${job.bulkActionId}`;
  const waiting = await findWaitingJobs(database.db, BULK_QUEUE, job.organizationId, isOwn);
  if (!waiting.others && !(await isAnotherWaiting(database, job))) return false;
  // A process that died after this line of an earlier pass has left one.
  if (!waiting.own) await queue.enqueueNow(BULK_QUEUE, job);
  return true;
}

/** Of the same organization, which has one place in each process. */
async function isAnotherWaiting({ db }: Database, { organizationId, bulkActionId }: BulkJob): Promise<boolean> {
  const isAnother = sql`j.state in ('created', 'retry') and j.start_after <= now() and j.data->>'organizationId' = ${organizationId}
    and j.data->>'bulkActionId' <> ${bulkActionId}`;
  const { rows } = await sql<{ found: boolean }>`select ${openJobExists([BULK_QUEUE], isAnother)} as found`.execute(db);
  return rows[0]?.found === true;
}

type Working = BulkRecord & { caller?: OrganizationCaller };

/** Undefined when there is nothing left to do. */
async function begin({ tenants }: BulkTaskParts, job: BulkJob): Promise<Working | undefined> {
  return tenants(job.organizationId).transaction(async (tx) => {
    const action = await lockBulkAction(tx, job, job.bulkActionId);
    if (action.finishedAt !== null) return undefined;
    await tx
      .updateTable("bulkActions")
      .set({ state: "running", startedAt: sql<Date>`coalesce(started_at, now())`, updatedAt: sql<Date>`now()` })
      .where(isRowOf("bulkActions", action, action.id))
      .execute();
    return action;
  });
}

/** The key with the scopes that it has now; undefined when they no longer suffice. */
async function callerOf({ db }: Database, action: BulkRecord): Promise<OrganizationCaller | undefined> {
  const { organizationId, apiKeyId, memberId, requestId, ip } = action;
  const scopes = (await readScopes(db, new Map([[apiKeyId, organizationId]]))).get(apiKeyId);
  if (scopes?.has(scopesToWriteBulk[action.resource]) !== true) return undefined;
  return { kind: "organization", organizationId, apiKeyId, memberId, requestId, ip, scopes, session: null };
}

async function nextTarget({ tenants }: BulkTaskParts, { organizationId, id }: BulkRecord): Promise<Target | undefined> {
  return tenants(organizationId)
    .db.selectFrom("bulkActionTargets")
    .select(["position", "targetId"])
    .where("organizationId", "=", organizationId)
    .where("bulkActionId", "=", id)
    .where("outcome", "is", null)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
}

/** False when the action has ended meanwhile. */
async function workOn(
  parts: BulkTaskParts,
  action: BulkRecord,
  caller: OrganizationCaller,
  target: Target,
): Promise<boolean> {
  try {
    const work = await prepareAction(parts.tenants(action.organizationId).db, caller, action, target.targetId, parts);
    return await workOnce(parts, action, target, async (tx) => {
      await work(tx);
      return { outcome: "done" };
    });
  } catch (error) {
    if (isUnavailable(error) || isServiceStopping(error)) throw error;
    const known = error instanceof ApiError ? error : undefined;
    if (known === undefined) parts.log.error({ err: error, ...target }, "an action in bulk failed at a target");
    const code = known?.code ?? "internal_error";
    const message = known?.message ?? "An error of the service. It is logged.";
    // What the action had written is undone; its outcome is written by itself.
    return workOnce(parts, action, target, async () => ({
      outcome: skipCodes.has(code) ? "skipped" : "failed",
      code,
      message,
    }));
  }
}

/** Does the work if the action continues and the target has no outcome yet, and records the outcome. */
async function workOnce(
  { tenants }: BulkTaskParts,
  action: BulkRecord,
  target: Target,
  work: (tx: Transaction) => Promise<Outcome>,
): Promise<boolean> {
  return tenants(action.organizationId).transaction(async (tx) => {
    const locked = await lockBulkAction(tx, action, action.id);
    if (locked.finishedAt !== null) return false;
    if (!(await isWaiting(tx, action, target))) return true;
    const outcome = await work(tx);
    await tx
      .updateTable("bulkActionTargets")
      .set({ outcome: outcome.outcome })
      .where("organizationId", "=", action.organizationId)
      .where("bulkActionId", "=", action.id)
      .where("position", "=", target.position)
      .execute();
    await tx
      .updateTable("bulkActions")
      .set((eb) => ({
        [outcome.outcome]: eb(outcome.outcome, "+", 1),
        reasons: JSON.stringify(withReason(locked, target, outcome)),
        updatedAt: sql<Date>`now()`,
      }))
      .where(isRowOf("bulkActions", action, action.id))
      .execute();
    return true;
  });
}

async function isWaiting(tx: Transaction, action: BulkRecord, { position }: Target): Promise<boolean> {
  const row = await tx
    .selectFrom("bulkActionTargets")
    .select("outcome")
    .where("organizationId", "=", action.organizationId)
    .where("bulkActionId", "=", action.id)
    .where("position", "=", position)
    .executeTakeFirst();
  return row !== undefined && row.outcome === null;
}

function withReason({ reasons, resource }: BulkRecord, { targetId }: Target, outcome: Outcome): BulkRecord["reasons"] {
  if (outcome.outcome === "done") return reasons;
  const { code, message } = outcome;
  const before = reasons[code] ?? { outcome: outcome.outcome, message, count: 0, ids: [] };
  const ids = [...before.ids, formatId(kindOf[resource], targetId)].slice(0, MAX_NAMED_IDS);
  return { ...reasons, [code]: { ...before, count: before.count + 1, ids } };
}

const complete = (parts: BulkTaskParts, action: BulkRecord): Promise<void> =>
  end(parts, action, (tx) => endBulkAction(tx, action, "completed"));

const failForItsKey = (parts: BulkTaskParts, action: BulkRecord): Promise<void> =>
  end(parts, action, (tx) =>
    endBulkAction(tx, action, "failed", {
      code: "insufficient_scope",
      message:
        "The key that created the bulk action may no longer do this: it was revoked, has expired or lost the scope, or its organization is suspended.",
    }),
  );

async function end(
  { tenants }: BulkTaskParts,
  { organizationId, id }: BulkRecord,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await tenants(organizationId).transaction(async (tx) => {
    const { finishedAt } = await lockBulkAction(tx, { organizationId }, id);
    if (finishedAt === null) await work(tx);
  });
}
