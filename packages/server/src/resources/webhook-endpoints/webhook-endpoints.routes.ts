import type { Handlers, ReplayChecks } from "../../platform/http/handlers.ts";
import type { Services } from "../../services.ts";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  isEndpointInUse,
  listWebhookEndpoints,
  rotateSigningSecret,
  updateWebhookEndpoint,
} from "./webhook-endpoints.ts";

export const webhookEndpointRoutes = ({ limits, sealer, receiverOrigins }: Services) =>
  ({
    createWebhookEndpoint: (tx, caller, { body }) =>
      createWebhookEndpoint(tx, caller, { limits, sealer, receiverOrigins }, body),
    listWebhookEndpoints: (db, caller, { page }) => listWebhookEndpoints(db, caller, page),
    getWebhookEndpoint: (db, caller, { params }) => getWebhookEndpoint(db, caller, params.webhookEndpointId),
    updateWebhookEndpoint: (tx, caller, { params, body }) =>
      updateWebhookEndpoint(tx, caller, { sealer, receiverOrigins }, params.webhookEndpointId, body),
    deleteWebhookEndpoint: (tx, caller, { params }) => deleteWebhookEndpoint(tx, caller, params.webhookEndpointId),
    rotateWebhookEndpointSecret: (tx, caller, { params }) =>
      rotateSigningSecret(tx, caller, sealer, params.webhookEndpointId),
  }) satisfies Partial<Handlers>;

export const webhookEndpointReplays = {
  createWebhookEndpoint: isEndpointInUse,
  rotateWebhookEndpointSecret: isEndpointInUse,
} satisfies Partial<ReplayChecks>;
