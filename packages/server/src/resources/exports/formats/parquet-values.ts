/** Values of a column as Parquet spells them (PLAIN), from their texts, and the smallest and largest of them. */
import { Buffer } from "node:buffer";
import type { ParquetType } from "./parquet-types.ts";

/** Bytes of each value; undefined: as many as it takes, or a bit. */
export const fixedBytes: Record<ParquetType, number | undefined> = {
  BOOLEAN: undefined,
  INTEGER: 4,
  BIGINT: 8,
  DOUBLE: 8,
  TIMESTAMPTZ: 8,
  VARCHAR: undefined,
};

export interface Bounds {
  least: Buffer;
  most: Buffer;
}

/** Longer texts would make the end of the file large, which every reader reads first. */
const MAX_BOUND_BYTES = 256;
const LENGTH_BYTES = 4;
/** Up to here the digits and the power of ten are exact doubles, and their quotient is the nearest one. */
const MAX_EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_unused, digits) => 10 ** digits);
const HIGH_WORD = 2 ** 32;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const TRUE_START = 0x74;
/** `2026-11-20T09:30:00` */
const WHOLE_SECONDS_CHARACTERS = 19;

/** `texts` has `count` of them, each behind four bytes with its length. */
export function encodeValues(type: ParquetType, texts: Buffer, count: number): Buffer {
  if (type === "VARCHAR") return texts;
  const values = Buffer.alloc(type === "BOOLEAN" ? Math.ceil(count / 8) : count * (fixedBytes[type] ?? 0));
  let start = LENGTH_BYTES;
  for (let i = 0; i < count; i++) {
    const end = start + texts.readUInt32LE(start - LENGTH_BYTES);
    switch (type) {
      case "BOOLEAN":
        if (texts[start] === TRUE_START) values[i >> 3] = (values[i >> 3] ?? 0) | (1 << (i & 7));
        break;
      case "INTEGER":
        values.writeInt32LE(numberOf(texts, start, end), i * 4);
        break;
      case "BIGINT": {
        const value = numberOf(texts, start, end);
        const high = Math.floor(value / HIGH_WORD);
        values.writeUInt32LE(value - high * HIGH_WORD, i * 8);
        values.writeInt32LE(high, i * 8 + 4);
        break;
      }
      case "DOUBLE":
        values.writeDoubleLE(numberOf(texts, start, end), i * 8);
        break;
      case "TIMESTAMPTZ":
        values.writeBigInt64LE(microsecondsOf(texts.toString("latin1", start, end)), i * 8);
    }
    start = end + LENGTH_BYTES;
  }
  return values;
}

/** Without a string being made of most: digits, as many as a double keeps, and a decimal point perhaps. */
function numberOf(text: Buffer, start: number, end: number): number {
  const from = text[start] === MINUS ? start + 1 : start;
  let digits = 0;
  let fraction = -1;
  if (end - from > MAX_EXACT_DIGITS) return Number(text.toString("latin1", start, end));
  for (let at = from; at < end; at++) {
    const digit = (text[at] ?? 0) - ZERO;
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      if (fraction !== -1) fraction++;
    } else if (text[at] === POINT) fraction = 0;
    else return Number(text.toString("latin1", start, end));
  }
  const value = fraction > 0 ? digits / (POWERS_OF_TEN[fraction] ?? Number.NaN) : digits;
  return from > start ? -value : value;
}

/** As the contract's timestamps are written: UTC, up to microseconds. */
function microsecondsOf(text: string): bigint {
  const seconds = Date.parse(`${text.slice(0, WHOLE_SECONDS_CHARACTERS)}Z`) / 1_000;
  const fraction = text.slice(WHOLE_SECONDS_CHARACTERS + 1, -1).padEnd(6, "0");
  return BigInt(seconds) * 1_000_000n + BigInt(fraction);
}

/** Of values as they are encoded; undefined where there is none, or one is too long. */
export function boundsOf(type: ParquetType, values: Buffer, count: number): Bounds | undefined {
  if (count === 0) return undefined;
  switch (type) {
    case "BOOLEAN":
      return undefined;
    case "VARCHAR":
      return textBounds(values);
    case "INTEGER":
      return numberBounds(count, 4, (at) => values.readInt32LE(at), values);
    case "BIGINT":
    case "TIMESTAMPTZ":
      return numberBounds(count, 8, (at) => values.readInt32LE(at + 4) * HIGH_WORD + values.readUInt32LE(at), values);
    case "DOUBLE":
      return withoutSignOfZero(numberBounds(count, 8, (at) => values.readDoubleLE(at), values));
  }
}

function numberBounds(count: number, size: number, read: (at: number) => number, values: Buffer): Bounds {
  let [least, most] = [0, 0];
  let [leastValue, mostValue] = [read(0), read(0)];
  for (let at = size; at < count * size; at += size) {
    const value = read(at);
    if (value < leastValue) [least, leastValue] = [at, value];
    else if (value > mostValue) [most, mostValue] = [at, value];
  }
  const bytesAt = (at: number): Buffer => Buffer.from(values.subarray(at, at + size));
  return { least: bytesAt(least), most: bytesAt(most) };
}

/** 0 and -0 are the same to a comparison, but not to every reader of bounds: the format says that they include both. */
function withoutSignOfZero({ least, most }: Bounds): Bounds {
  if (least.readDoubleLE() === 0) least.writeDoubleLE(-0);
  if (most.readDoubleLE() === 0) most.writeDoubleLE(0);
  return { least, most };
}

function textBounds(texts: Buffer): Bounds | undefined {
  let start = LENGTH_BYTES;
  let end = start + texts.readUInt32LE(0);
  let [leastStart, leastEnd, mostStart, mostEnd] = [start, end, start, end];
  while (end < texts.length) {
    start = end + LENGTH_BYTES;
    end = start + texts.readUInt32LE(end);
    if (compare(texts, start, end, mostStart, mostEnd) > 0) [mostStart, mostEnd] = [start, end];
    else if (compare(texts, start, end, leastStart, leastEnd) < 0) [leastStart, leastEnd] = [start, end];
  }
  if (leastEnd - leastStart > MAX_BOUND_BYTES || mostEnd - mostStart > MAX_BOUND_BYTES) return undefined;
  return {
    least: Buffer.from(texts.subarray(leastStart, leastEnd)),
    most: Buffer.from(texts.subarray(mostStart, mostEnd)),
  };
}

/** Byte by byte, as the format orders texts. */
function compare(bytes: Buffer, start: number, end: number, otherStart: number, otherEnd: number): number {
  const size = Math.min(end - start, otherEnd - otherStart);
  for (let at = 0; at < size; at++) {
    const difference = (bytes[start + at] ?? 0) - (bytes[otherStart + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return end - start - (otherEnd - otherStart);
}
