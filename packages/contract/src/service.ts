/** What the service is, and how it fares. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { Enum, Integer, Nullable, SafeCount, component } from "./schemas.ts";

export const ServiceInfoSchema = component(
  "ServiceInfo",
  Type.Object({
    version: Type.String({ description: "Of the program.", examples: ["1.4.0"] }),
    publicUrl: Type.String({ description: "Where customers reach the service." }),
    webhookHeaderPrefix: Type.String({
      description: "The first word of the headers that sign webhooks, `ROWMILL_WEBHOOK_HEADER_PREFIX`.",
      examples: ["Service"],
    }),
    sendsMail: Type.Boolean({ description: "Whether invitations and alerts can be sent by e-mail." }),
    retention: Type.Object(
      {
        webhookDeliveryDays: Integer({ description: "Ended webhook deliveries, and events." }),
        alertDeliveryDays: Integer({ description: "Ended alert deliveries." }),
        exportHours: Integer({ description: "Files of exports." }),
        idempotencyKeyHours: Integer({ description: "Idempotency keys with their responses." }),
      },
      {
        description:
          "How long the service keeps what it deletes by itself. Datasets and runs stay until they are deleted.",
      },
    ),
    invitationExpiryHours: Integer(),
    sessionExpiryHours: Integer(),
  }),
);
export type ServiceInfo = Static<typeof ServiceInfoSchema>;

export const healthChecks = ["database", "store", "disk", "encryption_key", "egress"] as const;
export type HealthCheck = (typeof healthChecks)[number];

export const ServiceHealthSchema = component(
  "ServiceHealth",
  Type.Object({
    isHealthy: Type.Boolean({
      description:
        "Whether every check succeeded; `egress` does not count, since models and receivers of the own network need none.",
    }),
    checks: Type.Array(
      Type.Object({
        name: Enum(healthChecks),
        ok: Type.Boolean(),
        durationMs: Integer(),
        message: Type.String({ description: "What was found, in words." }),
      }),
    ),
    organizations: SafeCount("Organizations."),
    runs: Type.Array(Type.Object({ state: Type.String(), count: SafeCount("Runs.") }), {
      description: "Runs that have not ended, of all organizations, by state.",
    }),
    jobs: Type.Array(Type.Object({ queue: Type.String(), count: SafeCount("Jobs.") }), {
      description: "Jobs that wait or are being worked on, by queue.",
    }),
    pendingWebhookDeliveries: SafeCount("Webhook deliveries that wait; counted up to 100,000."),
    oldestEventSeconds: Nullable(
      SafeCount(
        "Age of the oldest event that no worker has passed on to webhooks and alerts; null when no event waits.",
      ),
    ),
  }),
);
export type ServiceHealth = Static<typeof ServiceHealthSchema>;

export const serviceOperations = {
  getServiceInfo: operation({
    method: "GET",
    path: "/v1/service",
    tag: "Reference",
    summary: "Read what the service is and keeps",
    description: "Its version, and those of its settings that its users need to know.",
    access: { by: "any" },
    idempotency: "none",
    response: { status: 200, schema: ServiceInfoSchema },
    errors: [],
  }),
  getServiceHealth: operation({
    method: "GET",
    path: "/v1/service/health",
    tag: "Reference",
    summary: "Read how the service fares",
    description:
      "Of the process that responds: whether it reaches the database and the store, has room and the encryption key, and can call other machines. Of all processes: what waits. " +
      "Probes use `/readyz`, which needs no key.",
    access: { by: "admin" },
    idempotency: "none",
    response: { status: 200, schema: ServiceHealthSchema },
    errors: [],
  }),
};
