import type { Handlers } from "../../platform/http/handlers.ts";
import { getWebhookDelivery, listWebhookDeliveries } from "./webhook-deliveries.ts";

export const webhookDeliveryRoutes = () =>
  ({
    listWebhookDeliveries: (db, caller, { filters, page }) => listWebhookDeliveries(db, caller, filters, page),
    getWebhookDelivery: (db, caller, { params }) => getWebhookDelivery(db, caller, params.webhookDeliveryId),
  }) satisfies Partial<Handlers>;
