/** The OpenAPI 3.1 document, made from the contract. */
import type { TSchema } from "typebox";
import { responseHeaders, headersOf } from "./response-headers.ts";
import type { ResponseHeader } from "./response-headers.ts";
import { operations } from "./contract.ts";
import type { OperationId } from "./contract.ts";
import type { Example } from "./examples/example.ts";
import { examples } from "./examples/examples.ts";
import { responsesOf } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { errorCodeNames, statusOf } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";
import { makeWebhooks, webhookParameters } from "./openapi-webhooks.ts";
import { cursorSchema, filterSchema, limitSchema } from "./pagination.ts";
import { components, exampleId, idPrefixes } from "./schemas.ts";
import type { IdKind } from "./schemas.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** Samples show it; an empty one would be refused. */
const IDEMPOTENCY_KEY_EXAMPLE = "3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10";

type JsonObject = { [key: string]: Json };

/** Errors that any operation may return, by what the operation is like. */
export function errorsOf(o: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    "internal_error",
    "service_unavailable",
    "rate_limited",
    "invalid_parameter",
    ...o.errors,
  ]);
  if (o.access.by !== "public") {
    for (const code of ["authentication_required", "invalid_api_key", "api_key_expired", "api_key_revoked"] as const)
      codes.add(code);
    codes.add("organization_suspended").add("session_ended");
    if (o.method !== "GET") codes.add("origin_not_allowed");
  }
  if (o.access.by === "organization") codes.add("organization_key_required").add("insufficient_scope");
  if (o.access.by === "organization_or_admin") codes.add("insufficient_scope");
  if (o.access.by === "admin") codes.add("admin_required");
  if (o.plain !== true) {
    if (o.method === "GET") codes.add("not_acceptable");
    else
      // Also where no body is taken: one may be sent.
      for (const code of ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type"] as const)
        codes.add(code);
  }
  if (o.body) codes.add("unknown_field");
  if (o.method === "PATCH" || o.method === "DELETE") codes.add("precondition_failed");
  if (o.filters) codes.add("invalid_limit").add("invalid_cursor");
  if (o.idempotency === "required") codes.add("idempotency_key_required");
  if (o.idempotency !== "none")
    for (const code of ["idempotency_key_invalid", "idempotency_conflict", "idempotency_in_progress"] as const)
      codes.add(code);
  return [...codes];
}

export function makeOpenApi(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [id, o] of Object.entries(operations) as [OperationId, Operation][]) {
    (paths[o.path] ??= {})[o.method.toLowerCase()] = describe(id, o, examples[id]);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Rowmill",
      version: "1",
      description:
        "Asynchronous, row-by-row processing of datasets. All routes are under `/v1`; bodies are JSON; field names are camelCase.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "Guide: quickstart, recipes, operations", url: "/guide/" },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(operations as Record<string, Operation>).map((o) => o.tag))].map((name) => ({
      name,
    })),
    paths,
    webhooks: makeWebhooks(plain),
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <API key>`" } },
      schemas: {
        ...Object.fromEntries([...components].map(([name, schema]) => [name, plain(schema)])),
        Error: errorSchema,
      },
      parameters: webhookParameters,
      headers: Object.fromEntries(
        Object.entries(responseHeaders).map(([key, header]) => [key, describeHeader(header)]),
      ),
    },
  };
}

const errorSchema: JsonObject = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "param", "details", "retryable", "requestId", "docUrl"],
      properties: {
        code: { type: "string", enum: errorCodeNames },
        message: { type: "string" },
        param: { type: ["string", "null"], description: "The member, parameter or header to blame." },
        details: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "code", "message"],
            properties: { path: { type: "string" }, code: { type: "string" }, message: { type: "string" } },
          },
        },
        retryable: { type: "boolean" },
        requestId: { type: "string" },
        docUrl: { type: "string" },
      },
    },
  },
};

function describe(id: string, o: Operation, example: Example): JsonObject {
  const parameters: JsonObject[] = Object.entries(o.params ?? {}).map(([name, kind]) => ({
    name,
    in: "path",
    required: true,
    ...(kind === "number" ? { schema: { type: "integer", minimum: 1, maximum: 999_999_999 } } : idParameter(kind)),
  }));
  const query: Record<string, TSchema> = { ...o.query?.properties };
  for (const [name, filter] of Object.entries(o.filters ?? {})) query[name] = filterSchema(filter);
  if (o.filters) Object.assign(query, { limit: limitSchema, cursor: cursorSchema });
  for (const [name, schema] of Object.entries(query))
    parameters.push({
      name,
      in: "query",
      required: false,
      ...(o.filters?.[name]?.kind === "metadata" ? { style: "deepObject", explode: true } : {}),
      schema: plain(schema),
    });
  if (o.idempotency !== "none") {
    parameters.push({
      name: "Idempotency-Key",
      in: "header",
      required: o.idempotency === "required",
      schema: { type: "string", minLength: 1, maxLength: 255, examples: [IDEMPOTENCY_KEY_EXAMPLE] },
      example: IDEMPOTENCY_KEY_EXAMPLE,
      description:
        "A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.",
    });
  }
  return {
    operationId: id,
    summary: o.summary,
    ...(o.description === undefined ? {} : { description: o.description }),
    tags: [o.tag],
    ...(o.access.by === "public" ? { security: [] } : {}),
    ...("scopes" in o.access ? { "x-required-scopes": [...o.access.scopes] } : {}),
    ...(o.bodyScopes
      ? { "x-required-scopes-by-body": o.bodyScopes.map((needed) => ({ ...needed, scopes: [...needed.scopes] })) }
      : {}),
    "x-access": o.access.by,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(o.body
      ? {
          requestBody: {
            required: o.bodyOptional !== true,
            content: { "application/json": { schema: plain(o.body), ...exampleOf(example.body) } },
          },
        }
      : {}),
    ...(o.plain && (o.method === "PUT" || o.method === "PATCH")
      ? {
          requestBody: {
            required: true,
            content: {
              [o.method === "PUT" ? "application/octet-stream" : "application/offset+octet-stream"]: {
                schema: { type: "string", format: "binary" },
              },
            },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(responsesOf(o).map((response) => [response.status, success(o, response, example)])),
      ...notModified(o),
      ...failures(o),
    },
  };
}

/** Responses to `GET` carry a tag; a client that sends it gets 304 while nothing has changed. */
const notModified = (o: Operation): JsonObject =>
  o.method === "GET" && !o.plain
    ? {
        304: {
          description: "`If-None-Match` names the `ETag` of the response: it is unchanged.",
          headers: headers(o, 304),
        },
      }
    : {};

/** References by the names of the header fields. */
const headers = (o: Operation, status: number): JsonObject =>
  Object.fromEntries(
    headersOf(o, status, errorsOf(o)).map((key) => [
      responseHeaders[key].name,
      { $ref: `#/components/headers/${key}` },
    ]),
  );

const describeHeader = ({ description, schema, examples, isAlwaysThere }: ResponseHeader): JsonObject => ({
  description,
  required: isAlwaysThere,
  schema: { ...schema, examples: schema.type === "integer" ? examples.map(Number) : [...examples] },
});

const idParameter = (kind: IdKind): JsonObject => ({
  description: `Id with prefix \`${idPrefixes[kind]}\`.`,
  schema: { type: "string", examples: [exampleId(kind)] },
});

const exampleOf = (value: unknown): JsonObject =>
  value === undefined ? {} : { example: JSON.parse(JSON.stringify(value)) as Json }; // examples are JSON

function success(o: Operation, response: Operation["response"], example: Example): JsonObject {
  if (response.schema === undefined) {
    const binary = response.contentType;
    return {
      description: response.description ?? "Done.",
      headers: headers(o, response.status),
      ...(binary === undefined ? {} : { content: { [binary]: { schema: { type: "string", format: "binary" } } } }),
    };
  }
  return {
    description: response.description ?? "The response.",
    headers: headers(o, response.status),
    content: {
      "application/json": {
        schema: plain(response.schema),
        ...(response === o.response ? exampleOf(example.response) : {}),
      },
      ...(o.hasPage ? { "text/html": { schema: { type: "string", description: "The same as a page." } } } : {}),
      ...(o.streams
        ? { "application/x-ndjson": { schema: { type: "string", description: "Every item, one a line." } } }
        : {}),
    },
  };
}

function failures(o: Operation): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(o)) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [
        status,
        {
          description: codes.map((code) => `\`${code}\``).join(", "),
          headers: headers(o, status),
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      ]),
  );
}

/** A schema as plain JSON, its component references made into OpenAPI's. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "$ref" && typeof value === "string" && !value.startsWith("#") ? `#/components/schemas/${value}` : value,
    ),
  ) as JsonObject; // TypeBox schemas are plain JSON
}
