/** Deliveries as the service makes them, and as an attacker would. */
import { randomUUID } from "node:crypto";
import { formatId } from "@rowmill/server/platform/ids";
import { newSigningSecret, signedHeaders } from "@rowmill/server/resources/webhook-endpoints/signing";
import { renderEnvelope } from "@rowmill/server/resources/events/events";
import { makeTestPayload } from "@rowmill/server/delivery/webhooks/test-events";

export interface SignedDelivery {
  /** The id and the type of its event. */
  event: string;
  headers: Record<string, string>;
  body: string;
}

/** More than the tolerance of every receiver. */
const OLD_MS = 600_000;

export function signDelivery(secrets: readonly [string, ...string[]], sinceMs = 0): SignedDelivery {
  const eventUuid = randomUUID();
  const now = new Date(Date.now() - sinceMs);
  const body = renderEnvelope(
    makeTestPayload(randomUUID(), randomUUID(), "run.failed", eventUuid, now),
    "https://rowmill.example.com",
  );
  const eventId = formatId("event", eventUuid);
  const signed = { prefix: "Service", secrets, eventId, body: Buffer.from(body), nowMs: now.getTime() };
  // As they arrive.
  const headers = Object.entries(signedHeaders(signed)).map(([name, value]) => [name.toLowerCase(), value]);
  return { event: `${eventId} run.failed`, headers: Object.fromEntries(headers) as Record<string, string>, body };
}

/** What is genuine for the owner of `secret`. */
export const genuineDeliveries = (secret: string): SignedDelivery[] => [
  signDelivery([secret]),
  // The endpoint's secret was rotated, and the receiver still has the one before.
  signDelivery([newSigningSecret(), secret]),
];

export function forgedDeliveries(secret: string): [name: string, forged: SignedDelivery][] {
  const genuine = signDelivery([secret]);
  const unsigned = { "content-type": "application/json" };
  const entries = Object.entries(genuine.headers);
  const emptied = entries.map(([name, value]) => [name, name.endsWith("-signature") ? "v1=" : value]);
  return [
    ["signed with another secret", signDelivery([newSigningSecret()])],
    ["with another body", { ...genuine, body: genuine.body.replace("run.failed", "run.passed") }],
    ["signed ten minutes ago", signDelivery([secret], OLD_MS)],
    ["with empty signatures", { ...genuine, headers: Object.fromEntries(emptied) as Record<string, string> }],
    ["without signatures", { ...genuine, headers: unsigned }],
  ];
}
