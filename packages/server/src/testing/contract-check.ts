/** Checks every response that the tests receive against the contract. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { operations } from "@rowmill/contract";
import { responseHeaders, headersOf } from "@rowmill/contract/response-headers";
import type { ResponseHeader } from "@rowmill/contract/response-headers";
import { AlertSchema, eventSchemas } from "@rowmill/contract/event-payloads";
import { errorCodes, isRetryable, statusOf } from "@rowmill/contract/errors";
import type { ErrorCode } from "@rowmill/contract/errors";
import { errorsOf } from "@rowmill/contract/operation-errors";
import { responsesOf } from "@rowmill/contract/operation";
import type { Operation } from "@rowmill/contract/operation";
import { components } from "@rowmill/contract/schemas";
import { noteResponse } from "./contract-coverage.ts";

export interface CheckedResponse {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

/** Throws when the response is not one that the contract declares. Paths that no operation serves must be refused so. */
export function checkResponse(response: CheckedResponse): void {
  const found = findOperation(response.method === "HEAD" ? "GET" : response.method, response.path);
  const fail = (problem: string): never => {
    throw new Error(
      `${response.method} ${response.path} (${found?.id ?? "no operation"}) responded ${response.status}: ${problem}\n${response.text.slice(0, 2000)}`,
    );
  };
  checkHeaders(response, found?.operation, fail);
  if (response.headers["x-content-type-options"] !== "nosniff") fail("a browser may take it for something else");
  if (
    found?.operation.secretMembers !== undefined &&
    response.status < 400 &&
    response.headers["cache-control"] !== "no-store"
  )
    fail("a secret that may be kept in a cache");
  if (response.status >= 400) {
    // A HEAD has no body to look at.
    const code = response.method === "HEAD" ? undefined : checkError(response, fail);
    if (!found) {
      if (code !== undefined && !["not_found", "method_not_allowed"].includes(code)) fail("a path that does not exist");
      return;
    }
    if (code !== undefined && !errorsOf(found.operation).includes(code)) fail(`the contract does not declare ${code}`);
    noteResponse(found.id, response.status);
    return;
  }
  if (!found) return fail("a success at a path that does not exist");
  const { id, operation: o } = found;
  if (o.plain === true && o.method === "GET" && [206, 304].includes(response.status)) return; // a part of a file, or none of it
  if (o.method === "GET" && response.status === 304) {
    if (response.text !== "") fail("a body with 304");
    return;
  }
  const declared = responsesOf(o);
  const { schema } =
    declared.find(({ status }) => status === response.status) ??
    fail(`the contract declares ${declared.map(({ status }) => status).join(", ")}`);
  noteResponse(id, response.status);
  if (response.method === "HEAD") return;
  if (schema === undefined) {
    if (response.status === 204 && response.text !== "") fail("a body with 204");
    return;
  }
  const type = response.headers["content-type"] ?? "";
  if (o.streams === true && type.startsWith("application/x-ndjson")) {
    for (const line of response.text.split("\n").slice(0, -1))
      checkShape(`${id} item`, itemOf(o), JSON.parse(line), fail);
    return;
  }
  if (!type.startsWith("application/json")) fail(`the content type is ${type}`);
  checkShape(`${id} ${response.status}`, schema, JSON.parse(response.text), fail);
}

/** Those that the contract knows must be declared for the response, be there if they always are, and look as they should. */
function checkHeaders(response: CheckedResponse, o: Operation | undefined, fail: (problem: string) => never): void {
  const keys = o === undefined ? (["RequestId"] as const) : headersOf(o, response.status, errorsOf(o));
  const declared = new Map<string, ResponseHeader>(
    keys.map((key) => [responseHeaders[key].name, responseHeaders[key]]),
  );
  for (const { name, isAlwaysThere, schema } of declared.values()) {
    const value = response.headers[name.toLowerCase()];
    if (value === undefined) {
      if (isAlwaysThere) fail(`there is no ${name}`);
    } else checkShape(`header ${name}`, schema, schema.type === "integer" ? Number(value) : value, fail);
  }
  // Protocols of their own have fields of their own.
  if (o === undefined || (o.plain === true && response.status < 400)) return;
  for (const { name } of Object.values(responseHeaders))
    if (!declared.has(name) && response.headers[name.toLowerCase()] !== undefined)
      fail(`the contract does not declare the header ${name}: ${response.headers[name.toLowerCase()]}`);
}

export function findOperation(method: string, path: string): { id: string; operation: Operation } | undefined {
  return patterns.find((entry) => entry.operation.method === method && entry.pattern.test(path));
}

const patterns = (Object.entries(operations) as [string, Operation][])
  .map(([id, operation]) => ({
    id,
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  }))
  // A fixed segment goes before a parameter.
  .toSorted((a, b) => a.operation.path.split("{").length - b.operation.path.split("{").length);

/** A timestamp of the service: UTC, `Z`, three decimals. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });
ajv.addFormat("date-time", TIMESTAMP);
ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
for (const [name, schema] of components) ajv.addSchema(closed(schema) as object, name);
const validators = new Map<string, ValidateFunction>();

/** Throws when this is not the envelope of an event, or an alert, as the contract has it: as it is stored, or as it is delivered. */
export function checkEvent(text: string): void {
  const fail = (problem: string): never => {
    throw new Error(`an event that is not in the contract: ${problem}\n${text}`);
  };
  const { type } = JSON.parse(text) as { type: string }; // whatever it is, the schema checks it
  const schema = type === "alert.triggered" ? AlertSchema : eventSchemas.find((known) => known.type === type)?.schema;
  checkShape(`event ${type}`, schema ?? fail("there is no such type"), JSON.parse(text), fail);
}

function checkShape(name: string, schema: unknown, body: unknown, fail: (problem: string) => never): void {
  let validate = validators.get(name);
  if (!validate) validators.set(name, (validate = ajv.compile(closed(schema) as object)));
  if (!validate(body)) fail(ajv.errorsText(validate.errors, { separator: "\n", dataVar: "body" }));
}

/** The schema with every object that names its members closed: an undeclared member in a response is a mistake. */
function closed(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const isObjectSchema = "properties" in value && "type" in value && value.type === "object";
    return isObjectSchema && !("additionalProperties" in value) && !("patternProperties" in value)
      ? { ...value, additionalProperties: false }
      : value;
  });
}

function itemOf(o: Operation): unknown {
  // Lists are made by ListOf: an object with an array `data`.
  const list = o.response.schema as unknown as { properties: { data: { items: unknown } } };
  return list.properties.data.items;
}

const text = { type: "string", minLength: 1 };
const errorMembers = {
  code: { enum: Object.keys(errorCodes) },
  param: { type: ["string", "null"] },
  details: {
    type: "array",
    items: {
      type: "object",
      required: ["path", "code", "message"],
      additionalProperties: false,
      properties: { path: { type: "string" }, code: text, message: text },
    },
  },
  retryable: { type: "boolean" },
  requestId: text,
  docUrl: { type: "string", pattern: "^https?://[^ ]+/v1/error-codes#[a-z_]+$" },
  // Beside the common members.
  requiredScopes: { type: "array", items: text },
  reason: text,
};
const required = ["code", "param", "details", "retryable", "requestId", "docUrl"];
const envelope = {
  type: "object",
  required: ["error"],
  additionalProperties: false,
  properties: {
    error: {
      type: "object",
      required: [...required, "message"],
      additionalProperties: false,
      properties: { ...errorMembers, message: text },
    },
  },
};
/** RFC 9457. */
const problem = {
  type: "object",
  required: [...required, "type", "title", "status", "detail"],
  additionalProperties: false,
  properties: { ...errorMembers, type: text, title: text, status: { type: "integer" }, detail: text },
};

interface ErrorMembers {
  code: ErrorCode;
  requestId: string;
  retryable: boolean;
}

function checkError(response: CheckedResponse, fail: (problem: string) => never): ErrorCode {
  const type = response.headers["content-type"] ?? "";
  const isProblem = type.startsWith("application/problem+json");
  if (!isProblem && !type.startsWith("application/json")) fail(`the content type is ${type}`);
  const body: unknown = JSON.parse(response.text);
  checkShape(isProblem ? "problem" : "error", isProblem ? problem : envelope, body, fail);
  const error = isProblem ? (body as ErrorMembers) : (body as { error: ErrorMembers }).error; // of that shape, as just checked
  if (response.status !== statusOf(error.code)) fail(`${error.code} has the status ${statusOf(error.code)}`);
  if (error.requestId !== response.headers["request-id"]) fail("the request id differs from the header's");
  if (error.retryable !== isRetryable(error.code)) fail(`retryable is not what the table says of ${error.code}`);
  if ([409, 429, 503].includes(response.status) && error.retryable && response.headers["retry-after"] === undefined)
    fail("there is no Retry-After");
  return error.code;
}
