/** The operations that deliver at once, or queue deliveries. */
import { giveParts } from "../platform/http/handlers.ts";
import type { Services } from "../services.ts";
import { previewAlertRule } from "./alerts/preview-rule.ts";
import { createTestAlert } from "./alerts/test-alert.ts";
import { createManualAttempts } from "./webhooks/manual-attempts.ts";
import { replayWebhookEndpoint } from "./webhooks/replay.ts";

/** What is counted across requests is made once for a process. */
export const createDeliveryHandlers = ({ egress, sealer, mailer, conditions, config, log, publicUrl }: Services) => {
  const parts = { egress, sealer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX, publicUrl };
  const manual = createManualAttempts(parts);
  return giveParts(
    { conditions, publicUrl },
    {
      redeliverWebhook: { prepare: manual.redeliver },
      testWebhookEndpoint: { prepare: manual.test },
      replayWebhookEndpoint,
      previewAlertRule: { prepare: previewAlertRule },
      testAlertRule: { prepare: createTestAlert({ ...parts, mailer, log }) },
    },
  );
};
