/**
 * The rows of a body, each number as it was written. JavaScript prints some numbers differently (long integers, `1.10`), and a dataset
 * keeps every digit. Elsewhere in a body, an integer that would become another one is found, to be refused. Only texts that have been
 * parsed already come here.
 */
import canonicalize from "canonicalize";
import { loses, mayLose, parseExactJson } from "../exact-json.ts";
import { pointerTo } from "./json-pointer.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface ExactRows {
  /** JSON of each row, as `JSON.stringify` writes it but for its numbers. */
  lines: string[];
  /** By what two bodies differ that differ in such numbers alone. Empty where there are none. */
  digits: string;
}

/** The array on the path; undefined where there is no array, or an item of it is not an object. */
export function findRows(body: unknown, path: readonly string[]): Record<string, unknown>[] | undefined {
  let rows: unknown = body;
  for (const name of path) rows = isObject(rows) ? rows[name] : undefined;
  return Array.isArray(rows) && rows.every(isObject) ? rows : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `path` leads to `rows`, an array of objects. */
export function exactRowsOf(text: string, path: readonly string[], rows: readonly object[]): ExactRows {
  const arrayAt = mayLose(text) ? valueAt(text, path) : undefined;
  if (arrayAt === undefined) return { lines: rows.map((row) => JSON.stringify(row)), digits: "" };
  const digits: string[] = [];
  let at = skipSpace(text, arrayAt + 1);
  const lines = rows.map((row, index) => {
    const end = endOfValue(text, at);
    const written = text.slice(at, end);
    // Behind it there is a comma, or the end of the array.
    at = skipSpace(text, skipSpace(text, end) + 1);
    if (!loses(written)) return JSON.stringify(row);
    const exact = parseExactJson(written);
    digits.push(`${index} ${canonicalize(exact) ?? ""}`);
    return JSON.stringify(exact);
  });
  return { lines, digits: digits.join("\n") };
}

/** Fewer are exact as a double. */
const MANY_DIGITS = /\d{16}/;
/** Generators of schemas print the limits of 64-bit integers here: that such a bound is one more does not matter. */
const SCHEMA_BOUND = /[sS]chema\/(?:.*\/)?(?:exclusiveM|m)(?:ax|in)imum$/;

/** Whether `findInexact` looks at each value of the text, which takes thirty times as long as parsing it. */
export const mayBeInexact = (text: string): boolean => MANY_DIGITS.test(text) && loses(text);

/** JSON pointer of an integer that JavaScript reads as another one; those in the rows at `rowsAt` keep their digits. */
export function findInexact(text: string, rowsAt?: readonly string[]): string | undefined {
  if (!mayBeInexact(text)) return undefined;
  const start = rowsAt === undefined ? undefined : valueAt(text, rowsAt);
  const rest = start === undefined ? text : `${text.slice(0, start)}null${text.slice(endOfValue(text, start))}`;
  return mayBeInexact(rest) ? inexactIn(parseExactJson(rest), "") : undefined;
}

function inexactIn(value: unknown, at: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (JSON.isRawJSON(value)) return isAnotherInteger(value.rawJSON) && !SCHEMA_BOUND.test(at) ? at : undefined;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "object") continue;
    const found = inexactIn(member, pointerTo(at, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What JavaScript itself has printed keeps its digits, and `1e30` is as near as its writer could know. A finite integer has some 300 digits at most. */
const isAnotherInteger = (written: string): boolean =>
  /^-?\d+$/.test(written) &&
  Number.isFinite(Number(written)) &&
  digitsOf(String(Number(written))) !== digitsOf(written);

/** Those before the zeros at the end, which may be written as an exponent. */
const digitsOf = (number: string): string => number.replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/0+$/, "");

/** Where the value on the path begins. Of members with the same name the last one counts, as for the parser. */
function valueAt(text: string, path: readonly string[]): number | undefined {
  let at: number | undefined = skipSpace(text, 0);
  for (const name of path) if (at !== undefined) at = memberAt(text, at, name);
  return at;
}

function memberAt(text: string, objectAt: number, name: string): number | undefined {
  let found: number | undefined;
  for (let at = skipSpace(text, objectAt + 1); text.charCodeAt(at) === QUOTE;) {
    const nameEnd = endOfText(text, at);
    const isNamed = JSON.parse(text.slice(at, nameEnd)) === name;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    if (isNamed) found = start;
    at = skipSpace(text, endOfValue(text, start));
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      // That of what surrounds a number or a word.
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) return at;
    at++;
  }
  return text.length;
}

/** Behind the closing quotation mark. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}
