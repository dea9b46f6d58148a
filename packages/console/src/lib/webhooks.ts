/** Endpoints, event types and deliveries as the console shows them. */
import { serviceNow } from "./clock.ts";
import { queryOptions } from "@tanstack/react-query";
import type { WebhookDelivery, WebhookEndpoint } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { ago, duration } from "./format.ts";

export const endpointQuery = (id: string) =>
  queryOptions({ queryKey: ["webhook-endpoints", id], queryFn: () => rowmill.webhookEndpoints.get(id) });

export const eventTypesQuery = queryOptions({
  queryKey: ["event-types"],
  queryFn: () => rowmill.eventTypes(),
  staleTime: Infinity,
});

export const stateOf = ({ enabled, failingSince }: Pick<WebhookEndpoint, "enabled" | "failingSince">): string =>
  !enabled ? "disabled" : failingSince === null ? "enabled" : "failing";

const REASONS: Record<NonNullable<WebhookEndpoint["disabledReason"]>, string> = {
  by_user: "Somebody disabled it.",
  receiver_gone: "The receiver responded 410: it wants no more events.",
  failing: "Every delivery failed for five days.",
};

/** Why nothing is delivered to an endpoint, as a sentence; undefined where all is well. */
export const troubleOf = ({ disabledReason }: WebhookEndpoint): string | undefined =>
  disabledReason === null ? undefined : REASONS[disabledReason];

const KINDS: Record<WebhookDelivery["kind"], string> = {
  event: "Event",
  replay: "Replay",
  redelivery: "Sent again",
  test: "Test",
};
export const kindOf = ({ kind }: WebhookDelivery): string => KINDS[kind];

/** What became of the last attempt, in words. */
export function lastMessage({ attempts, nextAttemptAt }: WebhookDelivery): string {
  const last = attempts.at(-1)?.message;
  if (last === undefined) return nextAttemptAt === null ? "No attempt was made." : "The first attempt is due.";
  return nextAttemptAt === null ? last : `${last} Next attempt ${ago(nextAttemptAt)}.`;
}

export const durationSince = (at: string): string => duration(Math.max(0, (serviceNow() - Date.parse(at)) / 1000));
