/** What the service publishes about itself. */
import { Type } from "typebox";
import { operation } from "./operation.ts";
import { AnyObject, Enum, Id, Integer, Nullable } from "./schemas.ts";
import { scopes } from "./scopes.ts";

const any = { by: "any" } as const;

const CodeEntry = Type.Object({
  code: Type.String(),
  meaning: Type.String(),
  cause: Type.String({ description: "What usually stands behind it." }),
  action: Type.String({ description: "The next step." }),
});

export const referenceOperations = {
  getOpenApi: operation({
    method: "GET",
    path: "/v1/openapi.json",
    tag: "Reference",
    summary: "This interface as OpenAPI 3.1",
    access: { by: "public" },
    idempotency: "none",
    response: { status: 200, schema: AnyObject },
    errors: [],
  }),
  getMe: operation({
    method: "GET",
    path: "/v1/me",
    tag: "Reference",
    summary: "Who the key is",
    access: any,
    idempotency: "none",
    response: {
      status: 200,
      schema: Type.Object({
        kind: Enum(["admin", "organization"] as const),
        organizationId: Nullable(Id("organization")),
        apiKeyId: Nullable(Id("apiKey")),
        scopes: Type.Array(Enum(scopes)),
      }),
    },
    errors: [],
  }),
  listErrorCodes: operation({
    method: "GET",
    path: "/v1/error-codes",
    tag: "Reference",
    summary: "Every error code, what it means and what to do",
    description:
      "Errors of requests in `data`; beside them the failure codes of rows, the error codes of uploads, and why runs stand still or were " +
      "ended. Browsers get a page, to which `docUrl` of every error leads.",
    hasPage: true,
    access: { by: "public" },
    idempotency: "none",
    response: {
      status: 200,
      schema: Type.Object({
        data: Type.Array(
          Type.Object({
            code: Type.String(),
            status: Integer(),
            meaning: Type.String(),
            cause: Type.String({ description: "What usually stands behind it." }),
            action: Type.String(),
            retryable: Type.Boolean(),
          }),
          { description: "`error.code` of responses." },
        ),
        rowFailures: Type.Array(
          Type.Object({
            code: Type.String(),
            class: Type.String(),
            meaning: Type.String(),
            cause: Type.String({ description: "What usually stands behind it." }),
            action: Type.String(),
            retryable: Type.Boolean(),
          }),
          { description: "`code` of failures of rows." },
        ),
        uploadErrors: Type.Array(CodeEntry, { description: "`errors[].code` of dataset uploads." }),
        runReasons: Type.Array(CodeEntry, { description: "`stateReason` and `error.code` of runs." }),
      }),
    },
    errors: [],
  }),
  listEventTypes: operation({
    method: "GET",
    path: "/v1/event-types",
    tag: "Reference",
    summary: "Every event type, and the patterns for them",
    access: { by: "public" },
    idempotency: "none",
    response: {
      status: 200,
      schema: Type.Object({
        data: Type.Array(
          Type.Object({
            type: Type.String(),
            object: Type.String(),
            meaning: Type.String(),
            deliverable: Type.Boolean(),
          }),
        ),
        patterns: Type.Array(
          Type.Object({
            pattern: Type.String({ description: "`*`, or the first part of a type and `.*`.", examples: ["run.*"] }),
            types: Type.Array(Type.String(), {
              description: "The types that it stands for now; later ones join them.",
            }),
          }),
          {
            description: "What webhook endpoints may subscribe to beside single types. Alert rules take single types.",
          },
        ),
      }),
    },
    errors: [],
  }),
};
