import { Type } from "typebox";
import type { Static, TProperties } from "typebox";
import { operation } from "./operation.ts";
import { ListOf, enumFilter, textFilter } from "./pagination.ts";
import { Closed, Enum, Id, Integer, Metadata, Name, Nullable, OneOf, Timestamp, component } from "./schemas.ts";
import { ShownPrices, pricesInChanges, pricesOfModels, pricesOfRequests } from "./connection-prices.ts";

export const connectionTypes = ["openai_compatible", "anthropic", "http"] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** Where an `anthropic` connection goes that names no address of its own. */
export const ANTHROPIC_BASE_URL = "https://api.anthropic.com/v1";

/** More than any provider allows; a limit that is never reached limits nothing. */
const MAX_REQUESTS_PER_MINUTE = 10_000_000;
const MAX_TOKENS_PER_MINUTE = 2_000_000_000;
/** Of the models that a test returns: enough to find a name in, and not a catalogue of thousands. */
export const MAX_LISTED_MODELS = 100;

const requestsPerMinute = Type.Optional(
  Nullable(Type.Integer({ minimum: 1, maximum: MAX_REQUESTS_PER_MINUTE, description: "Null: not limited by us." })),
);
const tokensPerMinute = Type.Optional(
  Nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TOKENS_PER_MINUTE,
      description: "Input and output together. Null: not limited by us.",
    }),
  ),
);

export const ConnectionSchema = component(
  "Connection",
  Type.Object({
    id: Id("connection"),
    name: Type.String(),
    type: Enum(connectionTypes),
    baseUrl: Type.String({ description: "Without a slash at the end." }),
    hasSecret: Type.Boolean({ description: "The secret itself is never returned." }),
    redactedSecret: Nullable(
      Type.String({ description: "The last four characters of a long secret.", examples: ["…x7Qd"] }),
    ),
    rateLimit: Type.Object({
      requestsPerMinute: Nullable(Integer()),
      tokensPerMinute: Nullable(Integer()),
    }),
    prices: Nullable(ShownPrices),
    priceList: Nullable(
      Type.Object({
        asOf: Type.String({ format: "date", description: "The date of the list.", examples: ["2025-10-01"] }),
        ageDays: Integer({
          description: "Days since then: compare the prices with your provider's when they are many.",
        }),
      }),
      // Null: the connection has prices of its own, or none.
    ),
    metadata: Metadata,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);
export type Connection = Static<typeof ConnectionSchema>;

export const ConnectionTestSchema = component(
  "ConnectionTest",
  Type.Object({
    ok: Type.Boolean({
      description:
        "The other side was reached and accepted the request. The test of an `http` connection sends no secret: a service that asks for one (401, 403) is not `ok`.",
    }),
    status: Nullable(Integer({ description: "HTTP status of the response; null without one." })),
    durationMs: Integer(),
    message: Type.String({ description: "What was found, as a sentence." }),
    models: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_LISTED_MODELS,
        description: `Names of models that the provider lists, the first ${MAX_LISTED_MODELS}.`,
      }),
    ),
  }),
);
export type ConnectionTest = Static<typeof ConnectionTestSchema>;

/** Any value: the URL rules decide, with an error of their own (422 `connection_url_not_allowed`). */
const baseUrl = Type.String({
  description:
    "What paths are put behind. Public HTTPS on the default port, or an origin that the operator has allowed; without query, credentials or fragment.",
  examples: ["https://api.openai.com/v1"],
});
/** It becomes part of a header: a line break that was copied with it would break the request. */
const secret = Type.String({
  minLength: 1,
  maxLength: 8192,
  pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$",
  description: "API key or token: visible ASCII, no line break. Write-only: it is stored encrypted and never returned.",
  // Not one that looks like a key: scanners of secrets would find it.
  examples: ["your-api-key"],
  "x-hint":
    "Send the key without spaces and line breaks around it. Leave `secret` out where the server needs none; in a change, null removes it.",
});
const name = Name("How people call it; need not be unique.", "OpenAI");

const params = { connectionId: "connection" } as const;
const read = { by: "organization", scopes: ["connections:read"] } as const;
const write = { by: "organization", scopes: ["connections:write"] } as const;

const creationOf = <const T extends ConnectionType, P extends TProperties>(type: T, own: P) =>
  Closed(
    { type: Type.Literal(type), name, secret: Type.Optional(secret), ...own, metadata: Type.Optional(Metadata) },
    { title: type },
  );

export const connectionOperations = {
  createConnection: operation({
    method: "POST",
    path: "/v1/connections",
    tag: "Connections",
    summary: "Create a connection",
    description:
      "Named credentials of a model provider or an HTTP service, which job specs name. Names may repeat; the `Idempotency-Key` keeps a repeated request from making a second connection.",
    access: write,
    idempotency: "required",
    body: OneOf("type", [
      creationOf("openai_compatible", {
        baseUrl,
        rateLimit: Type.Optional(Closed({ requestsPerMinute, tokensPerMinute })),
        prices: pricesOfModels,
      }),
      creationOf("anthropic", {
        baseUrl: Type.Optional(Type.String({ ...baseUrl, default: ANTHROPIC_BASE_URL })),
        rateLimit: Type.Optional(Closed({ requestsPerMinute, tokensPerMinute })),
        prices: pricesOfModels,
      }),
      creationOf("http", {
        baseUrl,
        rateLimit: Type.Optional(Closed({ requestsPerMinute })),
        prices: pricesOfRequests,
      }),
    ]),
    response: { status: 201, schema: ConnectionSchema },
    location: "/v1/connections/{id}",
    errors: ["connection_url_not_allowed", "limit_reached"],
  }),
  listConnections: operation({
    method: "GET",
    path: "/v1/connections",
    tag: "Connections",
    summary: "List connections",
    access: read,
    idempotency: "none",
    filters: {
      type: enumFilter(connectionTypes, "Only connections of these types."),
      name: textFilter("Only connections of exactly this name."),
    },
    response: { status: 200, schema: ListOf(ConnectionSchema) },
    errors: [],
  }),
  getConnection: operation({
    method: "GET",
    path: "/v1/connections/{connectionId}",
    tag: "Connections",
    summary: "Read a connection",
    access: read,
    idempotency: "none",
    params,
    response: { status: 200, schema: ConnectionSchema },
    errors: ["not_found"],
  }),
  updateConnection: operation({
    method: "PATCH",
    path: "/v1/connections/{connectionId}",
    tag: "Connections",
    summary: "Change a connection",
    description:
      "Runs use the change within a second. A `baseUrl` that is not the old one or a path below it needs the secret again: a kept one is not sent to where it was not meant for.",
    access: write,
    idempotency: "none",
    params,
    body: Closed({
      name: Type.Optional(name),
      baseUrl: Type.Optional(baseUrl),
      secret: Type.Optional(Nullable(secret)),
      rateLimit: Type.Optional(Closed({ requestsPerMinute, tokensPerMinute })),
      prices: pricesInChanges,
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 200, schema: ConnectionSchema },
    errors: ["not_found", "connection_url_not_allowed"],
  }),
  deleteConnection: operation({
    method: "DELETE",
    path: "/v1/connections/{connectionId}",
    tag: "Connections",
    summary: "Delete a connection",
    description: "Its secret is destroyed at once. Refused while a run that has not ended needs it.",
    access: write,
    idempotency: "none",
    params,
    response: { status: 204 },
    errors: ["not_found", "resource_in_use"],
  }),
  testConnection: operation({
    method: "POST",
    path: "/v1/connections/{connectionId}/test",
    tag: "Connections",
    summary: "Test a connection",
    description:
      "One request that costs nothing: the list of models of a provider, or a GET of `baseUrl`. The response says what was found.",
    access: write,
    idempotency: "honoured",
    params,
    response: { status: 200, schema: ConnectionTestSchema },
    errors: ["not_found"],
  }),
};
