/** The operations that deliver at once, or queue deliveries. */
import type { Handlers } from "../platform/http/handlers.ts";
import type { Services } from "../services.ts";
import { createTestAlert } from "./alerts/test-alert.ts";
import { createManualAttempts } from "./webhooks/manual-attempts.ts";
import { replayEndpoint } from "./webhooks/replay.ts";

export const deliveryRoutes = ({ egress, sealer, mailer, config, log, publicUrl }: Services) => {
  const tools = { egress, sealer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX };
  const manual = createManualAttempts(tools, publicUrl);
  const testAlert = createTestAlert({ ...tools, mailer, log }, publicUrl);
  return {
    redeliverWebhook: {
      prepare: (db, caller, { params }) => manual.redeliver(db, caller, params.webhookDeliveryId),
    },
    testWebhookEndpoint: {
      prepare: (db, caller, { params, body }) => manual.test(db, caller, params.webhookEndpointId, body.eventType),
    },
    replayWebhookEndpoint: (tx, caller, { params, body }) => replayEndpoint(tx, caller, params.webhookEndpointId, body),
    testAlertRule: { prepare: (db, caller, { params }) => testAlert(db, caller, params.alertRuleId) },
  } satisfies Partial<Handlers>;
};
