/**
 * Customers' JSON Schemas (2020-12): compiled once, nothing fetched, and no value can hang the process: patterns run in RE2,
 * equal elements are found by their text, and every other step is counted, since a few references to each other are enough
 * for a check that takes years.
 */
import { _, Ajv2020 } from "ajv/dist/2020.js";

import type { CodeKeywordDefinition, KeywordCxt } from "ajv/dist/2020.js";
import type { RegExpEngine } from "ajv/dist/types/index.js";
import addFormats from "ajv-formats";
import canonicalize from "canonicalize";
import { RE2JS } from "re2js";

/** A schema of 2,000 properties compiles for two seconds, on the thread that serves requests. */
const MAX_SCHEMA_BYTES = 64 * 1024;

/**
 * Keywords applied to a part of a value, and the characters and members that they look at: two for each byte of the largest
 * row, and at worst some seconds of the thread that serves everybody.
 */
const MAX_STEPS = 20_000_000;

/** RE2 is linear, and takes that many times as long for a character as the rest. */
const STEPS_PER_MATCHED_CHARACTER = 8;

/** A sentence on what is wrong with a value, or undefined if it fits. */
export type SchemaCheck = (value: unknown) => { path: string; message: string } | undefined;

export class SchemaProblem extends Error {}

class TooManySteps extends Error {}

interface Steps {
  left: number;
  /** Throws when there are none left. */
  take(steps: number): void;
}

/** Throws a `SchemaProblem` with a sentence for a schema that cannot be used. */
export function compileSchema(schema: Record<string, unknown> | boolean): SchemaCheck {
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES)
    throw new SchemaProblem(`The schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB.`);
  const steps: Steps = {
    // Schemas are checked against a schema, too.
    left: MAX_STEPS,
    take(count) {
      steps.left -= count;
      if (steps.left < 0) throw new TooManySteps();
    },
  };
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    // Else a definition is compiled as often as it is named.
    inlineRefs: false,
    code: { regExp: re2(steps) },
    logger: false,
  });
  addFormats.default(ajv);
  findEqualsByText(ajv, steps);
  countSteps(ajv, steps);
  let validate;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw new SchemaProblem(
      `The schema does not compile: ${(error instanceof Error ? error.message : String(error)).slice(0, 500)}`,
    );
  }
  return (value) => {
    steps.left = MAX_STEPS;
    try {
      if (validate(value)) return undefined;
    } catch (error) {
      // What nests deeper than the stack is one more way to write a schema that nobody can check.
      if (!(error instanceof TooManySteps) && !(error instanceof RangeError)) throw error;
      return { path: "", message: "The value takes the schema too long to check: make either of them simpler." };
    }
    const error = validate.errors?.[0];
    const path = error?.instancePath ?? "";
    const extra = error?.keyword === "additionalProperties" ? ` ("${String(error.params["additionalProperty"])}")` : "";
    return { path, message: `${path === "" ? "The value" : path} ${error?.message ?? "is not valid"}${extra}.` };
  };
}

// ajv caches patterns by `toString()`: without it every pattern would be taken for the first.
const re2 = (steps: Steps): RegExpEngine =>
  Object.assign(
    (pattern: string, flags: string) => {
      const compiled = RE2JS.compile(pattern);
      return {
        test: (text: string) => {
          steps.take(text.length * STEPS_PER_MATCHED_CHARACTER);
          return compiled.matcher(text).find();
        },
        toString: () => `/${pattern}/${flags}`,
      };
    },
    { code: "re2" },
  );

/** ajv compares each element with each other one. */
function findEqualsByText(ajv: Ajv2020, steps: Steps): void {
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    compile: (isWanted: boolean) => (elements: readonly unknown[]) => {
      if (!isWanted) return true;
      const seen = new Set<string>();
      for (const element of elements) {
        const text = canonicalize(element) ?? "";
        steps.take(text.length);
        if (seen.has(text)) return false;
        seen.add(text);
      }
      return true;
    },
  });
}

/** Those whose work grows with the characters or the members of what they are applied to. */
const MEASURED: ReadonlySet<string> = new Set(["minLength", "maxLength", "format"]);
const ENUMERATING: ReadonlySet<string> = new Set([
  "additionalProperties",
  "maxProperties",
  "minProperties",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
]);

/** Calls and alternatives, with the errors that are gathered meanwhile, take ten times as long as a comparison. */
const STEPS_OF_CALL = 10;
const CALLING: ReadonlySet<string> = new Set([
  "$dynamicRef",
  "$ref",
  "anyOf",
  "contains",
  "dependentSchemas",
  "if",
  "not",
  "oneOf",
]);

/** Lets every keyword pay for its work before it does it. */
function countSteps(ajv: Ajv2020, steps: Steps): void {
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule !== "object" || !("code" in rule.definition)) continue;
    const { definition } = rule;
    const { code }: CodeKeywordDefinition = rule.definition;
    rule.definition = {
      ...definition,
      code(cxt: KeywordCxt, ruleType?: string) {
        const { gen, data, keyword } = cxt;
        const counter = gen.scopeValue("obj", { ref: steps });
        const least = (CALLING.has(keyword) ? STEPS_OF_CALL : 1) + sizeOf(cxt.schema);
        if (MEASURED.has(keyword)) gen.code(_`${counter}.take((${data}.length || 0) + ${least});`);
        else if (ENUMERATING.has(keyword)) gen.code(_`${counter}.take(Object.keys(${data}).length * ${least});`);
        else gen.code(_`${counter}.take(${least});`);
        code(cxt, ruleType);
      },
    };
  }
}

/** Of a keyword's own value: its names, alternatives or constants. */
function sizeOf(value: KeywordCxt["schema"]): number {
  return typeof value === "object" && value !== null ? Object.keys(value as object).length : 0;
}
