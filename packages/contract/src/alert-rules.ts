import { Type } from "typebox";
import type { Static } from "typebox";
import { AlertTriggerSchema, alertCooldownSeconds, alertFilter, alertedEventType } from "./alert-conditions.ts";
import { AlertDeliverySchema } from "./alert-deliveries.ts";
import { AlertDestinationSchema } from "./alert-destinations.ts";
import { alertPreviewOperations } from "./alert-previews.ts";
import { alertableEventTypes } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf, booleanFilter, enumFilter } from "./pagination.ts";
import { Closed, Enum, Id, Integer, Name, Nullable, NullableOneTimeSecret, Timestamp, component } from "./schemas.ts";

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
      eventType: alertedEventType,
      destination: AlertDestinationSchema,
      enabled: Type.Optional(Type.Boolean()),
      filter: Type.Optional(Nullable(alertFilter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(alertCooldownSeconds),
    }),
    response: { status: 201, schema: AlertRuleWithSecretSchema },
    secretMembers: ["/signingSecret"],
    location: "/v1/alert-rules/{id}",
    errors: ["event_type_unknown", "condition_invalid", "webhook_url_not_allowed", "limit_reached"],
  }),
  ...alertPreviewOperations,
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
      eventType: Type.Optional(alertedEventType),
      destination: Type.Optional(AlertDestinationSchema),
      enabled: Type.Optional(Type.Boolean()),
      filter: Type.Optional(Nullable(alertFilter)),
      trigger: Type.Optional(AlertTriggerSchema),
      cooldownSeconds: Type.Optional(alertCooldownSeconds),
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
