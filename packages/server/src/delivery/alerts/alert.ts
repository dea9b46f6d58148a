/** An alert: what a rule has seen. Webhook destinations get it as it is, the others as a text for people. */
import { eventTypes } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import { formatId } from "../../platform/ids.ts";
import type { Envelope } from "../../resources/events/events.ts";

/** Shaped as an event's envelope, so that what verifies and reads webhooks reads alerts, too. */
export interface Alert {
  /** The delivery's, the same on every attempt. */
  id: string;
  type: "alert.triggered";
  apiVersion: "v1";
  createdAt: string;
  organizationId: string;
  test: boolean;
  data: {
    object: "alert";
    alertRuleId: string;
    alertRuleName: string;
    /** What happened, in a few words. */
    title: string;
    eventType: EventType;
    eventCount: number;
    /** The first of the events. */
    since: string;
    /** Where to read more. */
    url: string;
    /** The event that made the rule fire; of several the last. */
    event: Envelope;
  };
}

export interface NewAlert {
  deliveryId: string;
  rule: { organizationId: string; id: string; name: string };
  /** The envelope as it was stored. */
  envelope: Envelope;
  eventCount: number;
  since: Date;
  isTest: boolean;
}

export function makeAlert(
  publicUrl: string,
  { deliveryId, rule, envelope, eventCount, since, isTest }: NewAlert,
): Alert {
  return {
    id: formatId("alertDelivery", deliveryId),
    type: "alert.triggered",
    apiVersion: "v1",
    createdAt: new Date().toISOString(),
    organizationId: formatId("organization", rule.organizationId),
    test: isTest,
    data: {
      object: "alert",
      alertRuleId: formatId("alertRule", rule.id),
      alertRuleName: rule.name,
      title: titleOf(envelope.type),
      eventType: envelope.type,
      eventCount,
      since: since.toISOString(),
      url: absoluteUrl(publicUrl, envelope.data.url),
      event: envelope,
    },
  };
}

/** `run.partially_succeeded` is "Run partially succeeded". */
function titleOf(type: EventType): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const absoluteUrl = (publicUrl: string, url: string): string => (url.startsWith("/") ? publicUrl + url : url);

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
