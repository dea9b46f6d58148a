import type { Handlers } from "../../platform/http/handlers.ts";
import type { Services } from "../../services.ts";
import { createManualAttempts } from "../../delivery/webhooks/manual-attempts.ts";
import { replayEndpoint } from "../../delivery/webhooks/replay.ts";
import { getWebhookDelivery, listWebhookDeliveries } from "./webhook-deliveries.ts";

export const webhookDeliveryRoutes = ({ egress, sealer, config, publicUrl }: Services) => {
  const tools = { egress, sealer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX };
  const manual = createManualAttempts(tools, publicUrl);
  return {
    listWebhookDeliveries: (db, caller, { filters, page }) => listWebhookDeliveries(db, caller, filters, page),
    getWebhookDelivery: (db, caller, { params }) => getWebhookDelivery(db, caller, params.webhookDeliveryId),
    redeliverWebhook: {
      prepare: (db, caller, { params }) => manual.redeliver(db, caller, params.webhookDeliveryId),
    },
    testWebhookEndpoint: {
      prepare: (db, caller, { params, body }) => manual.test(db, caller, params.webhookEndpointId, body.eventType),
    },
    replayWebhookEndpoint: (tx, caller, { params, body }) => replayEndpoint(tx, caller, params.webhookEndpointId, body),
  } satisfies Partial<Handlers>;
};
