/**
 * `--out`: what a row's output is, as a JSON Schema. Given as a file, as inline JSON, or in the shorthand:
 *
 *     industry, confidence number                      two fields, the first a string
 *     audience: children|everyone|adults               one of these
 *     tags string[], score int?: from 0 to 10          a list; an integer or null, with a description
 *
 *     fields      = field { ("," | line break) field }
 *     field       = name [ "?" ] [ type ] [ ":" ( values | description ) ]
 *     type        = ( word | values | "(" values ")" ) [ "[]" ] [ "?" ]
 *     values      = value "|" value { "|" value }
 *
 * Where there is a line break, only line breaks separate fields, so that descriptions may contain commas.
 */
import { parseBody } from "../frame/exact-json.ts";
import { nearestTo } from "../frame/nearest.ts";

export type JsonSchema = Record<string, unknown>;

export class OutError extends Error {}

const types: Record<string, JsonSchema> = {
  string: { type: "string" },
  str: { type: "string" },
  text: { type: "string" },
  number: { type: "number" },
  float: { type: "number" },
  decimal: { type: "number" },
  integer: { type: "integer" },
  int: { type: "integer" },
  boolean: { type: "boolean" },
  bool: { type: "boolean" },
  date: { type: "string", format: "date" },
  datetime: { type: "string", format: "date-time" },
};

export function parseShorthand(text: string): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const part of text.split(/[\r\n]/.test(text.trim()) ? /[\r\n]+/ : ",")) {
    if (part.trim() === "") continue;
    const { name, schema } = parseField(part.trim());
    if (Object.hasOwn(properties, name)) throw new OutError(`The field "${name}" stands there twice.`);
    properties[name] = schema;
  }
  const required = Object.keys(properties);
  if (required.length === 0) throw new OutError("There is no field.");
  return { type: "object", properties, required, additionalProperties: false };
}

/** Inline JSON, or the text of a schema file. */
export function parseSchema(text: string): JsonSchema {
  let value: unknown;
  try {
    ({ value } = parseBody(text, ["outputSchema"]));
  } catch (error) {
    throw new OutError(`It is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new OutError("A JSON Schema is a JSON object.");
  return value as JsonSchema; // of any members: the service validates it
}

function parseField(text: string): { name: string; schema: JsonSchema } {
  const match = /^([\p{L}_][\p{L}\p{N}_-]*)(\?)?(?=[\s:]|$)\s*([^:]*?)\s*(?::\s*(.*))?$/u.exec(text);
  if (match?.[1] === undefined)
    throw new OutError(`"${text}" is not a field: write a name, perhaps a type, and perhaps ": " and a description.`);
  const [, name, optional, typeText = "", said = ""] = match;
  const isNullable = optional !== undefined || typeText.endsWith("?");
  const type = typeText.replace(/\?$/, "").trim();
  // Behind the colon stands a description, or the values where no type says what they are.
  const isEnum = type === "" && said.includes("|");
  const base = isEnum ? enumOf(name, said) : typeOf(name, type);
  const described = isEnum || said === "" ? base : { ...base, description: said };
  return { name, schema: isNullable ? nullable(described) : described };
}

function typeOf(name: string, text: string): JsonSchema {
  if (text === "") return { type: "string" };
  const list = /^(.*)\[\]$/.exec(text);
  if (list?.[1] !== undefined) {
    const item = list[1].trim().replace(/^\((.*)\)$/, "$1");
    return { type: "array", items: typeOf(name, item) };
  }
  if (text.includes("|")) return enumOf(name, text.replace(/^\((.*)\)$/, "$1"));
  const type = types[text.toLowerCase()];
  if (type === undefined) {
    const near = nearestTo(text, Object.keys(types));
    const meant = near === undefined ? "" : ` Did you mean ${near}?`;
    throw new OutError(
      `"${text}" is not a type of "${name}".${meant} Types are ${Object.keys(types).join(", ")}, and a|b|c.`,
    );
  }
  return type;
}

function enumOf(name: string, text: string): JsonSchema {
  const values = text.split("|").map((value) => value.trim());
  if (values.some((value) => value === "")) throw new OutError(`A value of "${name}" is empty.`);
  if (new Set(values).size !== values.length) throw new OutError(`A value of "${name}" stands there twice.`);
  return { type: "string", enum: values };
}

function nullable(schema: JsonSchema): JsonSchema {
  const values = schema["enum"];
  return {
    ...schema,
    type: [schema["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}
