/** Webhook deliveries: one event on its way to one endpoint, with a record of every attempt and no secret material. */
import { deliverableEventTypes } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import type { Operations } from "@rowmill/contract";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import { webhookDeliveryStatuses } from "@rowmill/contract/webhook-deliveries";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { WebhookDeliveriesTable } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/http/errors.ts";
import { cutPage } from "../../platform/http/pages.ts";
import { formatId } from "../../platform/ids.ts";

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/**
 * Newest first. A filter is spelled out into the single ranges of an index that it means, each of which is in the order of the
 * list; so a page costs the same however rare what it looks for is among the organization's deliveries.
 */
export async function listWebhookDeliveries(
  db: Queryable,
  caller: OrganizationCaller,
  filters: Input<Operations["listWebhookDeliveries"]>["filters"],
  page: Page,
): Promise<PageOf<WebhookDelivery>> {
  const { organizationId } = caller;
  const { webhookEndpointId, status, eventType } = filters;
  const statuses = status ?? webhookDeliveryStatuses;
  const types = eventType ?? deliverableEventTypes;
  const after = page.after === undefined ? sql`true` : sql`d.id < ${String(page.after[0])}`;
  const limit = page.limit + 1;
  const ids = sql<string>`select d.id from webhook_deliveries d where d.organization_id = ${organizationId}`;
  const newest = sql`and ${after} order by d.id desc limit ${limit}`;
  const eachStatus = sql`unnest(${statuses}::text[]) as s (status)`;
  const eachType = sql`unnest(${types}::text[]) as t (event_type)`;
  const ranges =
    webhookEndpointId !== undefined
      ? sql`select r.id from ${eachType} cross join ${eachStatus} cross join lateral (${ids}
          and d.webhook_endpoint_id = ${webhookEndpointId} and d.event_type = t.event_type and d.status = s.status ${newest}) r`
      : eventType !== undefined
        ? sql`select r.id from ${eachType} cross join ${eachStatus} cross join lateral (${ids}
            and d.event_type = t.event_type and d.status = s.status ${newest}) r`
        : status !== undefined
          ? sql`select r.id from ${eachStatus} cross join lateral (${ids} and d.status = s.status ${newest}) r`
          : sql`${ids} ${newest}`;
  const { rows } = await sql<DeliveryRow>`
    select * from webhook_deliveries where organization_id = ${organizationId} and id in (
      select id from (${ranges}) found order by id desc limit ${limit})
    order by id desc`.execute(db);
  const cut = cutPage(rows, page, (row) => [row.id]);
  return { data: cut.rows.map(describeDelivery), next: cut.next };
}

export async function getWebhookDelivery(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
): Promise<WebhookDelivery> {
  return describeDelivery(await findDelivery(db, caller.organizationId, id));
}

export async function findDelivery(db: Queryable, organizationId: string, id: string): Promise<DeliveryRow> {
  const row = await db
    .selectFrom("webhookDeliveries")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw notFound("webhook delivery");
  return row;
}

export const describeDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: formatId("webhookDelivery", row.id),
  webhookEndpointId: formatId("webhookEndpoint", row.webhookEndpointId),
  eventId: formatId("event", row.eventId),
  eventType: row.eventType as EventType, // events have no others
  kind: row.kind,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
