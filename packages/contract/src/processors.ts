/** The processors of job specs, as request schemas: one variant a processor, distinguished by `type`. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureCodeNames } from "./failures.ts";
import { Closed, Enum, IdReference, Integer, JsonSchema, MAX_INTEGER, OneOf } from "./schemas.ts";

const Transform = Closed(
  {
    type: Type.Literal("transform"),
    language: Type.Optional(Enum(["javascript"])),
    code: Type.String({
      minLength: 1,
      maxLength: 262_144,
      description:
        "A JavaScript module whose default export is a function from a row to a JSON value. It runs in a sandbox without network, files or clock.",
      examples: ["export default (row) => ({ name: row.name.toUpperCase() })"],
    }),
  },
  { title: "transform" },
);

const Mock = Closed(
  {
    type: Type.Literal("mock"),
    failEvery: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: "Rows with (index + 1) divisible by this fail.",
      }),
    ),
    failUntilRetry: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "They fail only in runs whose `retryNumber` is below this.",
      }),
    ),
    code: Type.Optional(Enum(failureCodeNames, { description: "Their failure code (`provider_overloaded`)." })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: "How long each row takes." })),
  },
  { title: "mock", description: "Echoes each row under `echo`; for rehearsals, demos and load tests." },
);

/** A text with `{{row.field}}` in it. */
const Template = (description: string, maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });
/** A prompt longer than this is a document, and belongs into the dataset. */
const MAX_PROMPT_LENGTH = 262_144;

const ContentPart = OneOf("type", [
  Closed(
    { type: Type.Literal("text"), text: Template("Text of the part.", MAX_PROMPT_LENGTH, "What is in this picture?") },
    { title: "text" },
  ),
  Closed(
    {
      type: Type.Literal("image"),
      url: Type.Optional(Template("Where the provider finds the image.", 8192, "{{row.photoUrl}}")),
      base64: Type.Optional(Template("The image itself, in base64. Either this or `url`.", 8192, "{{row.photo}}")),
      mediaType: Type.Optional(
        Type.String({ pattern: "^image/[a-z0-9.+-]{1,64}$", description: "Type of a `base64` image (`image/png`)." }),
      ),
    },
    { title: "image" },
  ),
]);

const Message = Closed({
  role: Enum(["system", "user", "assistant"]),
  content: Type.Unsafe<string | Static<typeof ContentPart>[]>({
    anyOf: [
      Template("Text with templates.", MAX_PROMPT_LENGTH, "Label this review: {{row.review}}"),
      Type.Array(ContentPart, { minItems: 1, maxItems: 32 }),
    ],
    description: "Text with `{{row.field}}` templates, or a list of text and image parts.",
    examples: ["Label this review: {{row.review}}"],
  }),
});

const ModelName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "As the provider names it.",
  examples: ["gpt-5-mini"],
});

const Llm = Closed(
  {
    type: Type.Literal("llm"),
    connection: IdReference("connection", "A connection of type `openai_compatible` or `anthropic`."),
    model: ModelName,
    messages: Type.Array(Message, { minItems: 1, maxItems: 64 }),
    parameters: Type.Optional(
      Closed({
        maxOutputTokens: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Most tokens of one completion." }),
        ),
        temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
        topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
        topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
        presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
        frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
        seed: Type.Optional(Integer({ minimum: -MAX_INTEGER })),
        stopSequences: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 200, examples: ["END"] }), { maxItems: 8 }),
        ),
      }),
    ),
    outputSchema: Type.Optional(JsonSchema),
    repairAttempts: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: "Follow-up messages in which the model may repair an output that does not fit `outputSchema` (1).",
      }),
    ),
    fallbacks: Type.Optional(
      Type.Array(
        Closed({
          connection: Type.Optional(IdReference("connection", "Another connection; the same one if absent.")),
          model: ModelName,
        }),
        { maxItems: 5, description: "Asked one after the other when the provider before cannot respond." },
      ),
    ),
  },
  {
    title: "llm",
    description:
      'A chat completion. Without `outputSchema` the output is `{"text": …}`; with it, the JSON value that fits it.',
  },
);

const HTTP_HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$";

const Http = Closed(
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
        propertyNames: { pattern: HTTP_HEADER_NAME },
        additionalProperties: { type: "string", maxLength: 8192 },
        maxProperties: 50,
        description: "Templates, which may also name `{{connection.secret}}`.",
        examples: [{ authorization: "Bearer {{connection.secret}}" }],
      }),
    ),
    body: Type.Optional(
      Type.Unknown({
        description:
          "A text with templates, or a JSON value whose strings are templates; one that is a single template keeps the value's type.",
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

const variants = { transform: Transform, llm: Llm, http: Http, mock: Mock };
export type ProcessorType = keyof typeof variants;

export const ProcessorSchema = OneOf("type", Object.values(variants));
export type ProcessorConfig = Static<(typeof variants)[ProcessorType]>;
export type ProcessorConfigOf<T extends ProcessorType> = Static<(typeof variants)[T]>;
