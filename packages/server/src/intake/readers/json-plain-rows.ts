/**
 * Rows of JSON Lines that have the same members in the same order as one before, and no objects or arrays in them: most files
 * have no others. They are checked and counted on their bytes, without an object and a string for each value.
 *
 * A row that is taken here is one that `parseJsonRow` would take, with the same columns. Whatever is unusual is left to it: other
 * members, nested values, `\u` escapes, and of course what is no JSON.
 */
import type { ColumnState, JsonColumns } from "./json-columns.ts";
import { addBoolean, addNumber, addPlainText, addText, takesPlainText } from "./json-columns.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A decimal of so many digits is a double, and so is the power of ten below it: their quotient is rounded once. */
const EXACT_DIGITS = 15;
/** A file whose rows are all different is not looked at any longer than this. */
const MAX_MISSES = 1_000;
/** What may follow a backslash here; `\u` needs a closer look. */
const isSimpleEscape = new Uint8Array(256);
for (const character of '"\\/bfnrt') isSimpleEscape[character.charCodeAt(0)] = 1;

const NUMBER = 1;
const TEXT = 2;
const BOOLEAN = 3;
const NULL = 4;

interface Layout {
  /** What stands before each value, from the beginning of the line or the end of the value before, and behind the last one. */
  literals: Buffer[];
  /** Undefined: the columns are full, and this one is not counted. */
  columns: (ColumnState | undefined)[];
  /** Of the present row. */
  kinds: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  numbers: Float64Array;
}

export class PlainRows {
  readonly #columns: JsonColumns;
  #layout: Layout | undefined;
  #misses = 0;
  /** Of the value that was scanned last. */
  #kind = 0;
  #number = 0;

  constructor(columns: JsonColumns) {
    this.#columns = columns;
  }

  /** Counts the row, of valid UTF-8, if it is as the one before. Otherwise nothing is counted. */
  add(bytes: Buffer, start: number, end: number): boolean {
    const layout = this.#layout;
    if (layout === undefined) return false;
    const { literals, columns, kinds, starts, ends, numbers } = layout;
    let position = start;
    for (let index = 0; index < columns.length; index++) {
      position = skipLiteral(bytes, position, literals[index]);
      if (position === -1) return false;
      starts[index] = position;
      position = this.#scanValue(bytes, position, end);
      if (position === -1) return false;
      ends[index] = position;
      kinds[index] = this.#kind;
      numbers[index] = this.#number;
    }
    if (skipLiteral(bytes, position, literals[columns.length]) !== end) return false;
    if (!isCountable(layout, bytes)) return false;
    this.#columns.countRow();
    for (let index = 0; index < columns.length; index++) count(layout, index, bytes);
    this.#misses = 0;
    return true;
  }

  /** The next rows may be as this one, which has been parsed and counted. */
  learn(bytes: Buffer, start: number, end: number): void {
    if (this.#misses === MAX_MISSES) return;
    this.#misses++;
    const literals: Buffer[] = [];
    const names: string[] = [];
    let from = start;
    let position = skipSpace(bytes, start);
    for (let next = OPEN_BRACE; bytes[position] === next; next = COMMA) {
      const nameStart = skipSpace(bytes, position + 1);
      const nameEnd = bytes[nameStart] === QUOTE ? this.#scanValue(bytes, nameStart, end) : -1;
      if (nameEnd === -1) return;
      const name = bytes.toString("utf8", nameStart + 1, nameEnd - 1);
      const colon = skipSpace(bytes, nameEnd);
      // Of two members with one name the last one counts.
      if (bytes[colon] !== COLON || name.includes("\\") || name === "__proto__" || names.includes(name)) return;
      names.push(name);
      const valueStart = skipSpace(bytes, colon + 1);
      literals.push(Buffer.from(bytes.subarray(from, valueStart)));
      from = this.#scanValue(bytes, valueStart, end);
      if (from === -1) return;
      position = skipSpace(bytes, from);
    }
    if (bytes[position] !== CLOSE_BRACE || skipSpace(bytes, position + 1) < end) return;
    literals.push(Buffer.from(bytes.subarray(from, end)));
    const size = names.length;
    this.#layout = {
      literals,
      columns: names.map((name) => this.#columns.find(name)),
      kinds: new Uint8Array(size),
      starts: new Int32Array(size),
      ends: new Int32Array(size),
      numbers: new Float64Array(size),
    };
  }

  /** Where the value ends that begins here; -1: it is not a value, or not a plain one. */
  #scanValue(bytes: Buffer, start: number, end: number): number {
    const first = bytes[start] ?? 0;
    let position = -1;
    if (first === QUOTE) {
      this.#kind = TEXT;
      position = scanText(bytes, start + 1, end);
    } else if (first === MINUS || isDigit(first)) {
      this.#kind = NUMBER;
      position = this.#scanNumber(bytes, start);
    } else if (first === 0x74 || first === 0x66) {
      this.#kind = BOOLEAN;
      position = skipLiteral(bytes, start, first === 0x74 ? TRUE : FALSE);
    } else if (first === 0x6e) {
      this.#kind = NULL;
      position = skipLiteral(bytes, start, NOTHING);
    }
    return position <= end ? position : -1;
  }

  /** RFC 8259, section 6. It ends before a byte that belongs to no number; what may stand there says the literal behind it. */
  #scanNumber(bytes: Buffer, start: number): number {
    const isNegative = bytes[start] === MINUS;
    let position = isNegative ? start + 1 : start;
    const wholeStart = position;
    let mantissa = 0;
    let byte = bytes[position] ?? 0;
    for (; isDigit(byte); byte = bytes[++position] ?? 0) mantissa = mantissa * 10 + (byte - ZERO);
    let digits = position - wholeStart;
    if (digits === 0 || (digits > 1 && bytes[wholeStart] === ZERO)) return -1;
    let fractionDigits = 0;
    if (byte === POINT) {
      const fractionStart = ++position;
      byte = bytes[position] ?? 0;
      for (; isDigit(byte); byte = bytes[++position] ?? 0) mantissa = mantissa * 10 + (byte - ZERO);
      fractionDigits = position - fractionStart;
      if (fractionDigits === 0) return -1;
      digits += fractionDigits;
    }
    let hasExponent = false;
    if (byte === 0x65 || byte === 0x45) {
      hasExponent = true;
      byte = bytes[++position] ?? 0;
      if (byte === PLUS || byte === MINUS) byte = bytes[++position] ?? 0;
      const exponentStart = position;
      for (; isDigit(byte); byte = bytes[++position] ?? 0);
      if (position === exponentStart) return -1;
    }
    if (hasExponent || digits > EXACT_DIGITS) this.#number = Number(bytes.toString("latin1", start, position));
    else this.#number = (isNegative ? -mantissa : mantissa) / 10 ** fractionDigits;
    return position;
  }
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NOTHING = Buffer.from("null");

/** A text that may be a date is looked at as it is, and there escapes would have to be resolved. */
function isCountable({ columns, kinds, starts, ends }: Layout, bytes: Buffer): boolean {
  for (let index = 0; index < columns.length; index++) {
    if (kinds[index] !== TEXT) continue;
    const column = columns[index];
    if (column === undefined || takesPlainText(column)) continue;
    if (bytes.subarray(starts[index], ends[index]).includes(BACKSLASH)) return false;
  }
  return true;
}

function count({ columns, kinds, starts, ends, numbers }: Layout, index: number, bytes: Buffer): void {
  const column = columns[index];
  if (column === undefined || kinds[index] === NULL) return;
  column.valueCount++;
  if (kinds[index] === NUMBER) addNumber(column, numbers[index] ?? 0);
  else if (kinds[index] === BOOLEAN) addBoolean(column);
  else if (takesPlainText(column)) addPlainText(column);
  else addText(column, bytes.toString("utf8", (starts[index] ?? 0) + 1, (ends[index] ?? 0) - 1));
}

/** Behind the closing quote; -1 at what JSON does not allow, and at `\u`. */
function scanText(bytes: Buffer, start: number, end: number): number {
  for (let position = start; position < end; position++) {
    const byte = bytes[position] ?? 0;
    if (byte === QUOTE) return position + 1;
    if (byte < SPACE) return -1;
    if (byte === BACKSLASH && isSimpleEscape[bytes[++position] ?? 0] !== 1) return -1;
  }
  return -1;
}

/** Where the literal ends that begins here; -1: it does not. */
function skipLiteral(bytes: Buffer, start: number, literal: Buffer | undefined): number {
  if (literal === undefined) return -1;
  for (let index = 0; index < literal.length; index++) if (bytes[start + index] !== literal[index]) return -1;
  return start + literal.length;
}

function skipSpace(bytes: Buffer, start: number): number {
  let position = start;
  while (bytes[position] === SPACE || bytes[position] === 0x09 || bytes[position] === 0x0d) position++;
  return position;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
