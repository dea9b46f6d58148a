import { Type } from "typebox";
import type { Static } from "typebox";
import { alertableEventTypes } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, idFilter } from "./pagination.ts";
import { Enum, Id, Integer, Nullable, Timestamp, component } from "./schemas.ts";
import { attemptOutcomes } from "./webhook-deliveries.ts";

export const alertDeliveryStatuses = ["pending", "succeeded", "failed", "suppressed"] as const;
export type AlertDeliveryStatus = (typeof alertDeliveryStatuses)[number];

export const AlertDeliverySchema = component(
  "AlertDelivery",
  Type.Object({
    id: Id("alertDelivery"),
    alertRuleId: Id("alertRule"),
    eventId: Id("event", "The event that triggered the rule; of a suppressed record, the first one."),
    eventType: Enum(alertableEventTypes),
    eventCount: Integer({
      minimum: 1,
      description:
        "Events this stands for: those that a `count` trigger counted together. One suppressed record counts all that its cooldown suppressed.",
    }),
    test: Type.Boolean({ description: "Asked for by hand; no event triggered it." }),
    status: Enum(alertDeliveryStatuses),
    attempts: Type.Array(
      Type.Object({
        number: Integer({ minimum: 1 }),
        startedAt: Timestamp(),
        durationMs: Integer(),
        outcome: Enum(attemptOutcomes, { description: "`response`, or why there was none." }),
        responseStatus: Nullable(Integer({ description: "Of HTTP, or the reply code of SMTP." })),
        message: Type.String({ description: "What happened, in words." }),
      }),
    ),
    nextAttemptAt: Nullable(Timestamp()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);
export type AlertDelivery = Static<typeof AlertDeliverySchema>;

const read = { by: "organization", scopes: ["alerts:read"] } as const;

export const alertDeliveryOperations = {
  listAlertDeliveries: operation({
    method: "GET",
    path: "/v1/alert-deliveries",
    tag: "Alerts",
    summary: "List alert deliveries",
    access: read,
    idempotency: "none",
    filters: {
      alertRuleId: idFilter("alertRule", "Deliveries of this rule."),
      status: enumFilter(alertDeliveryStatuses, "Deliveries in these states."),
    },
    response: { status: 200, schema: ListOf(AlertDeliverySchema) },
    errors: [],
  }),
  getAlertDelivery: operation({
    method: "GET",
    path: "/v1/alert-deliveries/{alertDeliveryId}",
    tag: "Alerts",
    summary: "Read an alert delivery",
    access: read,
    idempotency: "none",
    params: { alertDeliveryId: "alertDelivery" },
    response: { status: 200, schema: AlertDeliverySchema },
    errors: ["not_found"],
  }),
};
