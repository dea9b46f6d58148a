import { Type } from "typebox";
import type { Static } from "typebox";
import { AlertDeliverySchema } from "./alert-deliveries.ts";
import { alertableEventTypes } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf, booleanFilter, enumFilter } from "./pagination.ts";
import {
  AnyObject,
  Closed,
  Enum,
  Id,
  Integer,
  Name,
  Nullable,
  NullableOneTimeSecret,
  OneOf,
  SafeCount,
  Timestamp,
  component,
} from "./schemas.ts";

/** More people than this are a mailing list, which has one address. */
const MAX_RECIPIENTS = 20;

/** The parts of an address that every mail server takes: no quotes, comments or line breaks. */
const EMAIL_ADDRESS =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$";

/** Any value: the URL rules decide, with an error of their own (422 `webhook_url_not_allowed`). */
const url = Type.String({
  description:
    "Public HTTPS URL on the default port, without credentials or fragment. It is stored encrypted; responses show its origin and last four characters (`https://hooks.example.com/…/9f3k`), which cannot be sent back.",
  examples: ["https://hooks.example.com/alerts"],
});

export const AlertDestinationSchema = component(
  "AlertDestination",
  OneOf("type", [
    Closed({ type: Type.Literal("webhook"), url }, { description: "A signed POST, as webhook deliveries are." }),
    Closed(
      { type: Type.Literal("slack"), url },
      { description: "An incoming webhook of Slack, or one that takes the same." },
    ),
    Closed(
      {
        type: Type.Literal("email"),
        to: Type.Array(Type.String({ pattern: EMAIL_ADDRESS, maxLength: 254, examples: ["on-call@example.com"] }), {
          minItems: 1,
          maxItems: MAX_RECIPIENTS,
          uniqueItems: true,
        }),
      },
      {
        description:
          "Mail; the service needs an SMTP server for it. An alert that the server takes for one recipient at least has succeeded; its attempt names the others.",
      },
    ),
  ]),
);
export type AlertDestination = Static<typeof AlertDestinationSchema>;

export const AlertTriggerSchema = component(
  "AlertTrigger",
  OneOf("type", [
    Closed({ type: Type.Literal("each") }, { description: "Every event that passes the filter." }),
    Closed(
      {
        type: Type.Literal("count"),
        count: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "So many events …" }),
        windowSeconds: Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: "… within this many seconds. Then counting starts again.",
        }),
      },
      { description: "A digest of row events counts as the rows it stands for." },
    ),
  ]),
);
export type AlertTrigger = Static<typeof AlertTriggerSchema>;

const members = {
  id: Id("alertRule"),
  name: Type.String(),
  enabled: Type.Boolean(),
  eventType: Enum(alertableEventTypes),
  filter: Nullable(Type.String()),
  filterError: Nullable(
    Type.Object({
      message: Type.String(),
      eventId: Id("event"),
      at: Timestamp("When it was evaluated."),
    }),
  ),
  trigger: AlertTriggerSchema,
  cooldownSeconds: Integer(),
  destination: AlertDestinationSchema,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};
export const AlertRuleSchema = component("AlertRule", Type.Object(members));
export type AlertRule = Static<typeof AlertRuleSchema>;

export const AlertRuleWithSecretSchema = component(
  "AlertRuleWithSecret",
  Type.Object({
    ...members,
    signingSecret: NullableOneTimeSecret(
      "Of a webhook destination, when it was just made: shown only in this response. Otherwise null.",
    ),
  }),
);
export type AlertRuleWithSecret = Static<typeof AlertRuleWithSecretSchema> & { signingSecret: string | null };

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

/** A string, not an enum: an unknown type has an error of its own (422 `event_type_unknown`). */
const eventType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: `One of: ${alertableEventTypes.join(", ")}.`,
  examples: ["run.failed"],
});
/** Any length: the expression's rules decide, with an error of their own (422 `condition_invalid`). */
const filter = Type.String({
  description:
    "A CEL expression over `event`, the envelope: only events for which it is true count. Numbers are doubles; one that cannot be evaluated is not true, and `filterError` says why.",
  examples: ["event.data.state == 'failed'"],
});
const cooldownSeconds = Type.Integer({
  minimum: 0,
  maximum: 7 * 86_400,
  description: "After an alert, further ones are suppressed for this many seconds (300).",
});
const params = { alertRuleId: "alertRule" } as const;
const read = { by: "organization", scopes: ["alerts:read"] } as const;
const write = { by: "organization", scopes: ["alerts:write"] } as const;

export const alertRuleOperations = {
  createAlertRule: operation({
    method: "POST",
    path: "/v1/alert-rules",
    tag: "Alerts",
    summary: "Create an alert rule",
    access: write,
    idempotency: "required",
    body: Closed({
      name: Name("What alerts are headed with.", "Runs that fail"),
      eventType,
      destination: AlertDestinationSchema,
      enabled: Type.Optional(Type.Boolean()),
      filter: Type.Optional(Nullable(filter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(cooldownSeconds),
    }),
    response: { status: 201, schema: AlertRuleWithSecretSchema },
    secretMembers: ["/signingSecret"],
    location: "/v1/alert-rules/{id}",
    errors: ["event_type_unknown", "condition_invalid", "webhook_url_not_allowed", "limit_reached"],
  }),
  previewAlertRule: operation({
    method: "POST",
    path: "/v1/alert-rule-previews",
    tag: "Alerts",
    summary: "Preview an alert rule against past events",
    description:
      "Evaluates a rule that need not exist against the events of the last days, as if it had been there: how many events would have " +
      "matched, and how many alerts would have been sent. Nothing is sent or kept. At most the newest " +
      `${MAX_PREVIEW_EVENTS} events of the type are evaluated.`,
    access: read,
    idempotency: "honoured",
    body: Closed({
      eventType,
      filter: Type.Optional(Nullable(filter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(cooldownSeconds),
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
  listAlertRules: operation({
    method: "GET",
    path: "/v1/alert-rules",
    tag: "Alerts",
    summary: "List alert rules",
    access: read,
    idempotency: "none",
    filters: {
      enabled: booleanFilter("Rules that are enabled, or not."),
      eventType: enumFilter(alertableEventTypes, "Rules on these event types."),
    },
    response: { status: 200, schema: ListOf(AlertRuleSchema) },
    errors: [],
  }),
  getAlertRule: operation({
    method: "GET",
    path: "/v1/alert-rules/{alertRuleId}",
    tag: "Alerts",
    summary: "Read an alert rule",
    access: read,
    idempotency: "none",
    params,
    response: { status: 200, schema: AlertRuleSchema },
    errors: ["not_found"],
  }),
  updateAlertRule: operation({
    method: "PATCH",
    path: "/v1/alert-rules/{alertRuleId}",
    tag: "Alerts",
    summary: "Change an alert rule",
    description:
      "A change of the event type, the filter or the trigger restarts counting. A destination that becomes a webhook gets a signing secret, which this response shows; changing its URL keeps the secret.",
    access: write,
    idempotency: "none",
    params,
    body: Closed({
      name: Type.Optional(Name("What alerts are headed with.", "Runs that fail")),
      eventType: Type.Optional(eventType),
      destination: Type.Optional(AlertDestinationSchema),
      enabled: Type.Optional(Type.Boolean()),
      filter: Type.Optional(Nullable(filter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(cooldownSeconds),
    }),
    response: { status: 200, schema: AlertRuleWithSecretSchema },
    secretMembers: ["/signingSecret"],
    errors: ["not_found", "event_type_unknown", "condition_invalid", "webhook_url_not_allowed"],
  }),
  rotateAlertRuleSecret: operation({
    method: "POST",
    path: "/v1/alert-rules/{alertRuleId}/rotate-secret",
    tag: "Alerts",
    summary: "Generate a new signing secret",
    description:
      "Of a rule whose destination is a webhook; otherwise 409 `invalid_state`. The new secret signs at once; for 24 hours the `webhook-signature` header also carries the old one.",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: AlertRuleWithSecretSchema },
    secretMembers: ["/signingSecret"],
    errors: ["not_found", "invalid_state"],
  }),
  deleteAlertRule: operation({
    method: "DELETE",
    path: "/v1/alert-rules/{alertRuleId}",
    tag: "Alerts",
    summary: "Delete an alert rule",
    description: "Waiting alerts are abandoned; delivery records stay.",
    access: write,
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found"],
  }),
  testAlertRule: operation({
    method: "POST",
    path: "/v1/alert-rules/{alertRuleId}/test",
    tag: "Alerts",
    summary: "Send a test alert to the rule's destination",
    description:
      "Makes one attempt now and returns its delivery. Filter and trigger are ignored, and no cooldown starts; works for disabled rules, too.",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: AlertDeliverySchema },
    errors: ["not_found"],
  }),
};
