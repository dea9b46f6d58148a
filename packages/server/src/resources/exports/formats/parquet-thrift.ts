/** What Parquet needs of Thrift's compact protocol: structures of integers, bytes, booleans, lists and structures. */
import { Buffer } from "node:buffer";

const TRUE = 1;
const FALSE = 2;
const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;
/** The most that fits beside the type, in lists. */
const MAX_SHORT_COUNT = 14;
/** The most that an identifier may be above the last one to fit beside the type. */
const MAX_SHORT_STEP = 15;

export type ThriftValue =
  | { type: "bool"; value: boolean }
  | { type: "i32" | "i64"; value: number }
  | { type: "binary"; value: string | Buffer }
  | { type: "struct"; value: ThriftStruct }
  | { type: "list"; of: "i32" | "binary" | "struct"; values: readonly (number | string | ThriftStruct)[] };

/** By the number of the field, in ascending order; what is undefined is left out. */
export type ThriftStruct = readonly (readonly [number, ThriftValue | undefined])[];

export const i32 = (value: number): ThriftValue => ({ type: "i32", value });
export const i64 = (value: number): ThriftValue => ({ type: "i64", value });
export const bool = (value: boolean): ThriftValue => ({ type: "bool", value });
export const binary = (value: string | Buffer): ThriftValue => ({ type: "binary", value });
export const struct = (...value: ThriftStruct): ThriftValue => ({ type: "struct", value });
export const list = (
  of: "i32" | "binary" | "struct",
  values: readonly (number | string | ThriftStruct)[],
): ThriftValue => ({ type: "list", of, values });

export function encodeThrift(fields: ThriftStruct): Buffer {
  const parts: Buffer[] = [];
  writeStruct(parts, fields);
  return Buffer.concat(parts);
}

function writeStruct(parts: Buffer[], fields: ThriftStruct): void {
  let last = 0;
  for (const [id, field] of fields) {
    if (field === undefined) continue;
    const type = typeOf(field);
    const step = id - last;
    if (step <= MAX_SHORT_STEP) parts.push(Buffer.of((step << 4) | type));
    else parts.push(Buffer.of(type), varint(zigzag(id)));
    last = id;
    writeValue(parts, field);
  }
  parts.push(Buffer.of(0));
}

function typeOf(field: ThriftValue): number {
  switch (field.type) {
    case "bool":
      return field.value ? TRUE : FALSE;
    case "i32":
      return I32;
    case "i64":
      return I64;
    case "binary":
      return BINARY;
    case "list":
      return LIST;
    case "struct":
      return STRUCT;
  }
}

function writeValue(parts: Buffer[], field: ThriftValue): void {
  switch (field.type) {
    case "bool":
      return;
    case "i32":
    case "i64":
      parts.push(varint(zigzag(field.value)));
      return;
    case "binary":
      writeBytes(parts, field.value);
      return;
    case "struct":
      writeStruct(parts, field.value);
      return;
    case "list": {
      const type = field.of === "i32" ? I32 : field.of === "binary" ? BINARY : STRUCT;
      const count = field.values.length;
      if (count <= MAX_SHORT_COUNT) parts.push(Buffer.of((count << 4) | type));
      else parts.push(Buffer.of(0xf0 | type), varint(BigInt(count)));
      for (const value of field.values) {
        if (typeof value === "number") parts.push(varint(zigzag(value)));
        else if (typeof value === "string") writeBytes(parts, value);
        else writeStruct(parts, value);
      }
    }
  }
}

function writeBytes(parts: Buffer[], value: string | Buffer): void {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  parts.push(varint(BigInt(bytes.length)), bytes);
}

const zigzag = (value: number): bigint => (value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));

/** Seven bits a byte, the least first. */
export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
