/** Bodies made from the request schemas of the contract: one that is right, and every way to make one member of it wrong. */
import type { Operation } from "@rowmill/contract/operation";
import { components } from "@rowmill/contract/schemas";

export type BodySchema = NonNullable<Operation["body"]>;

/** The keywords that the contract's request schemas use. */
interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
  examples?: unknown[];
  $ref?: string;
}

export interface WrongBody {
  /** What is wrong, such as `/scope/count: a number as text`. */
  title: string;
  body: unknown;
  /** `any`: the schema has no limit here, and yet it must not be too much for the service. */
  code: "invalid_request" | "unknown_field" | "any";
  /** JSON pointer of the member to blame; for an unknown or missing one, its own. */
  at: string;
}

/** A right body with no more than what is required, one for each variant of its unions. */
export const rightBodies = (schema: BodySchema): unknown[] =>
  variantsOf(read(schema)).map((variant) => exampleOf(variant.schema));

export function wrongBodies(schema: BodySchema): WrongBody[] {
  return variantsOf(read(schema)).flatMap((variant) =>
    wrongValues(variant.schema)
      .filter(({ at }) => isNew(at, variant))
      .map(({ what, value, code, at }) => ({ title: `${at}: ${what}`, body: value, code, at })),
  );
}

/** A place in a body where a number belongs. */
export interface NumberPlace {
  /** JSON pointer. */
  at: string;
  isInteger: boolean;
  minimum: number | undefined;
  maximum: number | undefined;
  /** A body that is right but for this value. */
  bodyWith: (value: unknown) => unknown;
}

/** Every number of every variant of the body. */
export function numberPlaces(schema: BodySchema): NumberPlace[] {
  return variantsOf(read(schema)).flatMap((variant) => placesIn(variant.schema).filter(({ at }) => isNew(at, variant)));
}

function placesIn(schema: Schema): NumberPlace[] {
  const s = resolve(schema);
  const types = s.type === undefined ? [] : [s.type].flat();
  const own: NumberPlace[] = types.some((type) => type === "integer" || type === "number")
    ? [{ at: "", isInteger: types.includes("integer"), minimum: s.minimum, maximum: s.maximum, bodyWith: (v) => v }]
    : [];
  const within = (inner: Schema, name: string, wrap: (value: unknown) => unknown): NumberPlace[] =>
    placesIn(inner).map((place) => ({
      ...place,
      at: `/${name}${place.at}`,
      bodyWith: (value) => wrap(place.bodyWith(value)),
    }));
  const right = types.includes("object") ? (exampleOf(s) as Record<string, unknown>) : {}; // an object schema's example is an object
  return [
    ...own,
    ...Object.entries(s.properties ?? {}).flatMap(([name, member]) =>
      within(member, name, (value) => ({ ...right, [name]: value })),
    ),
    ...(typeof s.additionalProperties === "object"
      ? within(s.additionalProperties, "label", (value) => ({ label: value }))
      : []),
    ...(s.items === undefined ? [] : within(s.items, "0", (value) => [value])),
    ...[...(s.anyOf ?? []), ...(s.oneOf ?? [])].flatMap(placesIn),
  ];
}

const read = (schema: BodySchema): Schema => resolve(JSON.parse(JSON.stringify(schema)) as Schema); // TypeBox schemas are plain JSON

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const named = components.get(schema.$ref);
  if (named === undefined) throw new Error(`no component ${schema.$ref}`);
  return read(named);
}

interface Variant {
  schema: Schema;
  /** JSON pointer of the member in which it differs from the variants before it. */
  at: string;
}

/** What is elsewhere in a body is no other body's: it was there in the variant before. */
const isNew = (at: string, variant: Variant): boolean => at === variant.at || at.startsWith(`${variant.at}/`);

/** The schema with each union replaced by one of its members, in every way once (not every combination of several). */
function variantsOf(schema: Schema): Variant[] {
  const s = resolve(schema);
  if (s.oneOf) return s.oneOf.flatMap(variantsOf);
  if (!s.properties) return [{ schema: s, at: "" }];
  const choices = Object.entries(s.properties).map(([name, member]) => ({ name, variants: variantsOf(member) }));
  const first = Object.fromEntries(choices.map(({ name, variants }) => [name, variants[0]?.schema ?? {}]));
  const others = choices.flatMap(({ name, variants }) =>
    variants.slice(1).map((variant) => ({
      schema: { ...s, properties: { ...first, [name]: variant.schema } },
      at: `/${name}${variant.at}`,
    })),
  );
  return [{ schema: { ...s, properties: first }, at: "" }, ...others];
}

function exampleOf(schema: Schema): unknown {
  const s = resolve(schema);
  if (s.const !== undefined) return s.const;
  if (s.enum) return s.enum[0];
  if (s.examples?.[0] !== undefined) return s.examples[0];
  if (s.anyOf) return exampleOf(s.anyOf[0] ?? {});
  if (s.oneOf) return exampleOf(s.oneOf[0] ?? {});
  switch (typesOf(s)[0]) {
    case "object":
      return Object.fromEntries((s.required ?? []).map((name) => [name, exampleOf(s.properties?.[name] ?? {})]));
    case "array":
      return Array.from({ length: s.minItems ?? 0 }, () => exampleOf(s.items ?? {}));
    case "integer":
    case "number":
      return s.minimum ?? 0;
    case "boolean":
      return true;
    case "string":
      return stringExample(s);
    default:
      return "anything";
  }
}

function stringExample(s: Schema): string {
  if (s.format === "date-time") return "2126-11-20T09:30:00.000Z";
  const text = ["a".repeat(Math.max(1, s.minLength ?? 1)), "0".repeat(64)].find(
    (candidate) => s.pattern === undefined || new RegExp(s.pattern).test(candidate),
  );
  if (text === undefined) throw new Error(`no example for the pattern ${s.pattern}: give the schema one`);
  return text;
}

interface WrongValue {
  what: string;
  value: unknown;
  code: WrongBody["code"];
  at: string;
}

/** Every wrong value in place of one that fits `schema`. */
function wrongValues(schema: Schema): WrongValue[] {
  const s = resolve(schema);
  const wrong: WrongValue[] = [];
  const add = (what: string, value: unknown): void => void wrong.push({ what, value, code: "invalid_request", at: "" });
  const types = typesOf(s);
  if (types.length > 0)
    for (const [type, value] of Object.entries(samples))
      if (!types.includes(type) && !(type === "integer" && types.includes("number")))
        add(`a ${type} (${JSON.stringify(value)}) for ${types.join(" or ")}`, value);
  if (types.includes("integer")) {
    add("a fraction", Math.max(s.minimum ?? 0, 0) + 0.5);
    add("a number as text", String(exampleOf(s)));
    for (const number of [3e9, 2 ** 53, 1e308])
      if (number > (s.maximum ?? 0))
        wrong.push({
          what: `${number}`,
          value: number,
          code: s.maximum === undefined ? "any" : "invalid_request",
          at: "",
        });
  }
  if (types.includes("boolean"))
    for (const text of ["true", "false", "", 0, 1]) add(`${JSON.stringify(text)} for a boolean`, text);
  if (s.minimum !== undefined) add("below the minimum", s.minimum - 1);
  if (s.maximum !== undefined) add("above the maximum", s.maximum + 1);
  if (s.enum) {
    add("an unknown word", "frobnicate");
    const last = String(s.enum.at(-1));
    add("another case", last === last.toUpperCase() ? last.toLowerCase() : last.toUpperCase());
    add("a space behind it", `${String(s.enum[0])} `);
  }
  if (s.minLength !== undefined && s.minLength > 0) add("an empty text", "");
  if (s.maxLength !== undefined) add("a text too long by one", "x".repeat(s.maxLength + 1));
  if (s.pattern !== undefined) add("a text that fits no pattern", "\n!");
  if (s.format === "date-time")
    for (const text of ["", "tomorrow", "2126-11-20", "2126-13-20T09:30:00Z", "2126-11-20T09:30:00", "1795000000"])
      add(`${JSON.stringify(text)} for a time`, text);
  if (types.includes("array")) addWrongArrays(s, wrong, add);
  if (types.includes("object")) addWrongObjects(s, wrong, add);
  for (const variant of s.anyOf ?? []) {
    if (typesOf(resolve(variant)).includes("null")) continue;
    // What one variant refuses, another may take: only wrong members inside are wrong in any case.
    wrong.push(
      ...wrongValues(variant).filter(({ at, what }) => at !== "" || /minimum|maximum|too|word|time|empty/.test(what)),
    );
  }
  for (const variant of s.oneOf ?? []) wrong.push(...wrongValues(variant).filter(({ at }) => at !== ""));
  return wrong;
}

function addWrongArrays(s: Schema, wrong: WrongValue[], add: (what: string, value: unknown) => void): void {
  const item = exampleOf(s.items ?? {});
  if ((s.minItems ?? 0) > 0) add("an empty list", []);
  if (s.maxItems !== undefined)
    add(
      "a list too long by one",
      Array.from({ length: s.maxItems + 1 }, () => item),
    );
  if (s.uniqueItems === true) add("an item twice", [item, item]);
  for (const inner of wrongValues(s.items ?? {})) wrong.push({ ...inner, value: [inner.value], at: `/0${inner.at}` });
}

function addWrongObjects(s: Schema, wrong: WrongValue[], add: (what: string, value: unknown) => void): void {
  const right = exampleOf(s) as Record<string, unknown>; // an object schema's example is an object
  for (const name of s.required ?? []) {
    const { [name]: _left, ...rest } = right;
    wrong.push({ what: "left out", value: rest, code: "invalid_request", at: `/${name}` });
  }
  for (const [name, member] of Object.entries(s.properties ?? {}))
    for (const inner of wrongValues(member))
      wrong.push({ ...inner, value: { ...right, [name]: inner.value }, at: `/${name}${inner.at}` });
  if (s.additionalProperties === false)
    for (const name of ["frobnicate", "constructor", "toString", ""])
      wrong.push({
        what: "a member that does not exist",
        value: { ...right, [name]: 1 },
        code: "unknown_field",
        at: `/${name}`,
      });
  if (typeof s.additionalProperties === "object") {
    for (const inner of wrongValues(s.additionalProperties))
      wrong.push({ ...inner, value: { label: inner.value }, at: `/label${inner.at}` });
    const longest = s.propertyNames?.maxLength;
    if (longest !== undefined) add("a name too long by one", { ["n".repeat(longest + 1)]: "x" });
    if (s.maxProperties !== undefined)
      add(
        "one label too many",
        Object.fromEntries(Array.from({ length: s.maxProperties + 1 }, (_, i) => [`label${i}`, "x"])),
      );
  }
}

/** One value of each JSON type; an object and a list that are wrong wherever another type is asked. */
const samples: Record<string, unknown> = {
  null: null,
  boolean: true,
  integer: 7,
  number: 7.5,
  string: "text",
  object: {},
  array: [],
};

function typesOf(s: Schema): string[] {
  if (s.type !== undefined) return Array.isArray(s.type) ? s.type : [s.type];
  if (s.const !== undefined) return [typeof s.const];
  if (s.enum) return ["string"];
  // A union takes what any of its variants takes.
  return [...new Set((s.anyOf ?? s.oneOf ?? []).flatMap((variant) => typesOf(resolve(variant))))];
}
