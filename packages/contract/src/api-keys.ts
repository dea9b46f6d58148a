import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import { Closed, Enum, Id, Integer, Name, Nullable, OneTimeSecret, Timestamp, component } from "./schemas.ts";
import { scopes } from "./scopes.ts";

const apiKeyMembers = {
  id: Id("apiKey"),
  organizationId: Id("organization"),
  name: Type.String(),
  redactedKey: Type.String({
    description: "The beginning and the last four characters of the key.",
    examples: ["rmk_4fQ2…x9Zk"],
  }),
  scopes: Type.Array(Enum(scopes)),
  memberId: Nullable(
    Id("member", "The member who holds the key, by an invitation or by having made it. It ends with the member."),
  ),
  createdByKeyId: Nullable(
    Id("apiKey", "The key that it was made with, or that its holder was invited with; null when the admin did."),
  ),
  requestsPerMinute: Nullable(
    Integer({
      description:
        "The limit of the key together with the keys that are made with it. The organization's limit holds beside it.",
    }),
  ),
  lastUsedAt: Nullable(Timestamp("Exact to a minute.")),
  expiresAt: Nullable(Timestamp()),
  revokedAt: Nullable(Timestamp()),
  createdAt: Timestamp(),
};

export const ApiKeySchema = component("ApiKey", Type.Object(apiKeyMembers));
export type ApiKey = Static<typeof ApiKeySchema>;

export const CreatedApiKeySchema = component(
  "CreatedApiKey",
  Type.Object({ ...apiKeyMembers, key: OneTimeSecret("The key itself. It is shown this once.") }),
);
export type CreatedApiKey = Static<typeof CreatedApiKeySchema> & { key: string };

const params = { organizationId: "organization" } as const;

export const apiKeyOperations = {
  createApiKey: operation({
    method: "POST",
    path: "/v1/organizations/{organizationId}/api-keys",
    tag: "API keys",
    summary: "Create an API key",
    description:
      "A key can only make keys with scopes it has itself. They expire no later than it does: without `expiresAt`, or with a " +
      "later one, they expire when it does. They share its limit of requests: without `requestsPerMinute`, or with a larger one, " +
      "they get the same limit, and the requests of all count on it together. The response shows what holds. Without `scopes` the key gets every scope but `api_keys:write`, " +
      "`invitations:write` and `organization:write` (as far as its maker has them). `*` stands for all scopes.",
    access: { by: "organization_or_admin", scopes: ["api_keys:write"] },
    idempotency: "required",
    params,
    body: Closed({
      name: Name("What the key is for.", "Nightly import"),
      scopes: Type.Optional(
        Type.Array(Enum(["*", ...scopes] as const), { minItems: 1, maxItems: 64, uniqueItems: true }),
      ),
      expiresAt: Type.Optional(Timestamp("When the key stops working; absent means never.")),
      requestsPerMinute: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          description: "A limit for this key and those made with it; absent, the limit of its maker, if it has one.",
        }),
      ),
    }),
    response: { status: 201, schema: CreatedApiKeySchema },
    secretMembers: ["/key"],
    location: "/v1/organizations/{organizationId}/api-keys/{id}",
    errors: ["not_found", "limit_reached"],
  }),
  listApiKeys: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/api-keys",
    tag: "API keys",
    summary: "List API keys",
    access: { by: "organization_or_admin", scopes: ["api_keys:read"] },
    idempotency: "none",
    params,
    filters: {},
    response: { status: 200, schema: ListOf(ApiKeySchema) },
    errors: ["not_found"],
  }),
  getApiKey: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/api-keys/{apiKeyId}",
    tag: "API keys",
    summary: "Read an API key",
    access: { by: "organization_or_admin", scopes: ["api_keys:read"] },
    idempotency: "none",
    params: { organizationId: "organization", apiKeyId: "apiKey" },
    response: { status: 200, schema: ApiKeySchema },
    errors: ["not_found"],
  }),
  revokeApiKey: operation({
    method: "DELETE",
    path: "/v1/organizations/{organizationId}/api-keys/{apiKeyId}",
    tag: "API keys",
    summary: "Revoke an API key",
    description:
      "Works at once on every process. The key stays in the list with `revokedAt`. Keys that were made with it keep working " +
      "(see their `createdByKeyId`), unless `cascade=true`: this revokes them, the keys made with them and so on, the keys of " +
      "members who were invited with any of these, and their pending invitations. A key that is revoked already can be revoked " +
      "once more with `cascade=true`.",
    access: { by: "organization_or_admin", scopes: ["api_keys:write"] },
    idempotency: "none",
    params: { organizationId: "organization", apiKeyId: "apiKey" },
    query: Closed({
      cascade: Type.Optional(Type.Boolean({ description: "Also revoke everything that was made with the key." })),
    }),
    response: { status: 204 },
    errors: ["not_found"],
  }),
};
