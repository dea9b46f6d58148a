/**
 * Compiles customers' JSON Schemas (2020-12), in the thread of `schema-worker.ts` only: neither compiling nor checking takes a bounded
 * time. Nothing is fetched. Patterns run in RE2, formats are linear, equal elements are found by their text, and every step is
 * counted: so nearly all of what is too slow is refused in the same way each time, before the thread's clock ends it.
 */
import { _, Ajv2020 } from "ajv/dist/2020.js";

import type { CodeKeywordDefinition, ErrorObject, KeywordCxt, ValidateFunction } from "ajv/dist/2020.js";
import type { RegExpEngine } from "ajv/dist/types/index.js";
import { compareExactly, exactTextOf } from "./exact-keywords.ts";
import type { Digits, WithDigits } from "./exact-keywords.ts";
import { formats } from "./string-formats.ts";
import { findLimitProblem } from "./schema-limits.ts";
import type { Patterns } from "./schema-limits.ts";
import { compilePatterns } from "./patterns.ts";
import { findReferenceProblem } from "./schema-references.ts";
import type { SchemaProblem } from "./schema-protocol.ts";

/**
 * Keywords applied to a part of a value, and the characters and members that they look at: more than one for each byte of the
 * largest row, and at worst about a second.
 */
const MAX_STEPS = 10_000_000;

/** RE2 takes that many times as long for a character as the rest, and longer for a large program: each character meets all of it. */
const LEAST_STEPS_PER_MATCHED_CHARACTER = 8;
const INSTRUCTIONS_PER_STEP = 2;

/** What came of a value: undefined if it fits. */
export type Unfit = { kind: "mismatch"; path: string; message: string } | { kind: "too_expensive" };

export type Compiled =
  | { outcome: "compiled"; check: (value: unknown, written?: WithDigits) => Unfit | undefined }
  | { outcome: "refused"; problem: SchemaProblem };

class TooManySteps extends Error {}

interface Steps {
  left: number;
  /** Throws when there are none left. */
  take(steps: number): void;
}

/** Never throws for what a schema says. `digits`: of integers of the schema that a double does not hold. */
export function compileSchema(schema: Record<string, unknown> | boolean, digits?: Digits): Compiled {
  const patterns = compilePatterns();
  const refused = findLimitProblem(schema, patterns) ?? findReferenceProblem(schema);
  if (refused !== undefined) return { outcome: "refused", problem: refused };
  const steps: Steps = {
    // Schemas are checked against a schema, too.
    left: MAX_STEPS,
    take(count) {
      steps.left -= count;
      if (steps.left < 0) throw new TooManySteps();
    },
  };
  const exact: ExactParts = { ofSchema: digits, ofValue: undefined };
  const plain = newCompiler(patterns, steps, digits === undefined ? undefined : exact);
  let validate: ValidateFunction;
  try {
    validate = plain.compile(schema);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      outcome: "refused",
      // Of a keyword that is not valid, its place; a reference that leads nowhere has none.
      problem: {
        path: plain.errors?.[0]?.instancePath ?? "",
        message: `The schema does not compile: ${message.slice(0, 500)}`,
      },
    };
  }
  // Compiled with the first value that needs it: most values have no such integers.
  let validateExactly = digits === undefined ? undefined : validate;
  return {
    outcome: "compiled",
    check(value, written) {
      steps.left = MAX_STEPS;
      if (written?.digits !== undefined) validateExactly ??= newCompiler(patterns, steps, exact).compile(schema);
      const used = written?.digits === undefined ? validate : (validateExactly ?? validate);
      exact.ofValue = written?.digits;
      return checkWith(used, steps, value, written?.holder ?? {});
    },
  };
}

interface ExactParts {
  ofSchema: Digits | undefined;
  /** Of the value that is checked at the moment. */
  ofValue: Digits | undefined;
}

/** `exact`: its keywords look at the digits of numbers. */
function newCompiler(patterns: Patterns, steps: Steps, exact: ExactParts | undefined): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    // Else a definition is compiled as often as it is named.
    inlineRefs: false,
    code: { regExp: re2(patterns, steps) },
    logger: false,
  });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  findEqualsByText(ajv, steps, exact);
  if (exact !== undefined)
    compareExactly(
      ajv,
      exact.ofSchema,
      () => exact.ofValue,
      (count) => steps.take(count),
    );
  countSteps(ajv, steps);
  return ajv;
}

function checkWith(validate: ValidateFunction, steps: Steps, value: unknown, holder: object): Unfit | undefined {
  steps.left = MAX_STEPS;
  try {
    const place = { instancePath: "", parentData: holder, parentDataProperty: "", rootData: value as object };
    if (validate(value, { ...place, dynamicAnchors: {} })) return undefined;
  } catch (error) {
    // What nests deeper than the stack is one more way to write a schema that nobody can check.
    if (!(error instanceof TooManySteps) && !(error instanceof RangeError)) throw error;
    return { kind: "too_expensive" };
  }
  const error = validate.errors?.[0];
  const path = error?.instancePath ?? "";
  return {
    kind: "mismatch",
    path,
    message: `${path === "" ? "The value" : path} ${error?.message ?? "is not valid"}${detailOf(error, value)}.`,
  };
}

function detailOf(error: ErrorObject | undefined, value: unknown): string {
  if (error?.keyword === "additionalProperties") return ` ("${String(error.params["additionalProperty"])}")`;
  // The name of a member has the place of its object.
  if (error?.keyword !== "type" || error.propertyName !== undefined) return "";
  return `, not ${typeOf(valueAt(value, error.instancePath))}`;
}

/** By a path that the check of the same value has found. */
const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((inner, part) => (inner as Record<string, unknown>)[part], value);

/** As a JSON Schema calls it. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// ajv caches patterns by `toString()`: without it every pattern would be taken for the first.
const re2 = (patterns: Patterns, steps: Steps): RegExpEngine =>
  Object.assign(
    (pattern: string, flags: string) => {
      const compiled = patterns.compile(pattern);
      const perCharacter = Math.max(
        LEAST_STEPS_PER_MATCHED_CHARACTER,
        Math.ceil(compiled.programSize() / INSTRUCTIONS_PER_STEP),
      );
      return {
        test: (text: string) => {
          steps.take(text.length * perCharacter);
          return compiled.matcher(text).find();
        },
        toString: () => `/${pattern}/${flags}`,
      };
    },
    { code: "re2" },
  );

/** ajv compares each element with each other one. */
function findEqualsByText(ajv: Ajv2020, steps: Steps, exact: ExactParts | undefined): void {
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    compile: (isWanted: boolean) => (elements: readonly unknown[]) => {
      if (!isWanted) return true;
      const seen = new Set<string>();
      for (const [at, element] of elements.entries()) {
        const text = exactTextOf(element, exact?.ofValue, elements, String(at));
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

/** Calls and alternatives, with the errors that are gathered meanwhile, take twenty times as long as a comparison. */
const STEPS_OF_CALL = 20;
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
