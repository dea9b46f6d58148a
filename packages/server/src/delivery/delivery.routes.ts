/** The operations that deliver at once, or queue deliveries, and the stream of events. */
import type { Handlers, PlainHandlers } from "../platform/http/handlers.ts";
import type { Services } from "../services.ts";
import { previewRule } from "./alerts/preview-rule.ts";
import { createTestAlert } from "./alerts/test-alert.ts";
import type { EventFeeds } from "./streams/event-feed.ts";
import { streamEvents } from "./streams/event-stream.ts";
import { createManualAttempts } from "./webhooks/manual-attempts.ts";
import { replayEndpoint } from "./webhooks/replay.ts";

export const deliveryRoutes = ({ egress, sealer, mailer, conditions, config, log, publicUrl }: Services) => {
  const tools = { egress, sealer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX, publicUrl };
  const manual = createManualAttempts(tools);
  const testAlert = createTestAlert({ ...tools, mailer, log });
  return {
    redeliverWebhook: {
      prepare: (db, caller, { params }) => manual.redeliver(db, caller, params.webhookDeliveryId),
    },
    testWebhookEndpoint: {
      prepare: (db, caller, { params, body }) => manual.test(db, caller, params.webhookEndpointId, body.eventType),
    },
    replayWebhookEndpoint: (tx, caller, { params, body }) => replayEndpoint(tx, caller, params.webhookEndpointId, body),
    previewAlertRule: {
      prepare: async (db, caller, { body }) => {
        const preview = await previewRule(db, caller, body, { conditions, publicUrl });
        return () => Promise.resolve(preview);
      },
    },
    testAlertRule: { prepare: (db, caller, { params }) => testAlert(db, caller, params.alertRuleId) },
  } satisfies Partial<Handlers>;
};

export const deliveryPlainRoutes = (closing: AbortSignal, feeds: EventFeeds) =>
  ({
    streamEvents: ({ db }, request, reply, caller, _params, query) =>
      streamEvents(db, feeds, request, reply, caller, query, closing),
  }) satisfies Partial<PlainHandlers>;
