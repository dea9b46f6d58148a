/** What a schema may have, found out before it is compiled: compiling takes longer than in proportion to each of these. */
import { repeatGrowth } from "./repeat-growth.ts";
import type { SchemaProblem } from "./schema-protocol.ts";

export const MAX_SCHEMA_BYTES = 64 * 1024;

/** With 2,000 properties a schema compiles for about two seconds. */
export const MAX_SUBSCHEMAS = 2_000;

/** Of one `oneOf`, `anyOf` or `allOf`: the code of `oneOf` grows with the square of its alternatives. */
export const MAX_ARMS = 250;

/** RE2 instructions: `[a-z]{1,1000}` has two thousand. A text is matched in the time of its length times this. */
export const MAX_PATTERN_INSTRUCTIONS = 5_000;

/** Of what repeats add before the compiler makes it shorter: a pattern with more is not compiled. */
const MAX_REPEAT_GROWTH = 4 * MAX_PATTERN_INSTRUCTIONS;

/** Of all patterns of a schema together: they stay in memory as long as the schema does. */
export const MAX_ALL_PATTERN_INSTRUCTIONS = 20_000;

export interface Patterns {
  /** Throws for what RE2 does not know. */
  compile(pattern: string): { programSize(): number; matcher(text: string): { find(): boolean } };
}

/** Keywords by what stands below them. */
const ONE = [
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "additionalItems",
];
const ARMS = ["allOf", "anyOf", "oneOf"];
const LISTS = [...ARMS, "prefixItems", "items"];
const NAMED = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "dependencies"];

interface Located {
  node: unknown;
  path: string;
}

interface Below extends Located {
  keyword: string;
}

export function findLimitProblem(schema: unknown, patterns: Patterns): SchemaProblem | undefined {
  const { length } = JSON.stringify(schema);
  if (length > MAX_SCHEMA_BYTES)
    return { path: "", message: `The schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB.` };
  let subschemas = 0;
  let allInstructions = 0;
  const open: Located[] = [{ node: schema, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (++subschemas > MAX_SUBSCHEMAS)
      return { path, message: `The schema has more than ${MAX_SUBSCHEMAS} subschemas.` };
    if (!isObject(node)) continue;
    const tooMany = findArmsProblem(node, path);
    if (tooMany !== undefined) return tooMany;
    for (const { pattern, at } of patternsIn(node, path)) {
      const measured = measurePattern(patterns, pattern);
      if (typeof measured === "string") return { path: at, message: measured };
      allInstructions += measured;
      if (allInstructions > MAX_ALL_PATTERN_INSTRUCTIONS)
        return {
          path: at,
          message: `The patterns of the schema compile to more than ${MAX_ALL_PATTERN_INSTRUCTIONS} instructions together. Use fewer or simpler ones.`,
        };
    }
    open.push(...subschemasOf(node, path));
  }
  return undefined;
}

function findArmsProblem(node: Record<string, unknown>, path: string): SchemaProblem | undefined {
  for (const keyword of ARMS) {
    const arms = node[keyword];
    if (Array.isArray(arms) && arms.length > MAX_ARMS)
      return {
        path: `${path}/${keyword}`,
        message: `\`${keyword}\` has ${arms.length} alternatives; at most ${MAX_ARMS} are allowed. For constants use \`enum\`.`,
      };
  }
  return undefined;
}

function patternsIn(node: Record<string, unknown>, path: string): { pattern: string; at: string }[] {
  const { pattern: written, patternProperties: named } = node;
  return [
    ...(typeof written === "string" ? [{ pattern: written, at: `${path}/pattern` }] : []),
    ...(isObject(named)
      ? Object.keys(named).map((pattern) => ({ pattern, at: `${path}/patternProperties/${escape(pattern)}` }))
      : []),
  ];
}

/** Its instructions, or what is wrong with it. */
function measurePattern(patterns: Patterns, pattern: string): number | string {
  const growth = repeatGrowth(pattern);
  if (growth > MAX_REPEAT_GROWTH)
    return `The repeats of the pattern are about ${Math.min(growth, 1e9)} instructions; at most ${MAX_PATTERN_INSTRUCTIONS} are allowed. Lower its repeat counts.`;
  let instructions: number;
  try {
    instructions = patterns.compile(pattern).programSize();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The pattern cannot be used: ${reason.slice(0, 300)}. Patterns are those of RE2.`;
  }
  return instructions <= MAX_PATTERN_INSTRUCTIONS
    ? instructions
    : `The pattern compiles to ${instructions} instructions; at most ${MAX_PATTERN_INSTRUCTIONS} are allowed. Lower its repeat counts.`;
}

export function subschemasOf(node: Record<string, unknown>, path: string): Below[] {
  const found: Below[] = [];
  for (const keyword of ONE) {
    const below = node[keyword];
    if (isObject(below)) found.push({ keyword, node: below, path: `${path}/${keyword}` });
  }
  for (const keyword of LISTS) {
    const below = node[keyword];
    if (Array.isArray(below))
      for (const [i, arm] of below.entries()) found.push({ keyword, node: arm, path: `${path}/${keyword}/${i}` });
  }
  for (const keyword of NAMED) {
    const below = node[keyword];
    if (!isObject(below)) continue;
    for (const [name, child] of Object.entries(below))
      if (!Array.isArray(child)) found.push({ keyword, node: child, path: `${path}/${keyword}/${escape(name)}` });
  }
  return found;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One part of a JSON pointer (RFC 6901). */
const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
