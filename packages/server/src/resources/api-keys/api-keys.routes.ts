import type { Handlers } from "../../platform/http/handlers.ts";
import type { DefaultLimits } from "../organizations/organizations.ts";
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";

export const apiKeyRoutes = (limits: DefaultLimits) =>
  ({
    createApiKey: (tx, caller, { params, body }) => createApiKey(tx, caller, limits, params.organizationId, body),
    listApiKeys: (db, _caller, { params, page }) => listApiKeys(db, params.organizationId, page),
    getApiKey: (db, _caller, { params }) => getApiKey(db, params.organizationId, params.apiKeyId),
    revokeApiKey: (tx, caller, { params }) => revokeApiKey(tx, caller, params.organizationId, params.apiKeyId),
  }) satisfies Partial<Handlers>;
