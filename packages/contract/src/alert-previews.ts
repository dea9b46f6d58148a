/** What an alert rule would have done with past events. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { AlertTriggerSchema, alertCooldownSeconds, alertFilter, alertedEventType } from "./alert-conditions.ts";
import { operation } from "./operation.ts";
import { AnyObject, Closed, Id, Integer, Nullable, SafeCount, Timestamp, component } from "./schemas.ts";

/** What a preview looks through: a week of events by default, and no more than a month. */
export const PREVIEW_DAYS = 7;
const MAX_PREVIEW_DAYS = 30;
/** A rule that matches more is no alert; and a filter takes up to a moment for each. */
export const MAX_PREVIEW_EVENTS = 2_000;

export const AlertPreviewSchema = component(
  "AlertPreview",
  Type.Object({
    since: Timestamp("Where the events begin that were evaluated: later than asked for when there are too many."),
    isCut: Type.Boolean({
      description: "Whether there were more events than are evaluated; the newest of them were.",
    }),
    events: SafeCount("Events of the type that were evaluated."),
    matches: SafeCount("Of these, events for which the filter is true."),
    alerts: SafeCount("Alerts that the rule would have sent."),
    suppressed: SafeCount("Alerts that its cooldown would have suppressed."),
    filterErrors: SafeCount("Events for which the filter could not be evaluated; they count as not true."),
    filterError: Nullable(Type.String({ description: "The first such error, in words." })),
    newest: Type.Array(
      Type.Object({
        eventId: Id("event", "The event that would have triggered the alert."),
        eventCount: Integer({ minimum: 1, description: "Events that it would have stood for." }),
        createdAt: Timestamp("When that event happened."),
        event: Type.Unsafe<Record<string, unknown>>({ ...AnyObject, description: "The event: its envelope." }),
      }),
      { description: "The newest alerts that would have been sent, ten at most." },
    ),
    sample: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        ...AnyObject,
        description: "The newest event of the type, whether it matches or not: what a filter can be written over.",
      }),
    ),
  }),
);
export type AlertPreview = Static<typeof AlertPreviewSchema>;

export const alertPreviewOperations = {
  previewAlertRule: operation({
    method: "POST",
    path: "/v1/alert-rule-previews",
    tag: "Alerts",
    summary: "Preview an alert rule against past events",
    description:
      "Evaluates a rule that need not exist against the events of the last days, as if it had been there: how many events would have " +
      "matched, and how many alerts would have been sent. Nothing is sent or kept. At most the newest " +
      `${MAX_PREVIEW_EVENTS} events of the type are evaluated.`,
    access: { by: "organization", scopes: ["alerts:read"] },
    idempotency: "honoured",
    body: Closed({
      eventType: alertedEventType,
      filter: Type.Optional(Nullable(alertFilter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(alertCooldownSeconds),
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_PREVIEW_DAYS,
          default: PREVIEW_DAYS,
          description: `Days before now (${PREVIEW_DAYS}). Events older than \`ROWMILL_WEBHOOK_RETENTION_DAYS\` are no longer kept.`,
        }),
      ),
    }),
    response: { status: 200, schema: AlertPreviewSchema },
    errors: ["event_type_unknown", "condition_invalid"],
  }),
};
