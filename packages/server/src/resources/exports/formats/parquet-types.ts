/**
 * The types of Parquet columns. A column has the type that the contract or the job spec's output schema declares, if all
 * its values fit, otherwise the narrowest that all of them fit; a column without values is VARCHAR if none is declared.
 * A value fits where nothing of it is lost: integers beyond ±(2^53 - 1), numerals with more digits than a DOUBLE keeps, and
 * values of several kinds make a column VARCHAR, which has the exact text of each. Texts of customers are never read as
 * dates; the timestamps of the contract, which are UTC, are TIMESTAMPTZ.
 */
import { isOutputMember, itemMembers, memberOf, objectOf, propertiesOf, variantsOf } from "./item-schemas.ts";
import type { ExportSource } from "./format.ts";
import type { Source } from "./table.ts";

export type ParquetType = "BOOLEAN" | "INTEGER" | "BIGINT" | "DOUBLE" | "TIMESTAMPTZ" | "VARCHAR";

/** What kinds of values a column has, as bits. */
const SMALL_INTEGER = 1;
const INTEGER = 2;
const DOUBLE = 4;
const OTHER_NUMERAL = 8;
const BOOLEAN = 16;
const TIMESTAMP = 32;
/** And JSON text of what is nested. */
const TEXT = 64;

const fittingKinds: Record<ParquetType, number> = {
  BOOLEAN,
  INTEGER: SMALL_INTEGER,
  BIGINT: SMALL_INTEGER | INTEGER,
  DOUBLE: SMALL_INTEGER | INTEGER | DOUBLE,
  TIMESTAMPTZ: TIMESTAMP,
  VARCHAR: SMALL_INTEGER | INTEGER | DOUBLE | OTHER_NUMERAL | BOOLEAN | TIMESTAMP | TEXT,
};
/** In this order: the first that all values fit. */
const typesFromValues = ["BOOLEAN", "BIGINT", "DOUBLE"] as const;

const MAX_INT32 = 2 ** 31 - 1;
const PLAIN_INTEGER = /^-?\d+$/;
const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** As the contract's timestamps are written; TIMESTAMPTZ keeps microseconds. */
const UTC_TIMESTAMP = /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z"$/;

/** Counted by attempts, never by millions. */
const ATTEMPTS = /^(.+\.)?attempts$/;

/** So many decimal digits survive the way into a DOUBLE and back, whatever they are. */
const MAX_EXACT_DIGITS = 15;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const TRUE_START = 0x74;
const FALSE_START = 0x66;

/** The type of one column, found while its values pass. */
export interface ColumnType {
  /** The JSON value that stands from `start` to `end`; not null. */
  add(json: Buffer, start: number, end: number): void;
  type(): ParquetType;
}

export function createColumnType(declared: ParquetType | undefined): ColumnType {
  let kinds = 0;
  let lastTimestamp = Buffer.alloc(0);
  const fits = (type: ParquetType): boolean => (kinds & ~fittingKinds[type]) === 0;
  return {
    add(json, start, end) {
      // Nothing that follows could change that it is VARCHAR.
      if ((kinds & (TEXT | OTHER_NUMERAL)) !== 0) return;
      // Rows of one commit have the same timestamp.
      if (kinds === TIMESTAMP && isSame(json, start, end, lastTimestamp)) return;
      const kind = kindOf(json, start, end, declared);
      if (kind === TIMESTAMP) lastTimestamp = Buffer.from(json.subarray(start, end));
      kinds |= kind;
    },
    type() {
      if (declared !== undefined && fits(declared)) return declared;
      return (kinds === 0 ? undefined : typesFromValues.find(fits)) ?? "VARCHAR";
    },
  };
}

function isSame(json: Buffer, start: number, end: number, other: Buffer): boolean {
  if (end - start !== other.length) return false;
  for (let at = other.length - 1; at >= 0; at--) if (json[start + at] !== other[at]) return false;
  return true;
}

function kindOf(json: Buffer, start: number, end: number, declared: ParquetType | undefined): number {
  const first = json[start];
  if (first === QUOTE)
    return declared === "TIMESTAMPTZ" && UTC_TIMESTAMP.test(json.toString("latin1", start, end)) ? TIMESTAMP : TEXT;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return TEXT;
  if (first === TRUE_START || first === FALSE_START) return BOOLEAN;
  return kindOfShortNumeral(json, start, end) ?? kindOfNumeral(json.toString("latin1", start, end));
}

/** Without a number being made of it: digits, as many as any DOUBLE keeps, and a decimal point perhaps. */
function kindOfShortNumeral(json: Buffer, start: number, end: number): number | undefined {
  const from = json[start] === MINUS ? start + 1 : start;
  // -0 is a DOUBLE of its own.
  if (end - from > MAX_EXACT_DIGITS + 1 || (from > start && json[from] === ZERO)) return undefined;
  let integer = 0;
  let hasPoint = false;
  for (let at = from; at < end; at++) {
    const digit = (json[at] ?? 0) - ZERO;
    if (digit >= 0 && digit <= 9) integer = integer * 10 + digit;
    else if (json[at] === POINT) hasPoint = true;
    else return undefined;
  }
  if (hasPoint) return DOUBLE;
  if (end - from > MAX_EXACT_DIGITS) return undefined;
  return integer <= MAX_INT32 ? SMALL_INTEGER : INTEGER;
}

function kindOfNumeral(numeral: string): number {
  const value = Number(numeral);
  if (PLAIN_INTEGER.test(numeral) && !Object.is(value, -0)) {
    if (!Number.isSafeInteger(value)) return OTHER_NUMERAL;
    return Math.abs(value) <= MAX_INT32 ? SMALL_INTEGER : INTEGER;
  }
  return isExactDouble(numeral, value) ? DOUBLE : OTHER_NUMERAL;
}

/** Whether printing the number gives the numeral back, spelled as it may be: `1.10` and `1E2` are 1.1 and 100. */
function isExactDouble(numeral: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const printed = Object.is(value, -0) ? "-0" : String(value);
  return printed === numeral || normalForm(printed) === normalForm(numeral);
}

function normalForm(numeral: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMERAL.exec(numeral) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  if (significant === "") return `${sign}0`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A loop, since `/0+$/` takes quadratic time for a numeral with many zeros inside. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}

/** What the contract or the output schema says about a column. */
export function declaredType(
  { type, outputSchema }: Pick<ExportSource, "type" | "outputSchema">,
  { member, child }: Source,
): ParquetType | undefined {
  const found = itemMembers(type, outputSchema).find(({ path }) => path === member);
  const schema = select(found?.schema, child);
  if (isOutputMember(type, member)) return typeOfSchema(schema);
  if (child === undefined && ATTEMPTS.test(member)) return "INTEGER";
  const isTimestamp = variantsOf(schema).some((variant) => memberOf(variant, "format") === "date-time");
  return isTimestamp ? "TIMESTAMPTZ" : typeOfSchema(schema);
}

const select = (schema: unknown, child: string | undefined): unknown =>
  child === undefined ? schema : memberOf(propertiesOf(objectOf(schema)), child);

/** One type, with or without null. */
function typeOfSchema(schema: unknown): ParquetType | undefined {
  const types = new Set(variantsOf(schema).flatMap((variant) => memberOf(variant, "type") ?? []));
  types.delete("null");
  const [type, ...others] = types;
  if (others.length > 0) return undefined;
  switch (type) {
    case "integer":
      return "BIGINT";
    case "number":
      return "DOUBLE";
    case "boolean":
      return "BOOLEAN";
    case "string":
    case "object":
    case "array":
      return "VARCHAR";
    default:
      return undefined;
  }
}
