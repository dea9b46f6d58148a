import type { Handlers, ReplayChecks } from "../../platform/http/handlers.ts";
import type { DefaultLimits } from "../../services.ts";
import { createApiKey, getApiKey, listApiKeys } from "./api-keys.ts";
import { checkKeyReplay } from "./key-replays.ts";
import { revokeApiKey } from "./revoke-keys.ts";
import type { RevokeMadeWith } from "./revoke-keys.ts";

export const apiKeyRoutes = (limits: DefaultLimits, revokeMadeWith: RevokeMadeWith) =>
  ({
    createApiKey: (tx, caller, { params, body }) => createApiKey(tx, caller, limits, params.organizationId, body),
    listApiKeys: (db, _caller, { params, page }) => listApiKeys(db, params.organizationId, page),
    getApiKey: (db, _caller, { params }) => getApiKey(db, params.organizationId, params.apiKeyId),
    revokeApiKey: (tx, caller, { params, query }) =>
      revokeApiKey(tx, caller, params.organizationId, params.apiKeyId, query.cascade ?? false, revokeMadeWith),
  }) satisfies Partial<Handlers>;

export const apiKeyReplays = { createApiKey: checkKeyReplay } satisfies Partial<ReplayChecks>;
