/** The OpenAPI 3.1 document, made from the contract. */
import { responseHeaders } from "./response-headers.ts";
import { operations } from "./contract.ts";
import type { OperationId } from "./contract.ts";
import { examples } from "./examples/examples.ts";
import type { Operation } from "./operation.ts";
import { errorCodeNames } from "./errors.ts";
import { describeHeader, describeOperation, plain } from "./openapi-operations.ts";
import type { JsonObject } from "./openapi-operations.ts";
import { makeWebhooks, webhookParameters } from "./openapi-webhooks.ts";
import { components } from "./schemas.ts";

export function makeOpenApi(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [id, o] of Object.entries(operations) as [OperationId, Operation][]) {
    (paths[o.path] ??= {})[o.method.toLowerCase()] = describeOperation(id, o, examples[id]);
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
