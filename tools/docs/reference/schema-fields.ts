/** The members of a schema as rows of a table: name, type, and what it means with its limits. */
import { failureCodeNames } from "@rowmill/contract/failures";
import { ProcessorSchema } from "@rowmill/contract/processors";
import { components } from "@rowmill/contract/schemas";
import { cell, code } from "./markdown-text.ts";

/** The keywords that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  title?: string;
  description?: string;
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: { minLength?: number; maxLength?: number };
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string };
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
}

export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  meaning: string;
}

/** More values than this do not fit beside a name: they stand below the table. */
const MAX_VALUES_IN_TABLE = 14;

/** What lies deeper is described by its own schema, or is too much for a table. */
const MAX_DEPTH = 3;

/** How a page shows a component: a link to where it is described, or undefined where its members stand in place. */
export type LinkTo = (component: string) => string | undefined;

/** TypeBox schemas are plain JSON. */
export const plain = (schema: object): Schema => JSON.parse(JSON.stringify(schema)) as Schema; // as just said

const processor = JSON.stringify(ProcessorSchema);

/** The name under which a schema is described once: that of its component. The processors have one on these pages only. */
const nameOf = (schema: Schema): string | undefined =>
  schema.$ref ?? (schema.oneOf !== undefined && JSON.stringify(schema) === processor ? "Processor" : undefined);

/** The schema with this name. */
export function schemaNamed(name: string): Schema {
  const schema = name === "Processor" ? ProcessorSchema : components.get(name);
  if (schema === undefined) throw new Error(`there is no component ${name}`);
  return plain(schema);
}

export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const named = components.get(schema.$ref);
  if (named === undefined) throw new Error(`no component ${schema.$ref}`);
  return { ...plain(named), ...(schema.description === undefined ? {} : { description: schema.description }) };
}

/** Rows for each member of an object, and below it those of the objects within. */
export function fieldsOf(schema: Schema, linkTo: LinkTo, prefix = "", depth = 0): Field[] {
  const s = resolve(schema);
  const variants = s.oneOf ?? [];
  const own = Object.entries(s.properties ?? {}).flatMap(([name, member]) =>
    fieldOf(`${prefix}${name}`, member, s.required?.includes(name) === true, linkTo, depth),
  );
  return [...own, ...fieldsOfVariants(s, variants, linkTo, prefix, depth)];
}

/** One of several objects: the member that distinguishes them, and the members of each. */
function fieldsOfVariants(s: Schema, variants: Schema[], linkTo: LinkTo, prefix: string, depth: number): Field[] {
  const by = s.discriminator?.propertyName;
  if (by === undefined || variants.length === 0) return [];
  const values = variants.map((variant) => String(resolve(variant).properties?.[by]?.const));
  const rows: Field[] = [
    {
      name: `${prefix}${by}`,
      type: values.map(code).join(", "),
      isRequired: true,
      meaning: describeVariants(variants, values),
    },
  ];
  const seen = new Map<string, { field: Field; of: string[] }>();
  for (const [n, variant] of variants.entries()) {
    const members = { ...resolve(variant) };
    const { [by]: _constant, ...properties } = members.properties ?? {};
    for (const field of fieldsOf({ ...members, properties }, linkTo, prefix, depth)) {
      const known = [...seen.values()].find((entry) => sameField(entry.field, field));
      if (known) known.of.push(values[n] ?? "");
      else seen.set(`${values[n]} ${field.name}`, { field, of: [values[n] ?? ""] });
    }
  }
  for (const { field, of } of seen.values()) {
    const isOfAll = of.length === values.length;
    rows.push({ ...field, meaning: isOfAll ? field.meaning : meaningOfVariants(of, field.meaning) });
  }
  return rows;
}

const meaningOfVariants = (of: readonly string[], meaning: string): string =>
  meaning === "" ? `Of ${of.map(code).join(", ")}.` : `${of.map(code).join(", ")}: ${meaning}`;

const sameField = (a: Field, b: Field): boolean =>
  a.name === b.name && a.type === b.type && a.meaning === b.meaning && a.isRequired === b.isRequired;

const describeVariants = (variants: Schema[], values: string[]): string =>
  variants
    .map((variant, n) => ({ value: values[n] ?? "", text: resolve(variant).description }))
    .filter(({ text }) => text !== undefined)
    .map(({ value, text }) => `${code(value)}: ${text}`)
    .join(" ");

function fieldOf(name: string, schema: Schema, isRequired: boolean, linkTo: LinkTo, depth: number): Field[] {
  const s = withoutNull(resolve(schema)).schema;
  const row: Field = { name, type: typeOf(schema, linkTo), isRequired, meaning: meaningOf(s, schema) };
  if (linkOf(schema, linkTo) !== undefined || depth > MAX_DEPTH) return [row];
  return [row, ...(s.anyOf ?? [s]).flatMap((variant) => innerFields(name, variant, linkTo, depth + 1))];
}

/** Of an object, of the items of a list, and of the values of an object whose members have names of their own. */
function innerFields(name: string, schema: Schema, linkTo: LinkTo, depth: number): Field[] {
  if (linkOf(schema, linkTo) !== undefined) return [];
  const s = withoutNull(resolve(schema)).schema;
  if (s.type === "array") return innerFields(`${name}[]`, s.items ?? {}, linkTo, depth);
  if (s.properties !== undefined || s.oneOf !== undefined) return fieldsOf(s, linkTo, `${name}.`, depth);
  const values = s.additionalProperties;
  return typeof values === "object" && values.properties !== undefined
    ? fieldsOf(values, linkTo, `${name}.*.`, depth)
    : [];
}

/** `anyOf` with null is how the contract says that something may be null. */
function withoutNull(schema: Schema): { schema: Schema; isNullable: boolean } {
  const others = (schema.anyOf ?? []).filter((variant) => variant.type !== "null");
  if (schema.anyOf === undefined || others.length === schema.anyOf.length) return { schema, isNullable: false };
  const [only] = others;
  return others.length === 1 && only !== undefined
    ? {
        schema: { ...resolve(only), ...(schema.description ? { description: schema.description } : {}) },
        isNullable: true,
      }
    : { schema: { ...schema, anyOf: others }, isNullable: true };
}

function linkOf(schema: Schema, linkTo: LinkTo): string | undefined {
  const name = nameOf(schema);
  if (name !== undefined) return linkTo(name);
  const others = (schema.anyOf ?? []).filter((variant) => variant.type !== "null");
  return others.length === 1 && others[0]?.$ref !== undefined ? linkTo(others[0].$ref) : undefined;
}

/** Markdown: `integer`, 1 to 100; or null. */
export function typeOf(schema: Schema, linkTo: LinkTo): string {
  const { schema: s, isNullable } = withoutNull(resolve(schema));
  return `${bareType(schema, s, linkTo)}${isNullable ? " or null" : ""}`;
}

function bareType(written: Schema, s: Schema, linkTo: LinkTo): string {
  const link = linkOf(written, linkTo);
  if (link !== undefined) return link;
  if (s.const !== undefined) return code(JSON.stringify(s.const));
  if (s.enum) return enumType(s.enum, linkTo);
  if (s.anyOf) return [...new Set(s.anyOf.map((variant) => typeOf(variant, linkTo)))].join(" or ");
  if (Array.isArray(s.type)) return s.type.join(" or ");
  switch (s.type) {
    case "integer":
    case "number":
      return s.type;
    case "boolean":
      return "boolean";
    case "array":
      return `list of ${pluralOf(typeOf(s.items ?? {}, linkTo))}`;
    case "object":
      return typeof s.additionalProperties === "object" &&
        s.properties === undefined &&
        s.additionalProperties.type === "string"
        ? "object of strings"
        : "object";
    case "string":
      return stringType(s);
    default:
      return "any JSON value";
  }
}

const isFailureCodes = (values: readonly unknown[]): boolean =>
  values.length === failureCodeNames.length && values.every((value, n) => value === failureCodeNames[n]);

function enumType(values: readonly unknown[], linkTo: LinkTo): string {
  if (isFailureCodes(values)) return linkTo("FailureCode") ?? "failure code";
  return values.length > MAX_VALUES_IN_TABLE
    ? `one of ${values.length} words, see below`
    : values.map((value) => code(String(value))).join(", ");
}

function stringType(s: Schema): string {
  if (s.format === "date-time") return "time";
  if (s.format === "date") return "date";
  const prefix = /^\^([a-z]+)_\[0-9a-z\]/.exec(s.pattern ?? "")?.[1] ?? /^\^([a-z]+)_$/.exec(s.pattern ?? "")?.[1];
  if (prefix !== undefined) return `id ${code(`${prefix}_…`)}`;
  if (s.pattern?.startsWith("^\\d{1,12}") === true) return "amount";
  return "string";
}

const pluralOf = (type: string): string =>
  ({
    string: "strings",
    integer: "integers",
    number: "numbers",
    object: "objects",
    boolean: "booleans",
    time: "times",
  })[type] ?? type;

/** The description, and the limits that it does not say itself. */
function meaningOf(s: Schema, written: Schema): string {
  const description = written.description ?? s.description ?? "";
  const limits = limitsOf(s);
  const isSaid = description.endsWith(".") || description === "" || /[.:!?…]$/.test(description);
  return [description === "" ? "" : `${description}${isSaid ? "" : "."}`, limits === "" ? "" : `${limits}.`]
    .filter((part) => part !== "")
    .join(" ");
}

const grouped = (number: number): string => (number >= 10_000 ? number.toLocaleString("en") : String(number));

export function limitsOf(s: Schema): string {
  const parts: string[] = [];
  const hasUpper = s.maximum !== undefined && s.maximum < Number.MAX_SAFE_INTEGER;
  if (hasUpper && s.minimum !== undefined) parts.push(`${grouped(s.minimum)} to ${grouped(s.maximum ?? 0)}`);
  else if (hasUpper) parts.push(`At most ${grouped(s.maximum ?? 0)}`);
  if (s.maxLength !== undefined) parts.push(`Up to ${grouped(s.maxLength)} characters`);
  if (s.maxItems !== undefined)
    parts.push(
      s.minItems === undefined ? `Up to ${grouped(s.maxItems)} items` : `${s.minItems} to ${grouped(s.maxItems)} items`,
    );
  if (s.maxProperties !== undefined && !(s.description ?? "").includes(String(s.maxProperties)))
    parts.push(`Up to ${grouped(s.maxProperties)} members`);
  if (s.default !== undefined) parts.push(`Default ${code(JSON.stringify(s.default))}`);
  return parts.join(". ");
}

/** Enumerations too long for the table, by the name of their member. */
export function longEnumsOf(schema: Schema, linkTo: LinkTo, prefix = ""): { name: string; values: string[] }[] {
  const s = withoutNull(resolve(schema)).schema;
  const inner = s.type === "array" ? resolve(s.items ?? {}) : s;
  if (inner.enum && inner.enum.length > MAX_VALUES_IN_TABLE && !isFailureCodes(inner.enum))
    return [{ name: prefix, values: inner.enum.map(String) }];
  return Object.entries(inner.properties ?? {}).flatMap(([name, member]) =>
    linkOf(member, linkTo) === undefined ? longEnumsOf(member, linkTo, prefix === "" ? name : `${prefix}.${name}`) : [],
  );
}

export const rowsOf = (fields: readonly Field[], saysRequired: boolean): string[][] =>
  fields.map(({ name, type, isRequired, meaning }) => [
    code(name) + (saysRequired && isRequired ? " (required)" : ""),
    cell(type).replaceAll("&lt;", "<"),
    cell(meaning),
  ]);
