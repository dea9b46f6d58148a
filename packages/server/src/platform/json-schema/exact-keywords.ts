/**
 * Keywords that compare numbers, for schemas or values with integers that a double does not hold. JavaScript reads 9223372036854775807 as
 * one more. ajv sees the doubles, and these keywords the digits beside them. Fractions are compared as doubles, and an integer that is written
 * with an exponent by the digits that JavaScript prints: 9.223372036854775808e18 is 9223372036854776000.
 */
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import { mayHaveOtherIntegers, parseExactIntegers } from "../exact-json.ts";

/** A double has 309 digits at most. To read so many, to compare them and to divide by them takes about as long as each other step. */
const DIGITS_PER_STEP = 16;

/** Digits of such integers, by the object or array that has them and the name there. */
export type Digits = ReadonlyMap<unknown, ReadonlyMap<string, string>>;

export interface WithDigits {
  value: unknown;
  /** Undefined: every integer is what it seems. */
  digits: Digits | undefined;
  /** What a value as a whole is a member of, by the name "". */
  holder: object;
}

export function parseWithDigits(text: string): WithDigits {
  if (!mayHaveOtherIntegers(text)) return { value: JSON.parse(text), digits: undefined, holder: {} };
  const digits = new Map<unknown, Map<string, string>>();
  const holder = { "": parseExactIntegers(text) };
  const open: object[] = [holder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) noteDigits(next, digits, open);
  return { value: holder[""], digits: digits.size === 0 ? undefined : digits, holder };
}

/** Replaces such integers of one object or array by their doubles. `open`: what stands below it. */
function noteDigits(holder: object, digits: Map<unknown, Map<string, string>>, open: object[]): void {
  for (const [name, member] of Object.entries(holder) as [string, unknown][]) {
    if (typeof member !== "object" || member === null) continue;
    if (!JSON.isRawJSON(member)) {
      open.push(member);
      continue;
    }
    (holder as Record<string, unknown>)[name] = Number(member.rawJSON);
    const known = digits.get(holder);
    if (known === undefined) digits.set(holder, new Map([[name, member.rawJSON]]));
    else known.set(name, member.rawJSON);
  }
}

const BOUNDS = {
  minimum: { sign: ">=", fits: (order: number) => order >= 0 },
  maximum: { sign: "<=", fits: (order: number) => order <= 0 },
  exclusiveMinimum: { sign: ">", fits: (order: number) => order > 0 },
  exclusiveMaximum: { sign: "<", fits: (order: number) => order < 0 },
};

/** `ofValue`: digits of the value that is checked. `take`: pays for digits and characters that are compared. */
export function compareExactly(
  ajv: Ajv2020,
  ofSchema: Digits | undefined,
  ofValue: () => Digits | undefined,
  take: (steps: number) => void,
): void {
  compareNumbers(ajv, ofSchema, ofValue, take);
  compareValues(ajv, ofSchema, ofValue, take);
}

function compareNumbers(...[ajv, ofSchema, ofValue, take]: Parameters<typeof compareExactly>): void {
  const writtenIn = (parentSchema: object | undefined, keyword: string): string | undefined =>
    ofSchema?.get(parentSchema)?.get(keyword);
  const writtenAt = (cxt: DataValidationCxt | undefined): string | undefined =>
    ofValue()?.get(cxt?.parentData)?.get(String(cxt?.parentDataProperty));
  for (const [keyword, { sign, fits }] of Object.entries(BOUNDS))
    ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type: "number",
      schemaType: "number",
      error: {
        message: ({ schema, parentSchema }) => `must be ${sign} ${writtenIn(parentSchema, keyword) ?? String(schema)}`,
      },
      compile: (bound: number, parentSchema) => {
        const exactBound = integerOf(bound, writtenIn(parentSchema, keyword), take);
        return (value: number, cxt) => {
          const exact = exactBound === undefined ? undefined : integerOf(value, writtenAt(cxt), take);
          if (exact === undefined || exactBound === undefined) return fits(orderBetween(value, bound));
          return fits(orderBetween(exact, exactBound));
        };
      },
    });
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    error: {
      message: ({ schema, parentSchema }) =>
        `must be multiple of ${writtenIn(parentSchema, "multipleOf") ?? String(schema)}`,
    },
    compile: (divisor: number, parentSchema) => {
      const by = integerOf(divisor, writtenIn(parentSchema, "multipleOf"), take);
      return (value: number, cxt) => {
        const exact = by === undefined ? undefined : integerOf(value, writtenAt(cxt), take);
        return exact === undefined || by === undefined ? Number.isInteger(value / divisor) : exact % by === 0n;
      };
    },
  });
}

function compareValues(...[ajv, ofSchema, ofValue, take]: Parameters<typeof compareExactly>): void {
  const textAt = (value: unknown, cxt: DataValidationCxt | undefined): string => {
    const text = exactTextOf(value, ofValue(), cxt?.parentData, String(cxt?.parentDataProperty));
    take(text.length);
    return text;
  };
  ajv.removeKeyword("const").addKeyword({
    keyword: "const",
    error: { message: "must be equal to constant" },
    compile: (constant: unknown, parentSchema) => {
      const text = exactTextOf(constant, ofSchema, parentSchema, "const");
      return (value: unknown, cxt) => textAt(value, cxt) === text;
    },
  });
  ajv.removeKeyword("enum").addKeyword({
    keyword: "enum",
    schemaType: "array",
    error: { message: "must be equal to one of the allowed values" },
    compile: (allowed: readonly unknown[]) => {
      const texts = new Set(allowed.map((one, at) => exactTextOf(one, ofSchema, allowed, String(at))));
      return (value: unknown, cxt) => texts.has(textAt(value, cxt));
    },
  });
}

const orderBetween = <T extends number | bigint>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0);

/** As it is written; undefined for what is no finite integer. */
function integerOf(value: number, written: string | undefined, take: (steps: number) => void): bigint | undefined {
  const digits = written ?? (Number.isInteger(value) ? printedDigits(value) : undefined);
  take(Math.ceil((digits?.length ?? 1) / DIGITS_PER_STEP));
  return digits === undefined ? undefined : BigInt(digits);
}

/** The digits that JavaScript prints are those that were written, and not all of the double. */
function printedDigits(integer: number): string {
  const [digits = "", exponent] = String(integer).split("e");
  if (exponent === undefined) return digits;
  const [whole = "", fraction = ""] = digits.split(".");
  return whole + fraction + "0".repeat(Number(exponent) - fraction.length);
}

/** Two values have the same text if they are equal: with every digit, and with members in one order. */
export function exactTextOf(value: unknown, digits: Digits | undefined, holder: unknown, name: string): string {
  // JSON has no text of its own for what is too large for a double.
  if (typeof value === "number") return digits?.get(holder)?.get(name) ?? String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((element, at) => exactTextOf(element, digits, value, String(at))).join(",")}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${exactTextOf(member, digits, value, key)}`).join(",")}}`;
}
