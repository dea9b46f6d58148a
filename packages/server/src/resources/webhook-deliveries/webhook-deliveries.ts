/** Webhook deliveries: one event on its way to one endpoint, with a record of every attempt and no secret material. */
import { deliverableEventTypes } from "@rowmill/contract/events";
import type { DeliverableEventType } from "@rowmill/contract/events";
import { webhookDeliveryStatuses } from "@rowmill/contract/webhook-deliveries";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { Selectable } from "kysely";
import type { WebhookDeliveriesTable } from "../../platform/database/event-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";
import type { Services } from "../../services.ts";
import { renderEnvelope } from "../events/events.ts";
import { resource } from "../resource.ts";

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/** What was sent, and what came back. */
const large = ["payload", "attempts"] as const;

const deliveries = resource("webhookDeliveries", { noun: "webhook delivery", large });

export const findDelivery = deliveries.find;

export const listWebhookDeliveries: OperationFunction<"listWebhookDeliveries"> = async (
  db,
  { organizationId },
  { filters: { webhookEndpointId, status, eventType }, page },
) => {
  const statuses = status ?? webhookDeliveryStatuses;
  const { rows, next } = await readNewest(
    db,
    {
      table: "webhookDeliveries",
      organizationId,
      large,
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
};

export const getWebhookDelivery: OperationFunction<"getWebhookDelivery"> = async (db, caller, { params }) =>
  describeDelivery(await findDelivery(db, caller, params.webhookDeliveryId));

export const getWebhookDeliveryContent: OperationFunction<
  "getWebhookDeliveryContent",
  Pick<Services, "publicUrl">
> = async (db, { organizationId }, { params }, { publicUrl }) => {
  const { eventId, payload, attempts } = await findDelivery(db, { organizationId }, params.webhookDeliveryId);
  const event =
    payload === null
      ? await db.selectFrom("events").select("payload").where(isRow({ organizationId }, eventId)).executeTakeFirst()
      : { payload };
  return {
    body: event === undefined ? null : renderEnvelope(event.payload, publicUrl()),
    attempts: attempts.map(({ number, request = null, response = null }) => ({ number, request, response })),
  };
};

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

export const webhookDeliveryOperations = { listWebhookDeliveries, getWebhookDelivery, getWebhookDeliveryContent };
