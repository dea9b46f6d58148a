/** `webhooks` of the OpenAPI document: what the service sends to endpoints, one entry for each type of event. */
import type { TSchema } from "typebox";
import { AlertSchema, eventSchemas } from "./event-payloads.ts";
import { eventTypes } from "./events.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

export const makeWebhooks = (plain: (schema: TSchema) => JsonObject): JsonObject => ({
  ...Object.fromEntries(
    eventSchemas.map(({ type, schema }) => [type, delivery(eventTypes[type].meaning, plain(schema))]),
  ),
  "alert.triggered": delivery("An alert rule fired whose destination is a webhook.", plain(AlertSchema)),
});

const delivery = (summary: string, schema: JsonObject): JsonObject => ({
  post: {
    summary,
    // The signature is the authentication.
    security: [],
    parameters: Object.keys(signatureHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Delivered." },
      default: { description: "The delivery failed and is retried; 410 disables the endpoint at once." },
    },
  },
});

/** `docs/webhooks.md` says how they are made. */
const signatureHeaders = {
  WebhookId: {
    name: "webhook-id",
    description: "The event's id: the same on every attempt, redelivery and replay.",
  },
  WebhookTimestamp: { name: "webhook-timestamp", description: "When this attempt was made, in seconds since 1970." },
  WebhookSignature: {
    name: "webhook-signature",
    description: "One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com).",
  },
  ServiceWebhookId: {
    name: "Service-Webhook-Id",
    description: "As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`.",
  },
  ServiceWebhookTimestamp: { name: "Service-Webhook-Timestamp", description: "As `webhook-timestamp`." },
  ServiceWebhookSignature: {
    name: "Service-Webhook-Signature",
    description: "`v1=` and a digest in hexadecimal, by the newest secret.",
  },
};

/** `components.parameters`: what every delivery has. */
export const webhookParameters: JsonObject = Object.fromEntries(
  Object.entries(signatureHeaders).map(([key, header]) => [
    key,
    { ...header, in: "header", required: true, schema: { type: "string" } },
  ]),
);
