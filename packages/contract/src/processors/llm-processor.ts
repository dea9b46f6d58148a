import { Type } from "typebox";
import type { Static } from "typebox";
import { Closed, Enum, IdReference, Integer, JsonSchema, MAX_INTEGER, OneOf } from "../schemas.ts";
import { Template } from "./template.ts";

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
        Type.String({
          pattern: "^image/[a-z0-9.+-]{1,64}$",
          description: "Type of a `base64` image (`image/png`).",
          "x-hint": "Send a type of images in lowercase, such as image/png.",
        }),
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

export const Llm = Closed(
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
