/** The page of event types, each with what it carries. */
import { AlertSchema, eventPayloads } from "@rowmill/contract/event-payloads";
import { deliverableEventTypes, eventTypePatterns, eventTypeNames, eventTypes } from "@rowmill/contract/events";
import type { DeliverableEventType } from "@rowmill/contract/events";
import { components, exampleId, Id } from "@rowmill/contract/schemas";
import type { Run } from "@rowmill/contract/runs";
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import { sampleEvent } from "@rowmill/server/delivery/webhooks/test-events";
import { parseId } from "@rowmill/server/platform/ids";
import { makeEnvelope, withPublicUrl } from "@rowmill/server/resources/events/events";
import { valuesOf } from "./api-operation.ts";
import { block, cell, code, compactJson, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";
import { fieldsOf, plain, resolve, rowsOf } from "./schema-fields.ts";
import type { LinkTo, Schema } from "./schema-fields.ts";

const PUBLIC_URL = "https://rowmill.example.com";
const NOW = new Date("2026-11-20T09:30:00.000Z");
const uuidOf = (kind: "organization" | "webhookEndpoint" | "event"): string => parseId(kind, exampleId(kind)) ?? "";

export const eventsPage = (): Page => ({ path: "events.md", text: `${text()}\n` });

/** An event of the type as a webhook receives it, about things that do not exist. */
export function exampleEvent(type: DeliverableEventType): EventEnvelope {
  const event = sampleEvent(uuidOf("organization"), uuidOf("webhookEndpoint"), type, NOW);
  return withPublicUrl(makeEnvelope(event, uuidOf("event"), NOW, false), PUBLIC_URL);
}

/** What a webhook destination of an alert rule gets. */
export const exampleAlert = () => ({
  id: exampleId("alertDelivery"),
  type: "alert.triggered",
  apiVersion: "v1",
  createdAt: NOW.toISOString(),
  organizationId: exampleId("organization"),
  test: false,
  data: {
    object: "alert",
    alertRuleId: exampleId("alertRule"),
    alertRuleName: "Runs that fail",
    title: "A run failed.",
    eventType: "run.failed",
    eventCount: 1,
    since: NOW.toISOString(),
    url: `${PUBLIC_URL}/v1/runs/${exampleId("run")}`,
    event: exampleEvent("run.failed"),
  },
});

function text(): string {
  return paragraphs(
    "# Events",
    GENERATED,
    "An event reports that something happened. [Webhooks](../webhooks.md), the [event stream](api/event-stream.md) and [alert rules](api/alerts.md) carry the same events. They hold ids, states and counts, never the contents of rows: read those with an API key, at `data.url`.",
    "## The envelope",
    table(
      ["member", "type", "meaning"],
      [
        ["`id`", "id `evt_…`", "The same on every attempt and replay. Store it to recognize repeats."],
        ["`type`", "string", "One of the types below."],
        ["`apiVersion`", '`"v1"`', ""],
        ["`createdAt`", "time", "When it happened."],
        ["`organizationId`", "id `org_…`", ""],
        ["`test`", "boolean", "True for events of the test operations: their ids belong to nothing."],
        ["`data`", "object", "What happened, by type. `data.object` names the kind of thing."],
      ],
    ),
    block("json", compactJson(exampleEvent("run.finished"))),
    "New types and new members may come: ignore what you do not know. An endpoint subscribes to types or to patterns: " +
      `${eventTypePatterns.map(code).join(", ")}.`,
    "## Types",
    table(
      ["type", "about", "meaning"],
      eventTypeNames.map((type) => [
        `[${code(type)}](#${type.replace(".", "")})`,
        code(eventTypes[type].object),
        `${cell(eventTypes[type].meaning)}${isDeliverable(type) ? "" : " Only in streams; never stored or delivered."}`,
      ]),
    ),
    ...eventTypeNames.map((type) =>
      isDeliverable(type)
        ? section(type, eventTypes[type].meaning, plain(eventPayloads[type]), exampleEvent(type).data)
        : progressSection(),
    ),
    section(
      "alert.triggered",
      "An alert rule fired. Only the webhook destination of the rule receives it.",
      alertData(),
      exampleAlert().data,
    ),
  );
}

const isDeliverable = (type: string): type is DeliverableEventType =>
  (deliverableEventTypes as readonly string[]).includes(type);

const alertData = (): Schema => resolve(plain(AlertSchema)).properties?.["data"] ?? {};

/** Members of the run, without an envelope: `progressOf` in the service's streams. */
export const exampleProgress = {
  runId: exampleId("run"),
  state: "running",
  rows: { total: 120, pending: 113, running: 1, succeeded: 6, failed: 0, canceled: 0, skipped: 0 },
  progress: { percent: 5, rowsPerSecond: 1.5, etaSeconds: 76 },
} satisfies Pick<Run, "state" | "rows" | "progress"> & { runId: string };

function progressSection(): string {
  const ofRun = Object.entries(plain(components.get("Run") ?? {}).properties ?? {});
  const shown = ofRun.filter(([name]) => Object.hasOwn(exampleProgress, name));
  const schema = { properties: { runId: plain(Id("run")), ...Object.fromEntries(shown) } };
  const linkTo: LinkTo = () => undefined;
  return paragraphs(
    "## run.progress",
    `${eventTypes["run.progress"].meaning} Only the streams of [all events](api/event-stream.md) and of [one run](api/results.md#follow-the-events-of-a-run-as-they-happen) have it, about once a second. It has no id and no envelope: these members are the whole message.`,
    table(["member", "type", "meaning"], rowsOf(fieldsOf(schema, linkTo), false)),
    block("json", compactJson(exampleProgress)),
  );
}

function section(type: string, meaning: string, schema: Schema, example: unknown): string {
  const linkTo: LinkTo = (name) => (name === "FailureCode" ? "[failure code](failures.md)" : "event");
  const variants = schema.anyOf ?? [schema];
  return paragraphs(
    `## ${type}`,
    meaning,
    ...variants.map((variant) =>
      paragraphs(
        variants.length > 1 ? (variant.description ?? "A single row:") : undefined,
        table(["`data`", "type", "meaning"], rowsOf(fieldsOf(variant, linkTo), false)),
        valuesOf(variant, linkTo),
      ),
    ),
    block("json", compactJson(example)),
  );
}
