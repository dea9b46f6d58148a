/** What happens when an endpoint no longer receives: never silently, and what waits for it is canceled. */
import type { WebhookEndpoint } from "@rowmill/contract/webhook-endpoints";
import type { Caller } from "../../platform/auth/caller.ts";
import { eachValueText } from "../../platform/database/each-value.ts";
import { inGroups } from "../../platform/database/in-groups.ts";
import { sql } from "../../platform/database/database.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { alwaysById, isRow } from "../../platform/database/row-key.ts";
import { formatId } from "../../platform/ids.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { recordEvent } from "../events/events.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** A fraction of a second, for which records of other endpoints may wait. Of a larger backlog a task cancels the rest. */
const CANCELED_AT_ONCE = 2_000;

export interface EndpointKey {
  organizationId: string;
  id: string;
}

/** Disables the endpoint, which is enabled; its row is locked by the caller. */
export async function disableEndpoint(
  tx: Transaction,
  caller: Caller,
  { organizationId, id }: EndpointKey,
  reason: NonNullable<WebhookEndpoint["disabledReason"]>,
): Promise<void> {
  await tx
    .updateTable("webhookEndpoints")
    .set({ enabled: false, disabledReason: reason, updatedAt: sharedNow() })
    .where(isRow({ organizationId }, id))
    .execute();
  await cancelWaitingDeliveries(tx, { organizationId, id });
  await recordEvent(tx, {
    organizationId,
    type: "webhook_endpoint.disabled",
    data: {
      object: "webhook_endpoint",
      id: formatId("webhookEndpoint", id),
      enabled: false,
      disabledReason: reason,
      url: endpointPath(id),
    },
  });
  const changes = { enabled: false, disabledReason: reason };
  await recordAudit(tx, caller, "webhook_endpoint.disabled", { organizationId, id }, changes);
}

/** Where the API shows the endpoint. */
export const endpointPath = (id: string): string => `/v1/webhook-endpoints/${formatId("webhookEndpoint", id)}`;

/** Deliveries in flight are canceled when their attempt is recorded, unless they succeed. */
export async function cancelWaitingDeliveries(tx: Transaction, { organizationId, id }: EndpointKey): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'canceled', next_attempt_at = null, updated_at = now()
    where (organization_id, id) in (
      select organization_id, id from webhook_deliveries
      where organization_id = ${organizationId} and webhook_endpoint_id = ${id}
        and status = 'pending' and claimed_until is null
      limit ${CANCELED_AT_ONCE} for update)${sql.raw(alwaysById("webhookDeliveries"))}`.execute(tx);
}

/** Endpoints for which a delivery waits. */
const LANES = sql.raw(
  eachValueText("lane", {
    table: "webhook_deliveries",
    column: "webhook_endpoint_id",
    beside: "organization_id",
    where: "status = 'pending' and claimed_until is null",
  }),
);

/** What is left of large backlogs, and what a fan-out wrote while its endpoint was being disabled or deleted. */
export async function cancelDeliveriesOfClosedEndpoints(database: Database): Promise<void> {
  await inGroups(
    database.db,
    CANCELED_AT_ONCE,
    sql`
      with recursive lane as (${LANES})
      update webhook_deliveries set status = 'canceled', next_attempt_at = null, updated_at = now()
      where (organization_id, id) in (
        select d.organization_id, d.id
        from lane
        join webhook_endpoints w on w.organization_id = lane.organization_id and w.id = lane.webhook_endpoint_id
        join webhook_deliveries d on d.webhook_endpoint_id = w.id and d.organization_id = w.organization_id
        where (not w.enabled or w.deleted_at is not null) and d.status = 'pending' and d.claimed_until is null
        limit ${CANCELED_AT_ONCE} for update of d skip locked)`,
  );
}
