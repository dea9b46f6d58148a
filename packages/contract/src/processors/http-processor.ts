import { Type } from "typebox";
import { Closed, Enum, IdReference } from "../schemas.ts";
import { Template } from "./template.ts";

const HTTP_HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$";

export const Http = Closed(
  {
    type: Type.Literal("http"),
    method: Enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    url: Template(
      "A path on the `baseUrl` of `connection`; without one, absolute. Values from the row are percent-encoded and stay within their part of the URL; one that is the whole URL is taken as it is.",
      8192,
      "https://api.example.com/customers/{{row.id}}",
    ),
    connection: Type.Optional(IdReference("connection", "A connection of type `http`.")),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        propertyNames: {
          pattern: HTTP_HEADER_NAME,
          "x-hint": "Names of headers are letters, digits and hyphens, such as X-Request-Source.",
        },
        additionalProperties: { type: "string", maxLength: 8192 },
        maxProperties: 50,
        description: "Templates, which may also name `{{connection.secret}}`.",
        examples: [{ authorization: "Bearer {{connection.secret}}" }],
      }),
    ),
    body: Type.Optional(
      Type.Unknown({
        description:
          "A text with templates, or a JSON value whose strings are templates; one that is a single template keeps the value's type. JSON is sent as `application/json`, also where the text is a single template whose value is an object or an array; another text is sent as `text/plain`, unless a header has another content type.",
        examples: [{ id: "{{row.id}}", note: "Order {{row.number}}" }],
      }),
    ),
    expect: Type.Optional(
      Closed({
        status: Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
          minItems: 1,
          maxItems: 100,
          description: "Statuses that are a success (200 to 299).",
        }),
      }),
    ),
    responsePath: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description:
          "Which part of a JSON response is the output, such as `data.items.0.name`; the whole response if absent: its JSON value, else its text.",
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600_000,
        description: "Longest time for one request, to the last byte of its response (30000).",
      }),
    ),
    maxResponseBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8 * 1024 * 1024,
        description: "Largest body of a response, unpacked (1 MiB).",
      }),
    ),
  },
  {
    title: "http",
    description:
      "One HTTP request per row, whose response is the output. It carries an `Idempotency-Key` that is the same for every attempt at the row in its run and its retry runs. Redirects are not followed.",
  },
);
