import type { Services } from "../../services.ts";
import type { Handlers } from "../../platform/http/handlers.ts";
import { getWebhookDelivery, getWebhookDeliveryContent, listWebhookDeliveries } from "./webhook-deliveries.ts";

export const webhookDeliveryRoutes = ({ publicUrl }: Pick<Services, "publicUrl">) =>
  ({
    listWebhookDeliveries: (db, caller, { filters, page }) => listWebhookDeliveries(db, caller, filters, page),
    getWebhookDelivery: (db, caller, { params }) => getWebhookDelivery(db, caller, params.webhookDeliveryId),
    getWebhookDeliveryContent: (db, caller, { params }) =>
      getWebhookDeliveryContent(db, caller, params.webhookDeliveryId, publicUrl()),
  }) satisfies Partial<Handlers>;
