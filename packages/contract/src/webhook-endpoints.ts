import { Type } from "typebox";
import type { Static } from "typebox";
import { deliverableEventTypes, eventTypePatterns } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import { Closed, Enum, Id, Integer, Nullable, OneTimeSecret, Timestamp, component } from "./schemas.ts";
import { WebhookDeliveryWithResponseSchema } from "./webhook-deliveries.ts";

export const disabledReasons = ["by_user", "receiver_gone", "failing"] as const;

const members = {
  id: Id("webhookEndpoint"),
  url: Type.String({
    description:
      "Its origin and last four characters: the path and query of the URL are a secret, which is stored encrypted and never returned.",
    examples: ["https://hooks.example.com/…/9f3k"],
  }),
  eventTypes: Type.Array(Type.String()),
  description: Nullable(Type.String()),
  enabled: Type.Boolean(),
  disabledReason: Nullable(Enum(disabledReasons)),
  failingSince: Nullable(Timestamp("Since when every delivery has failed.")),
  lastSuccessAt: Nullable(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};
export const WebhookEndpointSchema = component("WebhookEndpoint", Type.Object(members));
export type WebhookEndpoint = Static<typeof WebhookEndpointSchema>;

export const WebhookEndpointWithSecretSchema = component(
  "WebhookEndpointWithSecret",
  Type.Object({
    ...members,
    signingSecret: OneTimeSecret("`whsec_` and base64; shown only in this response."),
  }),
);
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecretSchema> & { signingSecret: string };

/** Strings, not an enum: an unknown type has an error of its own (422 `event_type_unknown`). */
const subscribedTypes = Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ["run.finished"] }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: `Event types (${deliverableEventTypes.join(", ")}) or patterns (${eventTypePatterns.join(", ")}).`,
});
/** Any value: the URL rules decide, with an error of their own (422 `webhook_url_not_allowed`). */
const url = Type.String({
  description:
    "Public HTTPS URL on the default port, without credentials or fragment. Responses show its origin and last four characters only.",
  examples: ["https://hooks.example.com/rowmill"],
});
const params = { webhookEndpointId: "webhookEndpoint" } as const;
const read = { by: "organization", scopes: ["webhooks:read"] } as const;
const write = { by: "organization", scopes: ["webhooks:write"] } as const;

/** `missed`: the endpoint subscribes to the event and has no delivery of it, because it was disabled or not there yet. */
export const replayStatuses = ["missed", "succeeded", "failed", "canceled"] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

export const WebhookReplaySchema = component(
  "WebhookReplay",
  Type.Object({
    dryRun: Type.Boolean(),
    deliveries: Integer({ description: "Deliveries made; in a dry run, that would be made." }),
  }),
);
export type WebhookReplay = Static<typeof WebhookReplaySchema>;

export const webhookEndpointOperations = {
  createWebhookEndpoint: operation({
    method: "POST",
    path: "/v1/webhook-endpoints",
    tag: "Webhooks",
    summary: "Create a webhook endpoint",
    access: write,
    idempotency: "required",
    body: Closed({
      url,
      eventTypes: subscribedTypes,
      description: Type.Optional(Type.String({ maxLength: 2000 })),
      enabled: Type.Optional(Type.Boolean()),
    }),
    response: { status: 201, schema: WebhookEndpointWithSecretSchema },
    secretMembers: ["/signingSecret"],
    location: "/v1/webhook-endpoints/{id}",
    errors: ["webhook_url_not_allowed", "event_type_unknown", "limit_reached"],
  }),
  listWebhookEndpoints: operation({
    method: "GET",
    path: "/v1/webhook-endpoints",
    tag: "Webhooks",
    summary: "List webhook endpoints",
    access: read,
    idempotency: "none",
    filters: {},
    response: { status: 200, schema: ListOf(WebhookEndpointSchema) },
    errors: [],
  }),
  getWebhookEndpoint: operation({
    method: "GET",
    path: "/v1/webhook-endpoints/{webhookEndpointId}",
    tag: "Webhooks",
    summary: "Read a webhook endpoint",
    access: read,
    idempotency: "none",
    params,
    response: { status: 200, schema: WebhookEndpointSchema },
    errors: ["not_found"],
  }),
  updateWebhookEndpoint: operation({
    method: "PATCH",
    path: "/v1/webhook-endpoints/{webhookEndpointId}",
    tag: "Webhooks",
    summary: "Change a webhook endpoint",
    access: write,
    idempotency: "none",
    params,
    body: Closed({
      url: Type.Optional(url),
      eventTypes: Type.Optional(subscribedTypes),
      description: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
      enabled: Type.Optional(Type.Boolean()),
    }),
    response: { status: 200, schema: WebhookEndpointSchema },
    errors: ["not_found", "webhook_url_not_allowed", "event_type_unknown"],
  }),
  deleteWebhookEndpoint: operation({
    method: "DELETE",
    path: "/v1/webhook-endpoints/{webhookEndpointId}",
    tag: "Webhooks",
    summary: "Delete a webhook endpoint",
    description: "Deliveries that wait are canceled; delivery records stay.",
    access: write,
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found"],
  }),
  testWebhookEndpoint: operation({
    method: "POST",
    path: "/v1/webhook-endpoints/{webhookEndpointId}/test",
    tag: "Webhooks",
    summary: "Send a manual test event to the endpoint",
    description:
      "Makes one attempt now and returns its delivery, with the response of the receiver. Works for disabled endpoints and never disables one.",
    access: write,
    idempotency: "honoured",
    params,
    body: Closed({
      eventType: Type.Optional(Type.String({ maxLength: 100, description: "The type to imitate (`test.ping`)." })),
    }),
    bodyOptional: true,
    response: { status: 200, schema: WebhookDeliveryWithResponseSchema },
    errors: ["not_found", "event_type_unknown"],
  }),
  rotateWebhookEndpointSecret: operation({
    method: "POST",
    path: "/v1/webhook-endpoints/{webhookEndpointId}/rotate-secret",
    tag: "Webhooks",
    summary: "Generate a new signing secret",
    description: "The new secret signs at once; for 24 hours the `webhook-signature` header also carries the old one.",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: WebhookEndpointWithSecretSchema },
    secretMembers: ["/signingSecret"],
    errors: ["not_found"],
  }),
  replayWebhookEndpoint: operation({
    method: "POST",
    path: "/v1/webhook-endpoints/{webhookEndpointId}/replay",
    tag: "Webhooks",
    summary: "Deliver the events of a period again",
    description:
      "Makes a new delivery for each event that was created in the period, that the endpoint subscribes to, and whose delivery to it is in one of `statuses`. Each has the same id and bytes as before and is retried like any other. Row events are not among the missed ones.",
    access: write,
    idempotency: "honoured",
    params,
    body: Closed({
      since: Timestamp("Events created at this time or later."),
      until: Type.Optional(Timestamp("Events created before this time; now, if absent.")),
      statuses: Type.Optional(
        Type.Array(Enum(replayStatuses), {
          minItems: 1,
          uniqueItems: true,
          description: `What became of the event's delivery: ${replayStatuses.join(", ")}. Default: all but succeeded.`,
        }),
      ),
      eventTypes: Type.Optional(subscribedTypes),
      dryRun: Type.Optional(Type.Boolean({ description: "Only count." })),
    }),
    response: { status: 200, schema: WebhookReplaySchema },
    errors: ["not_found", "event_type_unknown", "invalid_state", "limit_reached"],
  }),
};
