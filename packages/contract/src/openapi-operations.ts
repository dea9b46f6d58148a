/** Operations of the contract as the OpenAPI document has them: parameters, bodies and responses. */
import type { TSchema } from "typebox";
import { responseHeaders, headersOf } from "./response-headers.ts";
import type { ResponseHeader } from "./response-headers.ts";
import type { Example } from "./examples/example.ts";
import { responsesOf } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { errorsOf } from "./operation-errors.ts";
import { statusOf } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";
import { cursorSchema, filterSchema, limitSchema } from "./pagination.ts";
import { exampleId, idPrefixes } from "./schemas.ts";
import type { IdKind } from "./schemas.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Samples show it; an empty one would be refused. */
const IDEMPOTENCY_KEY_EXAMPLE = "3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10";

/** An operation as OpenAPI shows it. */
export function describeOperation(id: string, o: Operation, example: Example): JsonObject {
  const parameters = parametersOf(o);
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

function parametersOf(o: Operation): JsonObject[] {
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
  if (o.idempotency !== "none")
    parameters.push({
      name: "Idempotency-Key",
      in: "header",
      required: o.idempotency === "required",
      schema: { type: "string", minLength: 1, maxLength: 255, examples: [IDEMPOTENCY_KEY_EXAMPLE] },
      example: IDEMPOTENCY_KEY_EXAMPLE,
      description:
        "A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.",
    });
  return parameters;
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

export const describeHeader = ({ description, schema, examples, isAlwaysThere }: ResponseHeader): JsonObject => ({
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
export function plain(schema: TSchema): JsonObject {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "$ref" && typeof value === "string" && !value.startsWith("#") ? `#/components/schemas/${value}` : value,
    ),
  ) as JsonObject; // TypeBox schemas are plain JSON
}
