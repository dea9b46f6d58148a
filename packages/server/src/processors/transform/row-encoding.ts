/**
 * Rows in the form in which QuickJS stores values, which its package calls binary JSON. The engine reads it in half of the time that it
 * takes to parse JSON, of which the encoding here costs a third: a member's name is looked up once for all rows, and texts are copied.
 *
 *     form:    version, number of names, names, value
 *     value:   tag; then of a number its bits, of a text its length and bytes, of an array its length and values,
 *              of an object the number of its members, and for each the number of its name and its value
 *
 * A length stands before what it counts. It has three bytes (LEB128, where the engine takes more bytes than are necessary), so that it can be
 * written afterwards. The form belongs to the engine's version: `row-encoding.test.ts` compares rows that the engine has read with their JSON.
 */
import { Buffer } from "node:buffer";
import type { RowLines } from "./row-lines.ts";

export const VERSION = 5;
export const tags = {
  null: 1,
  undefined: 2,
  false: 3,
  true: 4,
  int32: 5,
  float64: 6,
  text: 7,
  object: 8,
  array: 9,
  reference: 19,
} as const;
/** Names are numbered from 1 on, and the numbers doubled: an odd one is a name that is an integer. */
export const FIRST_NAME = 1;

/** Lengths have 21 bits, one of which says how a text is stored. What is longer is mostly text, which the engine parses as fast. */
const MAX_BYTES = 1_000_000;
/** No value takes more: `-0` and a comma become nine bytes. */
const MOST_BYTES_FOR_ONE = 3;
/** Rows have 64 levels, and an array around them. */
const MAX_DEPTH = 70;
/** A double has each whole number of so many digits, and each power of ten up to there: one divided by the other is rounded once, as it must be. */
const MAX_EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_unused, n) => 10 ** n);
const MAX_INT32 = 0x7f_ff_ff_ff;

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e, 0x30, 0x39];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, SPACE] = [0x7b, 0x7d, 0x5b, 0x5d, 0x20];
const literals = [
  { text: Buffer.from("true"), tag: tags.true },
  { text: Buffer.from("false"), tag: tags.false },
  { text: Buffer.from("null"), tag: tags.null },
];

interface Name {
  text: string;
  /** With its quotation marks. */
  json: Buffer;
  number: number;
}

/** Keeps its memory for the next text. */
export class RowEncoder {
  #input = Buffer.alloc(0);
  #output = Buffer.alloc(0);
  #end = 0;
  #at = 0;
  #out = 0;
  #depth = 0;
  readonly #names = new Map<string, Name>();
  /** Of the row before, in the order of the text: most rows have the same. */
  readonly #expected: Name[] = [];
  #place = 0;
  readonly #float = new Float64Array(1);
  readonly #floatBytes = new Uint8Array(this.#float.buffer);

  /** An array of rows, and `nulls` behind them. Null where the text is too long, nested too deep, or not JSON, of which the engine's parser knows what to say. */
  encode(json: string, nulls = 0): Uint8Array<ArrayBuffer> | null {
    const bytes = Buffer.byteLength(json);
    if (bytes > MAX_BYTES) return null;
    this.#prepare(bytes + nulls);
    this.#end = this.#input.write(json, "utf8");
    return this.#encode(nulls);
  }

  /** The same of rows that are bytes. */
  encodeRows(rows: RowLines, nulls: number): Uint8Array<ArrayBuffer> | null {
    if (rows.jsonBytes > MAX_BYTES) return null;
    this.#prepare(rows.jsonBytes + nulls);
    this.#end = rows.writeJson(this.#input);
    return this.#encode(nulls);
  }

  #encode(nulls: number): Uint8Array<ArrayBuffer> | null {
    this.#input[this.#end] = QUOTE;
    try {
      this.#value();
      this.#append(nulls);
      this.#skipSpace();
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
    return this.#at === this.#end ? this.#withNames() : null;
  }

  #prepare(bytes: number): void {
    // There is a byte more, at which every loop ends.
    if (this.#input.length <= bytes) {
      this.#input = Buffer.alloc(2 * bytes + 1);
      this.#output = Buffer.alloc(this.#input.length * MOST_BYTES_FOR_ONE);
    }
    this.#at = this.#out = this.#depth = this.#place = 0;
    this.#names.clear();
    this.#expected.length = 0;
  }

  /** To the array that ends here and began with the text. */
  #append(nulls: number): void {
    const output = this.#output;
    if (nulls === 0 || output[0] !== tags.array) return;
    const [low, middle, high] = [output[1] ?? 0, output[2] ?? 0, output[3] ?? 0];
    writeLength(output, 1, ((low & 0x7f) | ((middle & 0x7f) << 7) | (high << 14)) + nulls);
    output.fill(tags.null, this.#out, this.#out + nulls);
    this.#out += nulls;
  }

  #value(): void {
    this.#skipSpace();
    switch (this.#input[this.#at]) {
      case QUOTE:
        return this.#text();
      case OPEN_BRACE:
        return this.#nested(tags.object, CLOSE_BRACE);
      case OPEN_BRACKET:
        return this.#nested(tags.array, CLOSE_BRACKET);
      default:
        return this.#number();
    }
  }

  #nested(tag: number, close: number): void {
    if (++this.#depth > MAX_DEPTH) throw notEncoded();
    const start = this.#out;
    this.#output[start] = tag;
    this.#out += 4;
    this.#at++;
    this.#skipSpace();
    let count = 0;
    if (this.#input[this.#at] !== close)
      for (;;) {
        if (tag === tags.object) this.#name();
        else if (this.#depth === 1) this.#place = 0;
        this.#value();
        count++;
        this.#skipSpace();
        if (this.#input[this.#at] !== COMMA) break;
        this.#at++;
        this.#skipSpace();
      }
    if (this.#input[this.#at] !== close || this.#at >= this.#end) throw notEncoded();
    this.#at++;
    this.#depth--;
    writeLength(this.#output, start + 1, count);
  }

  #name(): void {
    const expected = this.#expected[this.#place];
    const name = expected !== undefined && this.#standsHere(expected.json) ? expected : this.#readName();
    this.#expected[this.#place++] = name;
    this.#at += name.json.length;
    this.#skipSpace();
    if (this.#input[this.#at++] !== COLON) throw notEncoded();
    this.#varint(name.number);
  }

  #readName(): Name {
    const start = this.#at;
    if (this.#input[start] !== QUOTE) throw notEncoded();
    const json = Buffer.from(this.#input.subarray(start, this.#endOfText(start)));
    const text = JSON.parse(json.toString()) as string; // stands in quotation marks
    const known = this.#names.get(text);
    const number = known?.number ?? (FIRST_NAME + this.#names.size) * 2;
    // The same name may be written with escapes.
    const name = { text, json, number };
    if (known === undefined) this.#names.set(text, name);
    return name;
  }

  #standsHere(json: Buffer): boolean {
    const input = this.#input;
    const start = this.#at;
    for (let i = 0; i < json.length; i++) if (input[start + i] !== json[i]) return false;
    return true;
  }

  /** Behind the closing quotation mark. */
  #endOfText(start: number): number {
    const input = this.#input;
    let at = start + 1;
    while (at < this.#end && input[at] !== QUOTE) at += input[at] === BACKSLASH ? 2 : 1;
    if (at >= this.#end) throw notEncoded();
    return at + 1;
  }

  #text(): void {
    const [input, output] = [this.#input, this.#output];
    const start = this.#out + 4;
    let at = this.#at + 1;
    let out = start;
    for (let byte = input[at] ?? 0; byte !== QUOTE; byte = input[at] ?? 0) {
      if (byte === BACKSLASH || byte >= 0x80) return this.#oddText();
      output[out++] = byte;
      at++;
    }
    if (at >= this.#end) throw notEncoded();
    output[this.#out] = tags.text;
    writeLength(output, this.#out + 1, (out - start) * 2);
    this.#at = at + 1;
    this.#out = out;
  }

  /** With escapes, or beyond ASCII. */
  #oddText(): void {
    const end = this.#endOfText(this.#at);
    const text = JSON.parse(this.#input.toString("utf8", this.#at, end)) as string; // stands in quotation marks
    this.#at = end;
    this.#output[this.#out] = tags.text;
    this.#out += 1;
    this.#out += this.#writeText(this.#output, this.#out, text);
  }

  /** Returns how many bytes it wrote. */
  #writeText(target: Buffer, at: number, text: string): number {
    const isWide = /[\u0100-\uffff]/.test(text);
    writeLength(target, at, text.length * 2 + (isWide ? 1 : 0));
    return 3 + target.write(text, at + 3, isWide ? "utf16le" : "latin1");
  }

  #number(): void {
    const input = this.#input;
    const start = this.#at;
    const isNegative = input[start] === MINUS;
    let at = isNegative ? start + 1 : start;
    let digits = 0;
    let value = 0;
    let pointAt = -1;
    for (; ; at++) {
      const byte = input[at] ?? 0;
      if (byte >= ZERO && byte <= NINE) {
        value = value * 10 + (byte - ZERO);
        digits++;
      } else if (byte === POINT && pointAt === -1) pointAt = at;
      else if (isNumeral(byte)) digits = MAX_EXACT_DIGITS + 1;
      else break;
    }
    if (digits === 0) return this.#literal();
    this.#at = at;
    if (digits > MAX_EXACT_DIGITS) return this.#float64(toNumber(input.toString("latin1", start, at)));
    if (pointAt !== -1) value /= POWERS_OF_TEN[at - pointAt - 1] ?? Number.NaN;
    const isInt32 = pointAt === -1 && value <= MAX_INT32 && !(isNegative && value === 0);
    if (isInt32) this.#int32(isNegative ? value * 2 - 1 : value * 2);
    else this.#float64(isNegative ? -value : value);
  }

  #int32(zigzag: number): void {
    this.#output[this.#out++] = tags.int32;
    this.#varint(zigzag);
  }

  #float64(value: number): void {
    const [output, bytes] = [this.#output, this.#floatBytes];
    let out = this.#out;
    this.#float[0] = value;
    output[out++] = tags.float64;
    for (let i = 0; i < 8; i++) output[out++] = bytes[i] ?? 0;
    this.#out = out;
  }

  #literal(): void {
    const literal = literals.find(({ text }) => this.#standsHere(text));
    if (literal === undefined) throw notEncoded();
    this.#at += literal.text.length;
    this.#output[this.#out++] = literal.tag;
  }

  /** In as few bytes as it takes, seven bits in each. */
  #varint(number: number): void {
    let rest = number;
    while (rest > 0x7f) {
      this.#output[this.#out++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#output[this.#out++] = rest;
  }

  #skipSpace(): void {
    while ((this.#input[this.#at] ?? QUOTE) <= SPACE) this.#at++;
  }

  #withNames(): Uint8Array<ArrayBuffer> {
    let size = 4;
    for (const { text } of this.#names.values()) size += 3 + 2 * text.length;
    const bytes = new Uint8Array(size + this.#out);
    const target = Buffer.from(bytes.buffer);
    target[0] = VERSION;
    writeLength(target, 1, this.#names.size);
    let at = 4;
    for (const { text } of this.#names.values()) at += this.#writeText(target, at, text);
    bytes.set(this.#output.subarray(0, this.#out), at);
    return bytes;
  }
}

const notEncoded = (): SyntaxError => new SyntaxError("the text is not encoded");

function writeLength(target: Buffer, at: number, length: number): void {
  target[at] = (length & 0x7f) | 0x80;
  target[at + 1] = ((length >> 7) & 0x7f) | 0x80;
  target[at + 2] = length >> 14;
}

/** A numeral's bytes beyond digits and the first point: `e`, `E`, `+`, `-`, `.`. */
const isNumeral = (byte: number): boolean =>
  byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === MINUS || byte === POINT;

function toNumber(numeral: string): number {
  const value = Number(numeral);
  if (Number.isNaN(value)) throw notEncoded();
  return value;
}
