/** What a tool is: a name, a description for models, an input schema, and what it calls. */
import { fromJsonSchema } from "@modelcontextprotocol/server";
import type { StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";
import { components } from "@rowmill/contract/schemas";
import { Type } from "typebox";
import type { Static, TProperties, TSchema } from "typebox";
import { cutText } from "../platform/text.ts";
import type { CallOperation } from "./call-operation.ts";
import type { ToolResult } from "./tool-results.ts";

/** Characters of a member that a client has made up, and how many of them: enough to see what was meant. */
const MAX_NAME = 60;
const MAX_NAMED = 5;

export interface ToolContext {
  call: CallOperation;
  signal: AbortSignal;
  /** The client takes a handle in place of a result, and polls it. */
  isTaskKnown: boolean;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: StandardSchemaWithJSON;
  run: (context: ToolContext, input: unknown) => Promise<ToolResult>;
}

interface ToolDefinition<P extends TProperties> {
  name: string;
  title: string;
  description: string;
  /** What clients ask their users before: nothing for what only reads. */
  effect: "reads" | "writes" | "destroys";
  input: P;
  run: (context: ToolContext, input: Static<ReturnType<typeof closed<P>>>) => Promise<ToolResult>;
}

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export function tool<P extends TProperties>({ effect, input, run, ...named }: ToolDefinition<P>): Tool {
  const schema = closed(input);
  return {
    ...named,
    annotations: {
      readOnlyHint: effect === "reads",
      ...(effect === "reads" ? {} : { destructiveHint: effect === "destroys" }),
      openWorldHint: false,
    },
    inputSchema: inputSchemaOf(brief(schema)),
    // The server has validated the input by the schema.
    run: (context, value) => run(context, value as Static<typeof schema>),
  };
}

/**
 * Alternatives are shown, and left to the operation: it says what is wrong with the one that is meant, where a validator goes through all
 * of them.
 */
function inputSchemaOf(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const named = schema["properties"] as Record<string, object>; // `closed` has made them
  const own = Object.entries(named).map(([name, property]): [string, object] => [
    name,
    "anyOf" in property || "oneOf" in property ? {} : property,
  ]);
  const { validate } = fromJsonSchema({ ...schema, properties: Object.fromEntries(own) })["~standard"];
  const names = Object.keys(named);
  return {
    "~standard": {
      ...fromJsonSchema(schema)["~standard"],
      async validate(value, options) {
        const checked = await validate(value, options);
        // The validator counts members that there are not, and does not name them.
        return checked.issues === undefined
          ? checked
          : { issues: [...unknownMembers(value, names).map((message) => ({ message })), ...checked.issues] };
      },
    },
  };
}

const unknownMembers = (value: unknown, names: readonly string[]): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.keys(value)
        .filter((name) => !names.includes(name))
        .slice(0, MAX_NAMED)
        .map((name) => `there is no member ${JSON.stringify(cutText(name, MAX_NAME))}: there are ${names.join(", ")}`);

/** What helps no model: it would be paid for with every request. */
const OMITTED = new Set([
  "examples",
  "discriminator",
  "maxLength",
  "minLength",
  "maximum",
  "minimum",
  "pattern",
  "title",
]);

/** A schema of the contract in fewer words, with what it refers to; the operation validates the rest. */
function brief(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) => {
    if (OMITTED.has(name)) return undefined;
    return isReference(value) ? brief(components.get(value.$ref) ?? {}) : value;
  }) as Record<string, unknown>; // a schema is an object
}

const isReference = (value: unknown): value is { $ref: string } =>
  typeof value === "object" && value !== null && "$ref" in value && typeof value.$ref === "string";
