/** Outputs as JSON text, one on a line, in bytes: of values what `JSON.stringify` makes of them. Keeps its memory, where that is not much. */
import { Buffer } from "node:buffer";
import { MAX_OUTPUT_BYTES } from "./transform-limits.ts";

const USUAL_BYTES = 256 * 1024;
/** A control character is written as `\u0001`; a number takes 25 at most, and punctuation two. */
const MOST_FOR_ONE = 6;
const MOST_BESIDE_TEXT = 32;
const MAX_INT32 = 0x7f_ff_ff_ff;

const [QUOTE, BACKSLASH, NEWLINE, MINUS, POINT, ZERO] = [0x22, 0x5c, 0x0a, 0x2d, 0x2e, 0x30];
const [HIGH_SURROGATES, LOW_SURROGATES, SURROGATES_END] = [0xd8_00, 0xdc_00, 0xe0_00];
/** 1 for a character that stands in JSON as it is, in one byte. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_unused, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** Of a member. */
export interface Name {
  /** With its quotation marks and the colon. */
  json: Buffer;
  isAscii: boolean;
  isForbidden: boolean;
}

export function nameOf(text: string): Name {
  const json = Buffer.from(`${JSON.stringify(text)}:`);
  return {
    json,
    isAscii: json.every((byte) => byte < 0x80),
    isForbidden: !text.isWellFormed() || text.includes("\0"),
  };
}

export class OutputText {
  #bytes = Buffer.alloc(USUAL_BYTES);
  #end = 0;
  #start = 0;
  #isAscii = true;
  #isForbidden = false;

  /** Forgets what was written. */
  clear(): void {
    this.#end = 0;
    this.#isAscii = true;
    if (this.#bytes.length > 4 * USUAL_BYTES) this.#bytes = Buffer.alloc(USUAL_BYTES);
  }

  /** Whether every character of all outputs takes one byte. */
  get isAscii(): boolean {
    return this.#isAscii;
  }

  /** All outputs, with a line break between them; until more is written. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, Math.max(0, this.#end - 1));
  }

  begin(): void {
    this.#start = this.#end;
    this.#isForbidden = false;
    this.#reserve(MOST_BESIDE_TEXT);
  }

  /** Of the output that is being written, as the following. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** It has a character that no JSON reader has to accept. */
  get isForbidden(): boolean {
    return this.#isForbidden;
  }

  /** There is an empty line instead, where nothing is written. */
  drop(): void {
    this.#end = this.#start;
  }

  finish(): void {
    this.#bytes[this.#end++] = NEWLINE;
  }

  /** A whole output that was printed before. */
  line(json: string): void {
    this.begin();
    this.#reserve(3 * json.length + MOST_BESIDE_TEXT);
    const written = this.#bytes.write(json, this.#end);
    if (written !== json.length) this.#isAscii = false;
    this.#end += written;
    this.finish();
  }

  punctuation(byte: number): void {
    this.#bytes[this.#end++] = byte;
  }

  /** With room for the value behind it, unless that is a text. */
  name({ json, isAscii, isForbidden }: Name): void {
    this.#reserve(json.length + MOST_BESIDE_TEXT);
    const bytes = this.#bytes;
    let end = this.#end;
    for (let i = 0; i < json.length; i++) bytes[end++] = json[i] ?? 0;
    this.#end = end;
    if (!isAscii) this.#isAscii = false;
    if (isForbidden) this.#isForbidden = true;
  }

  ascii(characters: string): void {
    const bytes = this.#bytes;
    let end = this.#end;
    for (let i = 0; i < characters.length; i++) bytes[end++] = characters.charCodeAt(i);
    this.#end = end;
  }

  number(value: number): void {
    const hundredths = Math.round(value * 100);
    // The quotient is rounded once, and no other decimal of so few digits is rounded to the value: `String` finds the same digits.
    if (hundredths / 100 !== value || Math.abs(hundredths) > MAX_INT32)
      return this.ascii(Number.isFinite(value) ? String(value) : "null");
    const rest = Math.abs(hundredths) % 100;
    if (hundredths < 0 && hundredths > -100) this.#bytes[this.#end++] = MINUS;
    this.integer(Math.trunc(hundredths / 100));
    if (rest === 0) return;
    this.#bytes[this.#end++] = POINT;
    this.#bytes[this.#end++] = ZERO + Math.trunc(rest / 10);
    if (rest % 10 !== 0) this.#bytes[this.#end++] = ZERO + (rest % 10);
  }

  /** Of 32 bits. */
  integer(value: number): void {
    const bytes = this.#bytes;
    if (value < 0) bytes[this.#end++] = MINUS;
    let rest = Math.abs(value);
    let at = this.#end + 1;
    for (let power = 10; rest >= power; power *= 10) at++;
    this.#end = at;
    do {
      bytes[--at] = ZERO + (rest % 10);
      rest = (rest / 10) >>> 0;
    } while (rest > 0);
  }

  /** From the engine's memory, where each character has a byte, or two. */
  text(source: Uint8Array, start: number, characters: number, isWide: boolean): void {
    // Of a text that is too large, a part is as well.
    const length = Math.min(characters, MAX_OUTPUT_BYTES + 1);
    this.#reserve(length * MOST_FOR_ONE + MOST_BESIDE_TEXT);
    this.#bytes[this.#end++] = QUOTE;
    if (isWide) this.#wide(source, start, start + 2 * length);
    else this.#narrow(source, start, start + length);
    this.#bytes[this.#end++] = QUOTE;
  }

  #narrow(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes;
    let end = this.#end;
    for (let at = from; at < to; at++) {
      const byte = source[at] ?? 0;
      if (IS_PLAIN[byte] === 1) bytes[end++] = byte;
      else if (byte >= 0x80) {
        this.#isAscii = false;
        bytes[end++] = 0xc0 | (byte >> 6);
        bytes[end++] = 0x80 | (byte & 0x3f);
      } else end = this.#escape(byte, end);
    }
    this.#end = end;
  }

  #wide(source: Uint8Array, from: number, to: number): void {
    this.#isAscii = false;
    const bytes = this.#bytes;
    const unitAt = (at: number) => (at < to ? (source[at] ?? 0) | ((source[at + 1] ?? 0) << 8) : 0);
    let end = this.#end;
    for (let at = from; at < to; at += 2) {
      const unit = unitAt(at);
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) end = this.#escape(unit, end);
      else if (unit < 0x80) bytes[end++] = unit;
      else if (unit < 0x8_00) {
        bytes[end++] = 0xc0 | (unit >> 6);
        bytes[end++] = 0x80 | (unit & 0x3f);
      } else if (unit < HIGH_SURROGATES || unit >= SURROGATES_END) {
        bytes[end++] = 0xe0 | (unit >> 12);
        bytes[end++] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[end++] = 0x80 | (unit & 0x3f);
      } else {
        const low = unit < LOW_SURROGATES ? unitAt(at + 2) : 0;
        if (low < LOW_SURROGATES || low >= SURROGATES_END) {
          end = this.#escape(unit, end);
          continue;
        }
        at += 2;
        const point = 0x1_00_00 + ((unit - HIGH_SURROGATES) << 10) + (low - LOW_SURROGATES);
        bytes[end++] = 0xf0 | (point >> 18);
        bytes[end++] = 0x80 | ((point >> 12) & 0x3f);
        bytes[end++] = 0x80 | ((point >> 6) & 0x3f);
        bytes[end++] = 0x80 | (point & 0x3f);
      }
    }
    this.#end = end;
  }

  /** Returns where the next character goes. */
  #escape(unit: number, end: number): number {
    if (unit === 0 || unit >= HIGH_SURROGATES) this.#isForbidden = true;
    const escaped = JSON.stringify(String.fromCharCode(unit));
    return end + this.#bytes.write(escaped.slice(1, -1), end, "latin1");
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
