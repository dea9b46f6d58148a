/** Values of a column as Parquet spells them (PLAIN), from their texts (`parquet-texts.ts`), and the smallest and largest of them. */
import { Buffer } from "node:buffer";
import { LENGTH_BYTES, lengthAt } from "./parquet-texts.ts";
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

interface EncodedValues {
  bytes: Buffer;
  /** Undefined where there is no value, or a bound is too long. */
  bounds: Bounds | undefined;
}

/** `texts` has `count` of them. */
export function encodeValues(type: ParquetType, texts: Buffer, count: number): EncodedValues {
  switch (type) {
    case "VARCHAR":
      return { bytes: texts, bounds: count === 0 ? undefined : textBounds(texts) };
    case "BOOLEAN":
      return { bytes: encodeBits(texts, count), bounds: undefined };
    case "INTEGER":
      return encodeNumbers(4, texts, count, numberOf, (view, at, value) => view.setInt32(at, value, true));
    case "BIGINT":
      return encodeNumbers(8, texts, count, numberOf, setInteger);
    case "DOUBLE":
      return encodeNumbers(
        8,
        texts,
        count,
        numberOf,
        (view, at, value) => view.setFloat64(at, value, true),
        signedZero,
      );
    case "TIMESTAMPTZ":
      return encodeNumbers(8, texts, count, microsecondsOf, setInteger);
  }
}

function encodeBits(texts: Buffer, count: number): Buffer {
  const bits = Buffer.alloc(Math.ceil(count / 8));
  let start = 0;
  for (let i = 0; i < count; i++) {
    if (texts[start + LENGTH_BYTES] === TRUE_START) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
    start += LENGTH_BYTES + lengthAt(texts, start);
  }
  return bits;
}

type SetNumber = (view: DataView, at: number, value: number) => void;

function setInteger(view: DataView, at: number, value: number): void {
  const high = Math.floor(value / HIGH_WORD);
  view.setUint32(at, value - high * HIGH_WORD, true);
  view.setInt32(at + 4, high, true);
}

/** 0 and -0 are the same to a comparison, but not to every reader of bounds: the format says that bounds include both. */
const signedZero = (least: number, most: number): [number, number] => [least === 0 ? -0 : least, most === 0 ? 0 : most];

function encodeNumbers(
  size: number,
  texts: Buffer,
  count: number,
  read: (texts: Buffer, start: number, end: number) => number,
  set: SetNumber,
  adjust = (least: number, most: number): [number, number] => [least, most],
): EncodedValues {
  const bytes = Buffer.allocUnsafeSlow(count * size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let start = LENGTH_BYTES;
  for (let i = 0; i < count; i++) {
    const end = start + lengthAt(texts, start - LENGTH_BYTES);
    const value = read(texts, start, end);
    set(view, i * size, value);
    if (value < least) least = value;
    if (value > most) most = value;
    start = end + LENGTH_BYTES;
  }
  if (count === 0) return { bytes, bounds: undefined };
  const [low, high] = adjust(least, most);
  const bound = (value: number): Buffer => {
    const written = Buffer.alloc(size);
    set(new DataView(written.buffer, written.byteOffset, size), 0, value);
    return written;
  };
  return { bytes, bounds: { least: bound(low), most: bound(high) } };
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

/** Of a timestamp as the contract writes them, in UTC. Exact up to the year 2255, and the service writes those of today. */
function microsecondsOf(text: Buffer, start: number, end: number): number {
  const seconds = Date.parse(`${text.toString("latin1", start, start + WHOLE_SECONDS_CHARACTERS)}Z`) / 1_000;
  const fraction = text.toString("latin1", start + WHOLE_SECONDS_CHARACTERS + 1, end - 1).padEnd(6, "0");
  return seconds * 1_000_000 + Number(fraction);
}

function textBounds(texts: Buffer): Bounds | undefined {
  let start = LENGTH_BYTES;
  let end = start + lengthAt(texts, 0);
  let [leastStart, leastEnd, mostStart, mostEnd] = [start, end, start, end];
  while (end < texts.length) {
    start = end + LENGTH_BYTES;
    end = start + lengthAt(texts, end);
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
