/**
 * An alert: what a rule has seen. Webhook destinations get it as it is, the others as a text for people. It is shaped as an event's
 * envelope, so that what verifies and reads webhooks reads alerts, too; as there, the stored `url` is a path.
 */
import type { Alert, EventEnvelope } from "@rowmill/contract/event-payloads";
import { eventTypes } from "@rowmill/contract/events";
import type { AlertableEventType } from "@rowmill/contract/events";
import { formatId } from "../../platform/ids.ts";
import { withPublicUrl } from "../../resources/events/events.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export interface NewAlert {
  deliveryId: string;
  rule: { organizationId: string; id: string; name: string };
  /** The envelope as it was stored. */
  envelope: EventEnvelope;
  eventCount: number;
  since: Date;
  isTest: boolean;
}

export function makeAlert({ deliveryId, rule, envelope, eventCount, since, isTest }: NewAlert): Alert {
  // Rules are on these types only.
  const eventType = envelope.type as AlertableEventType;
  return {
    id: formatId("alertDelivery", deliveryId),
    type: "alert.triggered",
    apiVersion: "v1",
    createdAt: sharedNow().toISOString(),
    organizationId: formatId("organization", rule.organizationId),
    test: isTest,
    data: {
      object: "alert",
      alertRuleId: formatId("alertRule", rule.id),
      alertRuleName: rule.name,
      title: titleOf(eventType),
      eventType,
      eventCount,
      since: since.toISOString(),
      url: envelope.data.url,
      event: envelope,
    },
  };
}

/** `run.partially_succeeded` is "Run partially succeeded". */
function titleOf(type: AlertableEventType): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A stored alert as its destination gets it. */
export function renderAlert(stored: string, publicUrl: string): Alert {
  const alert = withPublicUrl(JSON.parse(stored) as Alert, publicUrl); // written from `makeAlert`
  const event = withPublicUrl<{ data: { url: string } }>(alert.data.event, publicUrl) as EventEnvelope; // as it was, but for `url`
  return { ...alert, data: { ...alert.data, event } };
}

/** What is said of an alert, one fact a line: what, where, since when. The link comes apart, since each medium writes it its own way. */
export function describeAlert(alert: Alert): string[] {
  const { data } = alert;
  const { object: _object, url: _url, ...members } = data.event.data;
  const lines = [eventTypes[data.eventType].meaning.replaceAll("`", "")];
  if (data.eventCount > 1) lines.push(`${data.eventCount} events, the last of which:`);
  for (const [name, value] of Object.entries(members)) if (value !== null) lines.push(`${wordsOf(name)}: ${value}`);
  lines.push(`Since: ${data.since.replace("T", " ").replace(/\.\d+Z$/, " UTC")}`);
  lines.push(`Rule: ${data.alertRuleName}`);
  if (alert.test) lines.push("This is a test. Nothing has happened.");
  return lines;
}

export const headlineOf = ({ test, data }: Alert): string =>
  `${test ? "Test: " : ""}${data.title}${data.eventCount > 1 ? ` (${data.eventCount} times)` : ""}`;

/** `stateReason` is "State reason", `id` "Id". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** For an incoming webhook of Slack. `text` alone: those who imitate Slack know nothing else. */
export function toSlackMessage(alert: Alert): { text: string } {
  const lines = describeAlert(alert).map(escapeForSlack);
  const link = `<${alert.data.url}|Open>`;
  return {
    text: [`*${escapeForSlack(`${headlineOf(alert)} – ${alert.data.alertRuleName}`)}*`, ...lines, link].join("\n"),
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text: three characters have a meaning. */
const escapeForSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function toMail(alert: Alert): { subject: string; text: string } {
  return {
    subject: `[Rowmill] ${headlineOf(alert)}: ${alert.data.alertRuleName}`,
    text: `${[headlineOf(alert), "", ...describeAlert(alert), "", alert.data.url].join("\n")}\n`,
  };
}
