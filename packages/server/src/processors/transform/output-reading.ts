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
import { nameOf, OutputText, type Name } from "./output-text.ts";
import { forbiddenCharacter, outputTooLarge, resultOfLine, type RowResult } from "./outputs.ts";
import type { RowFailure } from "../processor.ts";
import { FIRST_NAME, tags, VERSION } from "./row-encoding.ts";
import { MAX_OUTPUT_BYTES } from "./transform-limits.ts";

/** All outputs of a call. More are mostly texts, which the engine prints as fast. */
const MAX_BYTES = 8 * 1024 * 1024;

const [COMMA, OPEN_BRACE, CLOSE_BRACE] = [0x2c, 0x7b, 0x7d];

const NO_BYTES = new Uint8Array(0);

/** Outputs as text, one on a line; the line of a failure is empty. */
export interface OutputLines {
  /** Until the next outputs are read. */
  bytes: Buffer;
  isAscii: boolean;
  failures: { at: number; failure: RowFailure }[];
}

/** Keeps its memory for the next outputs, where these are not large. */
export class OutputReader {
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  readonly #text = new OutputText();
  #names: Name[] = [];
  #copied = 0;
  readonly #float = new Float64Array(1);
  readonly #floatBytes = new Uint8Array(this.#float.buffer);

  /** How many copies there were among the outputs that were read last. */
  get copied(): number {
    return this.#copied;
  }

  /** Of what was read, nothing is needed any more. */
  forget(): void {
    this.#text.clear();
  }

  /** Of an array of `count` copies or lines, and as many values behind them. Null where not all of them are known to be plain. */
  read(bytes: Uint8Array, count: number): RowResult[] | null {
    const lines = this.readLines(bytes, count);
    return lines === null ? null : resultsOf(lines);
  }

  /** The same as text. */
  readLines(bytes: Uint8Array, count: number): OutputLines | null {
    if (bytes.length > MAX_BYTES) return null;
    this.#bytes = bytes;
    this.#at = 0;
    this.#text.clear();
    try {
      this.#readNames();
      if (this.#byte() !== tags.array || this.#varint() !== 2 * count) return null;
      const failures: OutputLines["failures"] = [];
      this.#copied = 0;
      for (let at = 0; at < count; at++) {
        const tag = this.#byte();
        if (tag === tags.object) this.#copied++;
        const failure = tag === tags.object ? this.#object() : this.#printed(tag);
        if (failure !== null) failures.push({ at, failure });
      }
      this.#checkValues(count, this.#copied + 1);
      const { isAscii } = this.#text;
      return this.#at === bytes.length ? { bytes: this.#text.bytes, isAscii, failures } : null;
    } catch (error) {
      if (error instanceof NotPlainError) return null;
      throw error;
    } finally {
      // They are part of the engine's memory, which goes with its sandbox.
      this.#bytes = NO_BYTES;
    }
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

  /** What the engine has printed, a failure or an output. */
  #printed(tag: number): RowFailure | null {
    if (tag !== tags.text) throw new NotPlainError();
    const result = resultOfLine(this.#string());
    const isOutput = result.ok && result.output.isWellFormed();
    this.#text.line(isOutput ? result.output : "");
    if (isOutput) return null;
    return result.ok ? forbiddenCharacter() : result.failure;
  }

  /** Writes the object. */
  #object(): RowFailure | null {
    const text = this.#text;
    let isTooLarge = false;
    let separator = OPEN_BRACE;
    text.begin();
    for (let left = this.#varint(); left > 0; left--) {
      const name = this.#nameAt(this.#varint());
      const tag = this.#byte();
      if (tag === tags.undefined) continue;
      text.punctuation(separator);
      separator = COMMA;
      text.name(name);
      this.#value(tag, isTooLarge);
      isTooLarge ||= text.length > MAX_OUTPUT_BYTES;
      // What is no output takes no room.
      if (isTooLarge) text.drop();
    }
    if (separator === OPEN_BRACE) text.punctuation(OPEN_BRACE);
    text.punctuation(CLOSE_BRACE);
    isTooLarge ||= text.length > MAX_OUTPUT_BYTES;
    const isOutput = !isTooLarge && !text.isForbidden;
    if (!isOutput) text.drop();
    text.finish();
    if (isOutput) return null;
    return isTooLarge ? outputTooLarge() : forbiddenCharacter();
  }

  #value(tag: number, isSkipped: boolean): void {
    switch (tag) {
      case tags.null:
        return this.#text.ascii("null");
      case tags.false:
        return this.#text.ascii("false");
      case tags.true:
        return this.#text.ascii("true");
      case tags.int32:
        return this.#text.integer(this.#int32());
      case tags.float64:
        return this.#text.number(this.#float64());
      case tags.text: {
        const head = this.#varint();
        const start = this.#at;
        this.#skipText(head);
        if (!isSkipped) this.#text.text(this.#bytes, start, head >>> 1, (head & 1) === 1);
        return;
      }
      default:
        throw new NotPlainError();
    }
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

/** The same as `resultOfLine` has them. */
export function resultsOf({ bytes, isAscii, failures }: OutputLines): RowResult[] {
  const lines = bytes.toString(isAscii ? "latin1" : "utf8").split("\n");
  const results = lines.map((output): RowResult => ({ ok: true, output }));
  for (const { at, failure } of failures) results[at] = { ok: false, failure };
  return results;
}

class NotPlainError extends Error {}
