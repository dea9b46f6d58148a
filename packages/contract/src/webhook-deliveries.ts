import { Type } from "typebox";
import type { Static } from "typebox";
import { deliverableEventTypes } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, idFilter } from "./pagination.ts";
import { Enum, Id, Integer, Nullable, Timestamp, component } from "./schemas.ts";

export const webhookDeliveryStatuses = ["pending", "succeeded", "failed", "canceled"] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

export const attemptOutcomes = [
  "response",
  "timeout",
  "dns",
  "connect",
  "tls",
  "blocked_address",
  "response_too_large",
  "protocol",
  "secret_lost",
] as const;

/** Why a delivery was made. Only `event` and `replay` are retried and count for the endpoint's health. */
export const webhookDeliveryKinds = ["event", "replay", "redelivery", "test"] as const;
export type WebhookDeliveryKind = (typeof webhookDeliveryKinds)[number];

const members = {
  id: Id("webhookDelivery"),
  webhookEndpointId: Id("webhookEndpoint"),
  eventId: Id("event"),
  eventType: Enum(deliverableEventTypes),
  kind: Enum(webhookDeliveryKinds, {
    description: "Why it was made: the event itself, a replay, a redelivery or a test.",
  }),
  status: Enum(webhookDeliveryStatuses),
  attempts: Type.Array(
    Type.Object({
      number: Integer({ minimum: 1 }),
      startedAt: Timestamp(),
      durationMs: Integer(),
      outcome: Enum(attemptOutcomes, { description: "`response`, or why there was none." }),
      responseStatus: Nullable(Integer()),
      message: Type.String({ description: "What happened, in words." }),
    }),
  ),
  nextAttemptAt: Nullable(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};
export const WebhookDeliverySchema = component("WebhookDelivery", Type.Object(members));
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>;

const headersOf = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    description,
    examples: [{ "content-type": "application/json" }],
  });

const receiverResponse = Type.Object({
  headers: headersOf("The first 30, each up to 300 characters; without cookies."),
  body: Type.String({ description: "Its beginning, up to 1024 bytes, as text." }),
  isCut: Type.Boolean({ description: "Whether the body is longer than what is shown." }),
});

export const WebhookDeliveryWithResponseSchema = component(
  "WebhookDeliveryWithResponse",
  Type.Object({
    ...members,
    response: Nullable(
      Type.Object(receiverResponse.properties, {
        description: "What the receiver responded; null where no response came: `attempts[0].message` has the reason.",
      }),
    ),
  }),
);
export type WebhookDeliveryWithResponse = Static<typeof WebhookDeliveryWithResponseSchema>;

export const WebhookDeliveryContentSchema = component(
  "WebhookDeliveryContent",
  Type.Object({
    body: Nullable(
      Type.String({
        description: "The body of the request, the same bytes in each attempt; null when the event is no longer kept.",
      }),
    ),
    attempts: Type.Array(
      Type.Object({
        number: Integer({ minimum: 1 }),
        request: Nullable(
          Type.Object({ headers: headersOf("As they were sent, with the signatures of that moment.") }),
        ),
        response: Nullable(receiverResponse),
      }),
      {
        description:
          "`request` and `response` are null where they were not recorded; `response`, too, where none came.",
      },
    ),
  }),
);
export type WebhookDeliveryContent = Static<typeof WebhookDeliveryContentSchema>;

const read = { by: "organization", scopes: ["webhooks:read"] } as const;

export const webhookDeliveryOperations = {
  listWebhookDeliveries: operation({
    method: "GET",
    path: "/v1/webhook-deliveries",
    tag: "Webhooks",
    summary: "List webhook deliveries",
    access: read,
    idempotency: "none",
    filters: {
      webhookEndpointId: idFilter("webhookEndpoint", "Deliveries to this endpoint."),
      status: enumFilter(webhookDeliveryStatuses, "Deliveries in these states."),
      eventType: enumFilter(deliverableEventTypes, "Deliveries of these event types."),
    },
    response: { status: 200, schema: ListOf(WebhookDeliverySchema) },
    errors: [],
  }),
  getWebhookDelivery: operation({
    method: "GET",
    path: "/v1/webhook-deliveries/{webhookDeliveryId}",
    tag: "Webhooks",
    summary: "Inspect one delivery record",
    access: read,
    idempotency: "none",
    params: { webhookDeliveryId: "webhookDelivery" },
    response: { status: 200, schema: WebhookDeliverySchema },
    errors: ["not_found"],
  }),
  getWebhookDeliveryContent: operation({
    method: "GET",
    path: "/v1/webhook-deliveries/{webhookDeliveryId}/content",
    tag: "Webhooks",
    summary: "Read what was sent and what came back",
    description:
      "The body of the delivery, and for each attempt the headers of the request, and the headers and the beginning of the response: " +
      "what is needed to find out why a receiver refuses a delivery.",
    access: read,
    idempotency: "none",
    params: { webhookDeliveryId: "webhookDelivery" },
    response: { status: 200, schema: WebhookDeliveryContentSchema },
    errors: ["not_found"],
  }),
  redeliverWebhook: operation({
    method: "POST",
    path: "/v1/webhook-deliveries/{webhookDeliveryId}/redeliver",
    tag: "Webhooks",
    summary: "Send a delivery's event once more",
    description:
      "Makes one attempt now, as a new delivery of the same event, and returns it with the response of the receiver. The attempt is not repeated and does not count for the endpoint's health.",
    access: { by: "organization", scopes: ["webhooks:write"] },
    idempotency: "honoured",
    params: { webhookDeliveryId: "webhookDelivery" },
    response: { status: 200, schema: WebhookDeliveryWithResponseSchema },
    errors: ["not_found", "invalid_state"],
  }),
};
