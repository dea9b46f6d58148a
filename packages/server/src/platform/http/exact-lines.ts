/**
 * The rows of a body, each number as it was written. JavaScript prints some numbers differently (long integers, `1.10`), and a dataset
 * keeps every digit. So do the integers of the JSON Schemas of a job spec. Elsewhere in a body, an integer that would become another one is
 * found, to be refused. Only texts that have been parsed already come here.
 */
import canonicalize from "canonicalize";
import { loses, mayHaveOtherIntegers, mayLose, parseExactIntegers, parseExactJson } from "../exact-json.ts";
import { pointerTo } from "./json-pointer.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where a body keeps every digit. */
export interface ExactPlaces {
  /** Names of the members on the way to an array of rows. */
  rowsAt?: readonly string[] | undefined;
  /** The same for each JSON Schema. */
  schemasAt?: readonly (readonly string[])[] | undefined;
}

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

export interface LongIntegers {
  /** JSON pointer of an integer that JavaScript reads as another one, where no digits are kept. */
  inexactAt: string | undefined;
  /** Those of the schemas of a body. */
  inSchemas: KeptIntegers[];
}

/** Of one schema. Without the path of each: fifty thousand integers below one long name would be gigabytes for another process. */
export interface KeptIntegers {
  schemaAt: readonly string[];
  /** Places among the numbers of the schema, in the order of `visitNumbers`. */
  integers: { place: number; digits: string }[];
}

const NONE: LongIntegers = { inexactAt: undefined, inSchemas: [] };

/**
 * Integers that JavaScript reads as others; those in the rows at `rowsAt` keep their digits anyway. To look at each value takes thirty
 * times as long as parsing (`mayHaveOtherIntegers`).
 */
export function findLongIntegers(text: string, { rowsAt, schemasAt = [] }: ExactPlaces): LongIntegers {
  if (!mayHaveOtherIntegers(text)) return NONE;
  const start = rowsAt === undefined ? undefined : valueAt(text, rowsAt);
  const rest = start === undefined ? text : `${text.slice(0, start)}null${text.slice(endOfValue(text, start))}`;
  if (!mayHaveOtherIntegers(rest)) return NONE;
  const exact = parseExactIntegers(rest);
  const found = schemasAt.map((schemaAt) => ({ schemaAt, integers: integersOf(schemaIn(exact, schemaAt)) }));
  return {
    inexactAt: findInexact(exact, [], schemasAt),
    inSchemas: found.filter(({ integers }) => integers.length > 0),
  };
}

/** Undefined where there is none, or a number is in its place. */
function schemaIn(body: unknown, path: readonly string[]): object | undefined {
  let schema = body;
  for (const name of path) schema = isObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
  return typeof schema === "object" && schema !== null && !JSON.isRawJSON(schema) ? schema : undefined;
}

function integersOf(schema: object | undefined): KeptIntegers["integers"] {
  const found: KeptIntegers["integers"] = [];
  let place = 0;
  if (schema !== undefined)
    visitNumbers(schema, (_holder, _name, number) => {
      if (JSON.isRawJSON(number)) found.push({ place, digits: number.rawJSON });
      place++;
    });
  return found;
}

/** In an order that is the same for each parser of the same text. Bodies are not nested deeply. */
function visitNumbers(holder: object, visit: (holder: object, name: string, number: unknown) => void): void {
  for (const [name, member] of Object.entries(holder) as [string, unknown][]) {
    if (typeof member === "number" || JSON.isRawJSON(member)) visit(holder, name, member);
    else if (typeof member === "object" && member !== null) visitNumbers(member, visit);
  }
}

/** JSON pointer of the first one that is in no schema. */
function findInexact(
  value: unknown,
  path: string[],
  schemasAt: NonNullable<ExactPlaces["schemasAt"]>,
): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (JSON.isRawJSON(value)) return path.reduce(pointerTo, "");
  if (schemasAt.some((names) => names.length === path.length && names.every((name, at) => path[at] === name)))
    return undefined;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const found = typeof member === "object" ? findInexact(member, [...path, name], schemasAt) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Puts them into the body that was parsed from the same text, as values that `JSON.stringify` prints as they were written. */
export function keepIntegers(body: unknown, kept: readonly KeptIntegers[]): void {
  for (const { schemaAt, integers } of kept) {
    const digitsAt = new Map(integers.map(({ place, digits }) => [place, digits]));
    let place = 0;
    visitNumbers(schemaIn(body, schemaAt) ?? {}, (holder, name) => {
      const digits = digitsAt.get(place++);
      if (digits !== undefined) (holder as Record<string, unknown>)[name] = JSON.rawJSON(digits);
    });
  }
}

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
