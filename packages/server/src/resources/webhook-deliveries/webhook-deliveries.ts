/** Webhook deliveries: one event on its way to one endpoint, with a record of every attempt and no secret material. */
import { deliverableEventTypes } from "@rowmill/contract/events";
import type { DeliverableEventType } from "@rowmill/contract/events";
import type { Operations } from "@rowmill/contract";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import { webhookDeliveryStatuses } from "@rowmill/contract/webhook-deliveries";
import type { WebhookDelivery, WebhookDeliveryContent } from "@rowmill/contract/webhook-deliveries";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { WebhookDeliveriesTable } from "../../platform/database/event-tables.ts";
import { notFound } from "../../platform/http/errors.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";
import { renderEnvelope } from "../events/events.ts";

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

export async function listWebhookDeliveries(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { webhookEndpointId, status, eventType }: Input<Operations["listWebhookDeliveries"]>["filters"],
  page: Page,
): Promise<PageOf<WebhookDelivery>> {
  const statuses = status ?? webhookDeliveryStatuses;
  const { rows, next } = await readNewest(
    db,
    {
      table: "webhookDeliveries",
      organizationId,
      is: { webhookEndpointId },
      in:
        webhookEndpointId !== undefined || eventType !== undefined
          ? { eventType: eventType ?? deliverableEventTypes, status: statuses }
          : status !== undefined
            ? { status: statuses }
            : {},
    },
    page,
  );
  return { data: rows.map(describeDelivery), next };
}

export async function getWebhookDelivery(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
): Promise<WebhookDelivery> {
  return describeDelivery(await findDelivery(db, caller.organizationId, id));
}

export async function getWebhookDeliveryContent(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  id: string,
  publicUrl: string,
): Promise<WebhookDeliveryContent> {
  const { eventId, payload, attempts } = await findDelivery(db, organizationId, id);
  const event =
    payload === null
      ? await db
          .selectFrom("events")
          .select("payload")
          .where("organizationId", "=", organizationId)
          .where("id", "=", eventId)
          .executeTakeFirst()
      : { payload };
  return {
    body: event === undefined ? null : renderEnvelope(event.payload, publicUrl),
    attempts: attempts.map(({ number, request = null, response = null }) => ({ number, request, response })),
  };
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
  eventType: row.eventType as DeliverableEventType, // events have no others
  kind: row.kind,
  status: row.status,
  attempts: row.attempts.map(({ request: _request, response: _response, ...attempt }) => attempt),
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
