/**
 * Attempts that somebody asks for and waits for: the test of an endpoint and the redelivery of a delivery. Each is one attempt,
 * made outside any transaction, and recorded as a delivery of its own with the response. It is not repeated, does not count for
 * the endpoint's health and never disables it.
 */
import { deliverableEventTypes } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import type { WebhookDeliveryKind, WebhookDeliveryWithResponse } from "@rowmill/contract/webhook-deliveries";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { ConcurrencyGate } from "../../platform/http/concurrency-gate.ts";
import { ApiError, invalidState, notFound, serviceStopping } from "../../platform/http/errors.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import { newUuid } from "../../platform/ids.ts";
import { didYouMean } from "../../platform/nearest-name.ts";
import { recordAudit } from "../../resources/audit-events/audit-events.ts";
import { findEndpoint } from "../../resources/webhook-endpoints/webhook-endpoints.ts";
import { attemptDelivery, isSuccess } from "./webhook-attempt.ts";
import type { AttemptResult, AttemptParts, OutgoingDelivery } from "./webhook-attempt.ts";
import { makeTestPayload } from "./test-events.ts";
import { describeDelivery, findDelivery } from "../../resources/webhook-deliveries/webhook-deliveries.ts";
import { storableJson } from "../../platform/text.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Of one organization, in this process: each may keep a request open for 15 seconds, and a receiver must not be overloaded. */
const AT_ONCE_PER_ORGANIZATION = 8;

export interface ManualAttempts {
  test: PrepareFunction<"testWebhookEndpoint">;
  redeliver: PrepareFunction<"redeliverWebhook">;
}

export function createManualAttempts(parts: AttemptParts): ManualAttempts {
  const gate = new ConcurrencyGate({
    atOnce: AT_ONCE_PER_ORGANIZATION,
    refusal: (count) => `${count} tests and redeliveries are under way: wait for their responses.`,
    retryAfterSeconds: 2,
  });

  const attemptForCaller = (caller: OrganizationCaller, outgoing: OutgoingDelivery): Promise<AttemptResult> =>
    gate.run(caller.organizationId, async () => {
      const result = await attemptDelivery(parts, outgoing);
      if (result === undefined) throw serviceStopping("no further attempts begin");
      return result;
    });

  return {
    async test(db, caller, { params: { webhookEndpointId: endpointId }, body: { eventType = "test.ping" } }) {
      const type = deliverableEventTypes.find((known) => known === eventType);
      if (type === undefined)
        throw new ApiError(
          "event_type_unknown",
          `There is no event type ${JSON.stringify(eventType)} that is delivered.${didYouMean(eventType, deliverableEventTypes)} Types are ${deliverableEventTypes.join(", ")}.`,
          { param: "eventType" },
        );
      const { organizationId } = caller;
      const endpoint = await findEndpoint(db, caller, endpointId);
      const eventId = newUuid();
      const payload = makeTestPayload(organizationId, endpointId, type, eventId, sharedNow());
      const result = await attemptForCaller(caller, { endpoint, eventId, payload });
      return (tx) => insertAttempted(tx, caller, { kind: "test", endpointId, eventId, type, payload, result });
    },
    async redeliver(db, caller, { params }) {
      const { organizationId } = caller;
      const delivery = await findDelivery(db, caller, params.webhookDeliveryId);
      const { eventId, webhookEndpointId: endpointId } = delivery;
      const endpoint = await db
        .selectFrom("webhookEndpoints")
        .selectAll()
        .where(isRow(caller, endpointId))
        .executeTakeFirst();
      if (!endpoint) throw notFound("webhook endpoint");
      if (endpoint.deletedAt !== null) throw invalidState("The endpoint of this delivery was deleted.");
      if (!endpoint.enabled) throw invalidState("The endpoint of this delivery is disabled: enable it first.");
      const payload = delivery.payload ?? (await readPayload(db, organizationId, eventId));
      const result = await attemptForCaller(caller, { endpoint, eventId, payload });
      const type = delivery.eventType as EventType; // deliveries have no others
      return (tx) =>
        insertAttempted(tx, caller, {
          kind: "redelivery",
          endpointId,
          eventId,
          type,
          payload: delivery.payload,
          result,
        });
    },
  };
}

async function readPayload(db: Queryable, organizationId: string, eventId: string): Promise<string> {
  const event = await db
    .selectFrom("events")
    .select("payload")
    .where(isRow({ organizationId }, eventId))
    .executeTakeFirst();
  if (!event) throw invalidState("The event of this delivery is no longer kept.");
  return event.payload;
}

interface Attempted {
  kind: WebhookDeliveryKind;
  endpointId: string;
  eventId: string;
  type: EventType;
  /** Null: the event's own. */
  payload: string | null;
  result: AttemptResult;
}

async function insertAttempted(
  tx: Transaction,
  caller: OrganizationCaller,
  { kind, endpointId, eventId, type, payload, result }: Attempted,
): Promise<WebhookDeliveryWithResponse> {
  const { retryAfterSeconds: _, ...record } = result;
  const id = newUuid();
  const now = sharedNow();
  const row = await tx
    .insertInto("webhookDeliveries")
    .values({
      organizationId: caller.organizationId,
      id,
      webhookEndpointId: endpointId,
      eventId,
      eventType: type,
      payload,
      kind,
      status: isSuccess(result) ? "succeeded" : "failed",
      attempts: storableJson([{ number: 1, ...record }]),
      attemptsMade: 1,
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const changes = { eventType: type, outcome: result.outcome, responseStatus: result.responseStatus };
  if (kind === "test") await recordAudit(tx, caller, "webhook_endpoint.tested", endpointId, changes);
  else await recordAudit(tx, caller, "webhook_delivery.redelivered", id, changes);
  return { ...describeDelivery(row), response: row.attempts[0]?.response ?? null };
}
