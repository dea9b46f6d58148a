/**
 * The health of endpoints. The records of attempts say since when every delivery has failed; from that a periodic task warns,
 * and in the end disables:
 *
 *     failing_since ──2.5 days──► warned 50 % ──► 70 % ──► 90 % ──5 days and ≥ 20 failed deliveries──► disabled
 *           └── one success at any time clears it all
 *
 * A receiver that responds with 410 is gone, and disabled at once. To a suspended organization nothing is sent, so nothing is counted
 * against its endpoints: their health starts again.
 */
import { sql } from "../../platform/database/database.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { forEachOwned } from "../../platform/database/failures-by-organization.ts";
import { formatId } from "../../platform/ids.ts";
import { recordEvent } from "../../resources/events/events.ts";
import { disableEndpoint, endpointPath } from "../../resources/webhook-endpoints/disabling.ts";
import type { EndpointKey } from "../../resources/webhook-endpoints/disabling.ts";
import { sharedMs } from "../../platform/shared-time.ts";

/** A long weekend with a broken receiver must not cost the endpoint. */
const FAILING_LIMIT_MS = 5 * 24 * 3_600_000;

/** An endpoint with little traffic is not evaluated by a handful of deliveries. */
const FAILED_DELIVERIES_LIMIT = 20;

const WARNED_AT_PERCENT = [90, 70, 50] as const;

/** More endpoints that reach a threshold within a minute wait for the next pass. */
const REVIEWED_AT_ONCE = 500;

/** How an attempt of a delivery ended, as far as its endpoint's health is concerned. */
export interface HealthObservation {
  at: Date;
  /** A status of 2xx. */
  isSuccess: boolean;
  /** There was a response, whatever its status. */
  hasResponse: boolean;
  isTimeout: boolean;
  isFirstAttempt: boolean;
}

/** What a series of attempts means for the endpoint's row. */
export interface HealthChange {
  /** The series has a success: what was counted before it no longer counts. */
  clearsFailures: boolean;
  failingSince: Date | null;
  /** Deliveries that failed for the first time, after the last success. */
  failedDeliveries: number;
  lastSuccessAt: Date | null;
  lastAnswerAt: Date | null;
  /** Something in the series was no timeout: the timeouts counted before it no longer count. */
  clearsTimeouts: boolean;
  consecutiveTimeouts: number;
}

/** `observations` in the order in which the attempts ended. */
export function summarizeHealth(observations: readonly HealthObservation[]): HealthChange {
  const change: HealthChange = {
    clearsFailures: false,
    failingSince: null,
    failedDeliveries: 0,
    lastSuccessAt: null,
    lastAnswerAt: null,
    clearsTimeouts: false,
    consecutiveTimeouts: 0,
  };
  for (const { at, isSuccess, hasResponse, isTimeout, isFirstAttempt } of observations) {
    if (hasResponse) change.lastAnswerAt = at;
    if (isTimeout) change.consecutiveTimeouts += 1;
    else {
      change.clearsTimeouts = true;
      change.consecutiveTimeouts = 0;
    }
    if (isSuccess) {
      change.clearsFailures = true;
      change.failingSince = null;
      change.failedDeliveries = 0;
      change.lastSuccessAt = at;
    } else {
      change.failingSince ??= at;
      if (isFirstAttempt) change.failedDeliveries += 1;
    }
  }
  return change;
}

/** Locks these endpoints, in one order for all callers, and returns which of them receive at the moment. */
export async function lockEndpoints(
  tx: Transaction,
  endpoints: readonly EndpointKey[],
): Promise<(EndpointKey & { isOpen: boolean })[]> {
  const { rows } = await sql<EndpointKey & { isOpen: boolean }>`
    select w.organization_id, w.id, w.enabled and w.deleted_at is null as is_open
    from webhook_endpoints w
    join jsonb_to_recordset(${JSON.stringify(endpoints)}::jsonb) as k("organizationId" uuid, id uuid)
      on w.organization_id = k."organizationId" and w.id = k.id
    order by w.id for update of w`.execute(tx);
  return rows;
}

/** For endpoints that are locked and receive. */
export async function writeHealth(tx: Transaction, changes: readonly (EndpointKey & HealthChange)[]): Promise<void> {
  await sql`
    update webhook_endpoints w set
      failing_since = case when c."clearsFailures" then c."failingSince" else coalesce(w.failing_since, c."failingSince") end,
      failed_deliveries = case when c."clearsFailures" then 0 else w.failed_deliveries end + c."failedDeliveries",
      warned_percent = case when c."clearsFailures" then 0 else w.warned_percent end,
      last_success_at = coalesce(c."lastSuccessAt", w.last_success_at),
      last_answer_at = coalesce(c."lastAnswerAt", w.last_answer_at),
      consecutive_timeouts = case when c."clearsTimeouts" then 0 else w.consecutive_timeouts end + c."consecutiveTimeouts"
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c(
      "organizationId" uuid, id uuid, "clearsFailures" boolean, "failingSince" timestamptz, "failedDeliveries" int,
      "lastSuccessAt" timestamptz, "lastAnswerAt" timestamptz, "clearsTimeouts" boolean, "consecutiveTimeouts" int)
    where w.organization_id = c."organizationId" and w.id = c.id`.execute(tx);
}

/** Warns of endpoints that have been failing for long and disables those that have been for too long. */
export async function reviewFailingEndpoints({ database, tasks }: AllOrganizations): Promise<void> {
  await forgetFailuresOfSuspended(database);
  const { rows } = await sql<EndpointKey>`
    select organization_id, id from webhook_endpoints
    where failing_since is not null and enabled and deleted_at is null
      and exists (select from organizations o where o.id = organization_id and o.state = 'active') and (
      (failing_since <= ${sinceOfPercent(100)} and failed_deliveries >= ${FAILED_DELIVERIES_LIMIT})
      or (failing_since <= ${sinceOfPercent(90)} and warned_percent < 90)
      or (failing_since <= ${sinceOfPercent(70)} and warned_percent < 70)
      or (failing_since <= ${sinceOfPercent(50)} and warned_percent < 50))
    order by failing_since limit ${REVIEWED_AT_ONCE}`.execute(database.db);
  await forEachOwned(rows, async (key) => {
    await tasks.of(key.organizationId).transaction((tx) => reviewEndpoint(tx, key));
  });
}

/** Rows that a record of attempts has locked are left to the next pass: neither waits for the other. */
async function forgetFailuresOfSuspended(database: Database): Promise<void> {
  await sql`
    update webhook_endpoints set failing_since = null, failed_deliveries = 0, warned_percent = 0
    where (organization_id, id) in (
      select w.organization_id, w.id from webhook_endpoints w
      join organizations o on o.id = w.organization_id and o.state = 'suspended'
      where w.failing_since is not null and w.enabled and w.deleted_at is null
      for update of w skip locked)`.execute(database.db);
}

/** The latest beginning of a failure that has lasted for this part of the limit. */
const sinceOfPercent = (percent: number): Date => new Date(sharedMs() - (FAILING_LIMIT_MS * percent) / 100);

async function reviewEndpoint(tx: Transaction, key: EndpointKey): Promise<void> {
  // Locked and looked at again: another worker reviews the same endpoints.
  const endpoint = await tx
    .selectFrom("webhookEndpoints")
    .select(["failingSince", "failedDeliveries", "warnedPercent"])
    .where(isRow(key, key.id))
    .where("enabled", "=", true)
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!endpoint?.failingSince) return;
  const { failingSince, failedDeliveries, warnedPercent } = endpoint;
  const percent = ((sharedMs() - failingSince.getTime()) / FAILING_LIMIT_MS) * 100;
  if (percent >= 100 && failedDeliveries >= FAILED_DELIVERIES_LIMIT)
    return disableEndpoint(tx, { kind: "system" }, key, "failing");
  const reached = WARNED_AT_PERCENT.find((threshold) => percent >= threshold);
  if (reached === undefined || reached <= warnedPercent) return;
  await tx.updateTable("webhookEndpoints").set({ warnedPercent: reached }).where(isRow(key, key.id)).execute();
  await recordEvent(tx, {
    organizationId: key.organizationId,
    type: "webhook_endpoint.failing",
    data: {
      object: "webhook_endpoint",
      id: formatId("webhookEndpoint", key.id),
      failingSince: failingSince.toISOString(),
      failedDeliveries,
      percentOfLimit: reached,
      disabledAtEarliest: new Date(failingSince.getTime() + FAILING_LIMIT_MS).toISOString(),
      url: endpointPath(key.id),
    },
  });
}
