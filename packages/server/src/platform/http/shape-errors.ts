/** What a validator finds wrong with a body, as details that a person can act on: each with its place, a code and a cure. */
import type { ErrorObject } from "ajv/dist/2020.js";
import { components } from "@rowmill/contract/schemas";
import { didYouMean, nearestName } from "../nearest-name.ts";
import type { ErrorDetail } from "./errors.ts";
import { SHOWN_NAME_LENGTH, pointerTo } from "./json-pointer.ts";
import { memberAliases, valueAliases } from "./member-aliases.ts";
import { placeOf } from "./member-places.ts";
import { plural } from "../plural.ts";
import { cutText } from "../text.ts";

/** The keywords of request schemas that sentences are made from. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  discriminator?: { propertyName: string };
  "x-hint"?: string;
}

/** As many as are shown. */
const MAX_UNKNOWN_OF_UNION = 20;

/** `suggest`: a sentence that takes longer to find than all else, and is wanted only where the detail is shown. */
interface Detail extends ErrorDetail {
  suggest?: () => string;
}

/**
 * In the order of the validator, but unknown members first: they are often the cause of missing ones. One detail for each
 * place, of which the first `shown` are complete. `verbose` errors carry their schema.
 */
export function describeShapeErrors(errors: readonly ErrorObject[], shown: number): ErrorDetail[] {
  const found: { error: ErrorObject; detail: Detail }[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      found.push({ error, detail: describe(error) });
      if (error.keyword === "discriminator")
        found.push(...errorsOfAnyVariant(error).map((detail) => ({ error, detail })));
      continue;
    }
    // What the variants say stands just before: of those, the one that was meant is kept.
    const at = error.instancePath;
    const first = found.findLastIndex((other) => !isWithin(other.error.instancePath, at)) + 1;
    const ofVariants = found.splice(first);
    const inside = ofVariants.filter(({ detail }) => detail.path.length > at.length);
    found.push(...(inside.length > 0 ? inside : [mostSpecific(ofVariants) ?? { error, detail: describe(error) }]));
  }
  const details = new Map<string, Detail>();
  for (const { detail } of found) if (!details.has(detail.path)) details.set(detail.path, detail);
  return [...details.values()]
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ suggest, ...detail }, i) =>
      suggest === undefined || i >= shown ? detail : { ...detail, message: detail.message + suggest() },
    );
}

const rank = ({ code }: ErrorDetail): number => (code === "unknown_field" ? 0 : 1);
const isWithin = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** Of variants that refuse the value as a whole: one that takes its type, else what types they take together. */
function mostSpecific(all: { error: ErrorObject; detail: Detail }[]) {
  const [first] = all;
  const other = all.find(({ error }) => error.keyword !== "type");
  if (first === undefined || other !== undefined) return other;
  const types = all.map(({ error }) => String((error.params as Record<string, unknown>)["type"])); // as ajv names them
  const error = { ...first.error, params: { type: [...new Set(types)].join(" or ") } };
  return { error, detail: describe(error) };
}

function describe(error: ErrorObject): Detail {
  const at = error.instancePath;
  const schema = (error.parentSchema ?? {}) as Schema;
  const hint = schema["x-hint"] === undefined ? "" : ` ${schema["x-hint"]}`;
  if (error.propertyName !== undefined)
    return {
      path: at,
      code: error.keyword,
      message: `The name \`${cutText(error.propertyName, SHOWN_NAME_LENGTH)}\` in \`${dotted(at)}\` ${ruleOf(error)}.${hint}`,
    };
  const name = at === "" ? "The body" : `\`${dotted(at)}\``;
  const params = error.params as Record<string, unknown>; // ajv's, by keyword
  switch (error.keyword) {
    case "additionalProperties":
      return unknownMember(at, String(params["additionalProperty"]), schema);
    case "required": {
      const missing = String(params["missingProperty"]);
      const isTag = missing === schema.discriminator?.propertyName;
      return missingMember(at, missing, isTag ? ` ${listValues(tagsOf(schema))}` : "");
    }
    case "type": {
      const wanted = String(params["type"]);
      return {
        path: at,
        code: "wrong_type",
        message: `${name} must be of type ${wanted}${rangeOf(schema)}.${hint === "" ? quoting(wanted, error.data) : hint}`,
      };
    }
    case "enum":
      return { path: at, code: "unknown_value", message: `${name} ${mustBe(params["allowedValues"], error.data)}` };
    case "const":
      return { path: at, code: "unknown_value", message: `${name} must be ${JSON.stringify(params["allowedValue"])}.` };
    case "discriminator": {
      const path = `${at}/${String(params["tag"])}`;
      return {
        path,
        code: "unknown_value",
        message: `\`${dotted(path)}\` ${mustBe(tagsOf(schema), params["tagValue"])}`,
      };
    }
    case "minimum":
    case "maximum":
      return { path: at, code: error.keyword, message: `${name} must be a number${rangeOf(schema)}.${hint}` };
    default:
      return { path: at, code: error.keyword, message: `${name} ${ruleOf(error)}.${hint}` };
  }
}

/** What the value must be, in words. A pattern says nothing to most people: its hint does, and a test requires one. */
function ruleOf({ keyword, params, schema, message = "is not valid" }: ErrorObject): string {
  const limit = Number((params as Record<string, unknown>)["limit"]);
  switch (keyword) {
    case "pattern":
      return "does not have the right form";
    case "format":
      return schema === "date-time" ? "must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z" : message;
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${plural(limit, "character")}`;
    case "maxLength":
      return `may have at most ${plural(limit, "character")}`;
    case "minItems":
      return limit === 1 ? "must not be empty" : `must have at least ${plural(limit, "item")}`;
    case "maxItems":
      return `may have at most ${plural(limit, "item")}`;
    case "minProperties":
      return limit === 1 ? "must not be empty" : `must have at least ${plural(limit, "member")}`;
    case "maxProperties":
      return `may have at most ${plural(limit, "member")}`;
    case "uniqueItems":
      return "must not have an item twice";
    default:
      return message;
  }
}

/** Which variant was meant is not known: what is wrong in each of them is wrong. */
function errorsOfAnyVariant({ instancePath: at, data, parentSchema }: ErrorObject): Detail[] {
  if (typeof data !== "object" || data === null) return [];
  const { oneOf = [], discriminator } = (parentSchema ?? {}) as Schema;
  const variants = oneOf.map(resolve);
  const properties = Object.assign({}, ...variants.map((variant) => variant.properties ?? {})) as Schema["properties"] &
    object; // merged
  const [first, ...others] = variants.map(({ required = [] }) => required);
  const missing = (first ?? []).filter(
    (name) =>
      name !== discriminator?.propertyName &&
      !Object.hasOwn(data, name) &&
      others.every((required) => required.includes(name)),
  );
  return [
    ...Object.keys(data)
      .filter((name) => !Object.hasOwn(properties, name))
      .slice(0, MAX_UNKNOWN_OF_UNION)
      .map((name) => unknownMember(at, name, { properties })),
    ...missing.map((name) => missingMember(at, name)),
  ];
}

function unknownMember(at: string, name: string, schema: Schema): Detail {
  const path = pointerTo(at, name);
  const detail = { path, code: "unknown_field", message: `There is no member \`${dotted(path)}\` here.` };
  // A name that is cut was meant for none of ours, and may have megabytes.
  return name.length > SHOWN_NAME_LENGTH ? detail : { ...detail, suggest: () => suggestMember(name, schema) };
}

function missingMember(at: string, name: string, values = ""): ErrorDetail {
  const path = `${at}/${name}`;
  return { path, code: "missing", message: `\`${dotted(path)}\` is required.${values}` };
}

/** ` from 1 to 5`, where the schema is one of numbers with both bounds. */
const rangeOf = ({ minimum, maximum }: Schema): string =>
  minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;

/** Values that `member` takes in the variants of a union. */
const tagsOf = ({ oneOf = [], discriminator }: Schema): string[] =>
  oneOf.flatMap((variant) => {
    const tag = resolve(variant).properties?.[discriminator?.propertyName ?? ""]?.const;
    return typeof tag === "string" ? [tag] : [];
  });

const listValues = (values: readonly string[]): string => `It is one of: ${values.join(", ")}.`;

function mustBe(allowed: unknown, given: unknown): string {
  const values = (allowed as unknown[]).map(String); // a list, by the keyword
  return `must be one of: ${values.join(", ")}.${typeof given === "string" ? didYouMean(given, values, aliasesOfValues) : ""}`;
}

const aliasesOfValues = { ...memberAliases, ...valueAliases };

/** The member that was meant: one of the same object, of an object within it, or of another body. */
function suggestMember(unknown: string, schema: Schema): string {
  const own = Object.keys(schema.properties ?? {});
  const near = nearestName(unknown, own, memberAliases);
  const isSure = near !== undefined && isSameOrAlias(unknown, near);
  if (!isSure) {
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      for (const inner of innerNames(member))
        if (isSameOrAlias(unknown, inner)) return ` Did you mean \`${name}.${inner}\`?`;
    const place = placeOf(fold(unknown), own);
    if (place !== "") return place;
  }
  return near === undefined ? "" : ` Did you mean \`${near}\`?`;
}

/** Of an object, or of all variants of a union. */
function innerNames(member: Schema): string[] {
  const object = resolve(member);
  return [object, ...(object.oneOf ?? []).map(resolve)].flatMap(({ properties = {} }) => Object.keys(properties));
}

const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const isSameOrAlias = (unknown: string, known: string): boolean =>
  fold(unknown) === fold(known) ||
  (Object.hasOwn(memberAliases, fold(unknown)) && memberAliases[fold(unknown)]?.includes(known) === true);

function resolve(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolve(components.get(schema.$ref) ?? {});
  return schema.anyOf?.[0] === undefined ? schema : resolve(schema.anyOf[0]);
}

/** A value with its quotes missing, or with quotes too many. */
function quoting(wanted: string, given: unknown): string {
  const types = wanted.split(" or ");
  if (types.includes("string") && (typeof given === "number" || typeof given === "boolean"))
    return ` Write it in quotes: "${given}".`;
  const isNumber = /^-?\d{1,15}(\.\d{1,10})?$/;
  if (typeof given !== "string") return "";
  const isWanted = types.includes("number") || (types.includes("integer") && !given.includes("."));
  if (isWanted && isNumber.test(given)) return ` Write it without quotes: ${given}.`;
  return types.includes("boolean") && (given === "true" || given === "false")
    ? ` Write it without quotes: ${given}.`
    : "";
}

const dotted = (path: string): string => path.slice(1).replaceAll("/", ".");
