/**
 * Bulk actions: one action on everything that matches a filter, or on a list of ids.
 *
 *   queued ──▶ running ──▶ completed
 *      └──────────┴──┬──▶ aborted
 *                    └──▶ failed       (the key may no longer do it)
 *
 * What an action is about is written down in the transaction that creates it, so its total is exact. A task works through the
 * targets (`bulk-actions.tasks.ts`): the action on a target, its outcome and the counters are one transaction.
 */
import type { Operations } from "@rowmill/contract";
import {
  MAX_BULK_TARGETS,
  actionsOn,
  bulkActionStates,
  bulkResources,
  scopesToReadBulk,
  scopesToWriteBulk,
} from "@rowmill/contract/bulk-actions";
import type { BulkAction, BulkActionCount, BulkActionName, BulkResource } from "@rowmill/contract/bulk-actions";
import type { Input } from "@rowmill/contract/operation";
import type { RawBuilder, Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { requireScopes } from "../../platform/http/require-scopes.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { BulkActionsTable } from "../../platform/database/event-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId, newUuid, parseId } from "../../platform/ids.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { resource } from "../resource.ts";
import { recordEvent } from "../events/events.ts";
import { readAfterEnd } from "../wait-for-end.ts";
import type { EndWaitParts } from "../wait-for-end.ts";
import { kindOf, targetsOfFilter, targetsOfIds } from "./targets.ts";

export const BULK_QUEUE = "bulk-action";

export type BulkRecord = Selectable<BulkActionsTable>;

export interface BulkJob {
  organizationId: string;
  bulkActionId: string;
}

type CreateBody = Input<Operations["createBulkAction"]>["body"];

/** These undo or use what was made later, so the newest comes first; a run can be deleted after its retries only. */
const newestFirst: ReadonlySet<BulkActionName> = new Set(["cancel", "pause", "delete"]);

/** Filters, and ids of what was skipped. */
const large = ["filter", "retry", "reasons", "error"] as const;

const bulkActions = resource("bulkActions", { noun: "bulk action", large });

export const lockBulkAction = bulkActions.lock;

export const createBulkAction: OperationFunction<"createBulkAction", { queue: Queue }> = async (
  tx,
  caller,
  { body },
  { queue },
) => {
  const { organizationId } = caller;
  const { action, resource: targeted = "runs" } = body;
  const targets = checkTargets(organizationId, targeted, body);
  const counted = await countTargets(tx, targets);
  if (body.ids !== undefined && counted.total < body.ids.length) await nameMissing(tx, targeted, targets, body.ids);
  if (body.dryRun === true) return { resource: targeted, action, ...counted };
  if (counted.total > MAX_BULK_TARGETS)
    throw new ApiError(
      "limit_reached",
      `The filter matches ${counted.total} ${targeted}, and a bulk action takes ${MAX_BULK_TARGETS}: narrow it, for example by createdBefore.`,
      { param: "filter" },
    );
  const id = newUuid();
  await tx
    .insertInto("bulkActions")
    .values({
      organizationId,
      id,
      resource: targeted,
      action,
      filter: body.filter === undefined ? null : JSON.stringify(body.filter),
      retry: body.retry === undefined ? null : JSON.stringify(body.retry),
      state: "queued",
      total: counted.total,
      apiKeyId: caller.apiKeyId,
      memberId: caller.memberId,
      requestId: caller.requestId,
      ip: caller.ip,
    })
    .execute();
  const order = newestFirst.has(action) ? sql`t.id desc` : sql`t.id`;
  const { numAffectedRows } = await sql`
    insert into bulk_action_targets (organization_id, bulk_action_id, position, target_id)
    select ${organizationId}, ${id}, row_number() over (order by ${order}), t.id from (${targets}) t`.execute(tx);
  // Between the count and this statement others may have committed.
  await tx
    .updateTable("bulkActions")
    .set({ total: Number(numAffectedRows ?? 0n) })
    .where(isRowOf("bulkActions", caller, id))
    .execute();
  await recordAudit(tx, caller, "bulk_action.created", id, {
    resource: targeted,
    action,
    filter: body.filter ?? null,
    ids: body.ids?.length ?? null,
    total: counted.total,
  });
  const job: BulkJob = { organizationId, bulkActionId: id };
  await queue.enqueue(tx, BULK_QUEUE, job);
  return show(await bulkActions.find(tx, caller, id));
};

export const listBulkActions: OperationFunction<"listBulkActions"> = async (db, caller, { filters, page }) => {
  const { resource: resources = bulkResources, state = bulkActionStates } = filters;
  const readable = readableResources(caller);
  const { rows, next } = await readNewest(
    db,
    {
      table: "bulkActions",
      organizationId: caller.organizationId,
      large,
      in: { resource: resources.filter((one) => readable.includes(one)), state },
    },
    page,
  );
  return { data: rows.map(show), next };
};

export const getBulkAction: OperationFunction<"getBulkAction", EndWaitParts> = async (
  db,
  caller,
  { params: { bulkActionId: id }, query: { waitSeconds } },
  parts,
) => {
  const find = (): Promise<BulkRecord> => findReadable(db, caller, id);
  return show(await readAfterEnd(db, caller, { table: "bulkActions", waitSeconds, find }, parts));
};

export const abortBulkAction: OperationFunction<"abortBulkAction"> = async (tx, caller, { params }) => {
  const { organizationId } = caller;
  const id = params.bulkActionId;
  const found = await findReadable(tx, caller, id);
  requireScopes(caller, [scopesToWriteBulk[found.resource]]);
  const { state } = await lockBulkAction(tx, caller, id);
  if (state === "aborted") return show(await bulkActions.find(tx, caller, id));
  if (state !== "queued" && state !== "running")
    throw invalidState(`The bulk action is ${state}: there is nothing left to abort.`);
  await recordAudit(tx, caller, "bulk_action.aborted", id);
  // Work on a target holds the row that is locked here: none is under way.
  await endBulkAction(tx, { organizationId, id }, "aborted");
  return show(await bulkActions.find(tx, caller, id));
};

/** The row is locked. */
export async function endBulkAction(
  tx: Transaction,
  { organizationId, id }: Pick<BulkRecord, "organizationId" | "id">,
  state: "completed" | "aborted" | "failed",
  error?: { code: string; message: string },
): Promise<void> {
  const now = sql<Date>`now()`;
  const { done, skipped, failed } = await tx
    .updateTable("bulkActions")
    .set({ state, finishedAt: now, updatedAt: now, ...(error === undefined ? {} : { error: JSON.stringify(error) }) })
    .where(isRowOf("bulkActions", { organizationId }, id))
    .returning(["done", "skipped", "failed"])
    .executeTakeFirstOrThrow();
  await sql`delete from bulk_action_targets where organization_id = ${organizationId} and bulk_action_id = ${id}`.execute(
    tx,
  );
  const shownId = formatId("bulkAction", id);
  await recordEvent(tx, {
    organizationId,
    type: "bulk_action.finished",
    data: {
      object: "bulk_action",
      id: shownId,
      url: `/v1/bulk-actions/${shownId}`,
      state,
      done,
      skipped,
      failed,
    },
  });
}

/** Those whose bulk actions the key may see; at least one. */
function readableResources(caller: OrganizationCaller): BulkResource[] {
  const readable = bulkResources.filter((resource) => caller.scopes.has(scopesToReadBulk[resource]));
  if (readable.length === 0) requireScopes(caller, [scopesToReadBulk.runs]);
  return readable;
}

async function findReadable(db: Queryable, caller: OrganizationCaller, id: string): Promise<BulkRecord> {
  const readable = readableResources(caller);
  const found = await bulkActions.find(db, caller, id);
  if (!readable.includes(found.resource)) requireScopes(caller, [scopesToReadBulk[found.resource]]);
  return found;
}

function checkTargets(organizationId: string, resource: BulkResource, { action, filter, ids, retry }: CreateBody) {
  const actions: readonly BulkActionName[] = actionsOn[resource];
  if (!actions.includes(action))
    throw new ApiError(
      "invalid_request",
      `${resource} can be ${actions.map(pastOf).join(", ")} in bulk: not ${pastOf(action)}.`,
      {
        param: "action",
      },
    );
  if (retry !== undefined && action !== "retry")
    throw new ApiError("invalid_request", "`retry` is for `action: retry` alone.", { param: "retry" });
  if (ids === undefined) {
    if (filter === undefined)
      throw new ApiError("invalid_request", "Say what the action is about: `filter` or `ids`.", { param: "filter" });
    return targetsOfFilter(organizationId, resource, filter);
  }
  if (filter !== undefined)
    throw new ApiError("invalid_request", "Give either `filter` or `ids`, not both.", { param: "ids" });
  return targetsOfIds(organizationId, resource, ids);
}

const past: Record<BulkActionName, string> = {
  cancel: "canceled",
  pause: "paused",
  resume: "resumed",
  retry: "retried",
  delete: "deleted",
};
const pastOf = (action: BulkActionName): string => past[action];

async function countTargets(
  db: Queryable,
  targets: RawBuilder<unknown>,
): Promise<Pick<BulkActionCount, "total" | "states">> {
  const { rows: states } = await sql<{ state: string; count: number }>`
    select t.state, count(*)::int as count from (${targets}) t group by t.state order by t.state`.execute(db);
  return { total: states.reduce((sum, { count }) => sum + count, 0), states };
}

async function nameMissing(
  db: Queryable,
  resource: BulkResource,
  targets: RawBuilder<unknown>,
  ids: readonly string[],
) {
  const { rows } = await sql<{ id: string }>`select t.id from (${targets}) t`.execute(db);
  const found = new Set(rows.map(({ id }) => id));
  const kind = kindOf[resource];
  const missing = ids.findIndex((id) => !found.has(parseId(kind, id) ?? ""));
  // Two spellings of one id are one thing.
  if (missing >= 0) throw notFound(kind, `ids[${missing}]`);
}

const show = (row: BulkRecord): BulkAction => ({
  id: formatId("bulkAction", row.id),
  resource: row.resource,
  action: row.action,
  filter: row.filter,
  state: row.state,
  total: row.total,
  done: row.done,
  skipped: row.skipped,
  failed: row.failed,
  reasons: Object.entries(row.reasons).map(([code, reason]) => ({ code, ...reason })),
  error: row.error,
  apiKeyId: formatId("apiKey", row.apiKeyId),
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  finishedAt: row.finishedAt?.toISOString() ?? null,
  updatedAt: row.updatedAt.toISOString(),
});

export const bulkActionOperations = { createBulkAction, listBulkActions, getBulkAction, abortBulkAction };
