/**
 * Outputs in the form in which QuickJS stores values (`row-encoding.ts`). The engine takes three times as long to print a flat object of 190
 * bytes as JSON as it takes for a copy in its own form, whose text is written here.
 *
 * The text must be what `JSON.stringify` makes of the value at the moment when the function returned it. The copy has the members that the
 * value had then. What it does not show, and `JSON.stringify` looks at, is ruled out for all of them, or nothing is read:
 *
 *   a `toJSON`                          the prelude asks for it once, as `JSON.stringify` does
 *   a proxy, a getter                   the engine refuses to store the value
 *   a number or a text as an object     the stored value has another tag than an object
 *   objects, functions and so on in it  the copy has another tag there, or is not stored
 *
 * The value is stored when the call ends. What the code has done to its members by then makes no difference, or is refused as well.
 */
import { Buffer } from "node:buffer";
import { forbiddenCharacter, outputTooLarge, resultOfLine, type RowResult } from "./outputs.ts";
import { FIRST_NAME, tags, VERSION } from "./row-encoding.ts";
import { MAX_OUTPUT_BYTES } from "./transform-limits.ts";

/** All outputs of a call. More are mostly texts, which the engine prints as fast. */
const MAX_BYTES = 8 * 1024 * 1024;
const USUAL_TEXT_BYTES = 256 * 1024;
/** A control character is written as `\u0001`; a number takes 25 at most, and punctuation two. */
const MOST_FOR_ONE = 6;
const MOST_BESIDE_TEXT = 32;

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACE, CLOSE_BRACE, NEWLINE] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x0a];
const [HIGH_SURROGATES, LOW_SURROGATES, SURROGATES_END] = [0xd8_00, 0xdc_00, 0xe0_00];

interface Name {
  /** With its quotation marks and the colon. */
  json: Buffer;
  isAscii: boolean;
  isForbidden: boolean;
}

const NO_BYTES = new Uint8Array(0);

/** Keeps its memory for the next outputs, where these are not large. */
export class OutputReader {
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  #text = Buffer.alloc(USUAL_TEXT_BYTES);
  #out = 0;
  #isAscii = true;
  /** Of the object that is being written. */
  #isForbidden = false;
  #names: Name[] = [];
  #copied = 0;
  readonly #float = new Float64Array(1);
  readonly #floatBytes = new Uint8Array(this.#float.buffer);

  /** How many copies there were among the outputs that were read last. */
  get copied(): number {
    return this.#copied;
  }

  /** Of an array of `count` copies or lines, and as many values behind them. Null where not all of them are known to be plain. */
  read(bytes: Uint8Array, count: number): RowResult[] | null {
    if (bytes.length > MAX_BYTES) return null;
    this.#bytes = bytes;
    this.#at = this.#out = 0;
    this.#isAscii = true;
    try {
      this.#readNames();
      if (this.#byte() !== tags.array || this.#varint() !== 2 * count) return null;
      const results: (RowResult | undefined)[] = [];
      this.#copied = 0;
      for (let i = 0; i < count; i++) {
        const tag = this.#byte();
        if (tag === tags.object) this.#copied++;
        results.push(tag === tags.object ? this.#object() : resultOfLine(this.#line(tag)));
      }
      this.#checkValues(count, this.#copied + 1);
      return this.#at === bytes.length ? this.#withOutputs(results) : null;
    } catch (error) {
      if (error instanceof NotPlainError) return null;
      throw error;
    } finally {
      // They are part of the engine's memory, which goes with its sandbox.
      this.#bytes = NO_BYTES;
      if (this.#text.length > 4 * USUAL_TEXT_BYTES) this.#text = Buffer.alloc(USUAL_TEXT_BYTES);
    }
  }

  #withOutputs(results: readonly (RowResult | undefined)[]): RowResult[] {
    const outputs = this.#text.toString(this.#isAscii ? "latin1" : "utf8", 0, this.#out).split("\n");
    let at = 0;
    return results.map((result) => result ?? { ok: true, output: outputs[at++] ?? "" });
  }

  #readNames(): void {
    if (this.#byte() !== VERSION) throw new NotPlainError();
    this.#names = [];
    for (let left = this.#varint(); left > 0; left--) {
      this.#names.push(nameOf(this.#string()));
    }
  }

  #nameAt(number: number): Name {
    if ((number & 1) === 1) return nameOf(String(number >>> 1));
    const name = this.#names[(number >>> 1) - FIRST_NAME];
    if (name === undefined) throw new NotPlainError();
    return name;
  }

  #line(tag: number): string {
    if (tag !== tags.text) throw new NotPlainError();
    return this.#string();
  }

  /** Writes the object and a line break; undefined: it is an output. */
  #object(): RowResult | undefined {
    const start = this.#out;
    let isTooLarge = false;
    let separator = OPEN_BRACE;
    this.#isForbidden = false;
    this.#reserve(MOST_BESIDE_TEXT);
    for (let left = this.#varint(); left > 0; left--) {
      const name = this.#nameAt(this.#varint());
      const tag = this.#byte();
      if (tag === tags.undefined) continue;
      this.#reserve(name.json.length + MOST_BESIDE_TEXT);
      this.#text[this.#out++] = separator;
      separator = COMMA;
      this.#writeName(name);
      this.#value(tag, isTooLarge);
      isTooLarge ||= this.#out - start > MAX_OUTPUT_BYTES;
      // What is no output takes no room.
      if (isTooLarge) this.#out = start;
    }
    if (separator === OPEN_BRACE) this.#text[this.#out++] = OPEN_BRACE;
    this.#text[this.#out++] = CLOSE_BRACE;
    isTooLarge ||= this.#out - start > MAX_OUTPUT_BYTES;
    if (!isTooLarge && !this.#isForbidden) {
      this.#text[this.#out++] = NEWLINE;
      return undefined;
    }
    this.#out = start;
    return { ok: false, failure: isTooLarge ? outputTooLarge() : forbiddenCharacter() };
  }

  #value(tag: number, isSkipped: boolean): void {
    switch (tag) {
      case tags.null:
        return this.#ascii("null");
      case tags.false:
        return this.#ascii("false");
      case tags.true:
        return this.#ascii("true");
      case tags.int32:
        return this.#ascii(String(this.#int32()));
      case tags.float64: {
        const value = this.#float64();
        return this.#ascii(Number.isFinite(value) ? String(value) : "null");
      }
      case tags.text:
        return this.#stringValue(isSkipped);
      default:
        throw new NotPlainError();
    }
  }

  #stringValue(isSkipped: boolean): void {
    const head = this.#varint();
    const start = this.#at;
    this.#skipText(head);
    if (isSkipped) return;
    // Of a text that is too large, a part is as well.
    const length = Math.min(head >>> 1, MAX_OUTPUT_BYTES + 1);
    this.#reserve(length * MOST_FOR_ONE + MOST_BESIDE_TEXT);
    this.#text[this.#out++] = QUOTE;
    if ((head & 1) === 0) this.#narrow(start, start + length);
    else this.#wide(start, start + 2 * length);
    this.#text[this.#out++] = QUOTE;
  }

  #narrow(start: number, end: number): void {
    const [bytes, text] = [this.#bytes, this.#text];
    let out = this.#out;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x80) {
        this.#isAscii = false;
        text[out++] = 0xc0 | (byte >> 6);
        text[out++] = 0x80 | (byte & 0x3f);
      } else if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) out = this.#escape(byte, out);
      else text[out++] = byte;
    }
    this.#out = out;
  }

  #wide(start: number, end: number): void {
    this.#isAscii = false;
    const [bytes, text] = [this.#bytes, this.#text];
    const unitAt = (at: number) => (at < end ? (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) : 0);
    let out = this.#out;
    for (let at = start; at < end; at += 2) {
      const unit = unitAt(at);
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) out = this.#escape(unit, out);
      else if (unit < 0x80) text[out++] = unit;
      else if (unit < 0x8_00) {
        text[out++] = 0xc0 | (unit >> 6);
        text[out++] = 0x80 | (unit & 0x3f);
      } else if (unit < HIGH_SURROGATES || unit >= SURROGATES_END) {
        text[out++] = 0xe0 | (unit >> 12);
        text[out++] = 0x80 | ((unit >> 6) & 0x3f);
        text[out++] = 0x80 | (unit & 0x3f);
      } else {
        const low = unit < LOW_SURROGATES ? unitAt(at + 2) : 0;
        if (low < LOW_SURROGATES || low >= SURROGATES_END) {
          out = this.#escape(unit, out);
          continue;
        }
        at += 2;
        const point = 0x1_00_00 + ((unit - HIGH_SURROGATES) << 10) + (low - LOW_SURROGATES);
        text[out++] = 0xf0 | (point >> 18);
        text[out++] = 0x80 | ((point >> 12) & 0x3f);
        text[out++] = 0x80 | ((point >> 6) & 0x3f);
        text[out++] = 0x80 | (point & 0x3f);
      }
    }
    this.#out = out;
  }

  /** Returns where the next character goes. */
  #escape(unit: number, out: number): number {
    if (unit === 0 || unit >= HIGH_SURROGATES) this.#isForbidden = true;
    const escaped = JSON.stringify(String.fromCharCode(unit));
    return out + this.#text.write(escaped.slice(1, -1), out, "latin1");
  }

  /** Behind the copies stand a null for each line, and for each copy the value: a plain object, or one that stood there before. */
  #checkValues(count: number, firstObject: number): void {
    let objects = firstObject;
    const bytes = this.#bytes;
    for (let i = 0; i < count; i++) {
      const tag = bytes[this.#at++];
      if (tag === tags.object) {
        objects++;
        for (let left = this.#varint(); left > 0; left--) {
          this.#varint();
          this.#skip(this.#byte());
        }
      } else if (tag === tags.reference) {
        const object = this.#varint();
        if (object < firstObject || object >= objects) throw new NotPlainError();
      } else if (tag !== tags.null) throw new NotPlainError();
    }
  }

  #skip(tag: number): void {
    if (tag === tags.text) this.#skipText(this.#varint());
    else if (tag === tags.float64) this.#at += 8;
    else if (tag === tags.int32) this.#varint();
    else if (tag < tags.null || tag > tags.true) throw new NotPlainError();
  }

  #reserve(bytes: number): void {
    const needed = this.#out + bytes;
    if (needed <= this.#text.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#text.copy(larger, 0, 0, this.#out);
    this.#text = larger;
  }

  #writeName({ json, isAscii, isForbidden }: Name): void {
    const text = this.#text;
    let out = this.#out;
    for (let i = 0; i < json.length; i++) text[out++] = json[i] ?? 0;
    this.#out = out;
    if (!isAscii) this.#isAscii = false;
    if (isForbidden) this.#isForbidden = true;
  }

  #ascii(characters: string): void {
    const text = this.#text;
    let out = this.#out;
    for (let i = 0; i < characters.length; i++) text[out++] = characters.charCodeAt(i);
    this.#out = out;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new NotPlainError();
    return byte;
  }

  #varint(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let number = first & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = this.#byte();
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number >>> 0;
    }
    throw new NotPlainError();
  }

  #int32(): number {
    const number = this.#varint();
    return (number >>> 1) ^ -(number & 1);
  }

  #float64(): number {
    for (let i = 0; i < 8; i++) this.#floatBytes[i] = this.#byte();
    return this.#float[0] ?? 0;
  }

  #string(): string {
    const head = this.#varint();
    const start = this.#at;
    this.#skipText(head);
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, this.#at - start);
    return bytes.toString((head & 1) === 1 ? "utf16le" : "latin1");
  }

  /** `head`: the length, and whether each character takes two bytes. */
  #skipText(head: number): void {
    this.#at += (head & 1) === 1 ? head - 1 : head >>> 1;
    if (this.#at > this.#bytes.length) throw new NotPlainError();
  }
}

function nameOf(text: string): Name {
  const json = Buffer.from(`${JSON.stringify(text)}:`);
  return {
    json,
    isAscii: json.every((byte) => byte < 0x80),
    isForbidden: !text.isWellFormed() || text.includes("\0"),
  };
}

class NotPlainError extends Error {}
