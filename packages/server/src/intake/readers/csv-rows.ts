/** Records of a delimited file as JSON texts, from bytes to bytes. */
import { type CsvRecord, DOUBLED, UNQUOTED } from "./csv-scanner.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A control character becomes six: \u001f. */
const MAX_GROWTH = 6;
const NULL = Buffer.from("null");

/** Which bytes cannot stand in a JSON string as they are, and what follows the backslash; 1: as \u00XX. */
const escapes = new Uint8Array(256);
escapes.fill(1, 0, 0x20);
for (const [byte, letter] of [
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0c, "f"],
  [0x0d, "r"],
] as const) {
  escapes[byte] = letter.charCodeAt(0);
}
escapes[QUOTE] = QUOTE;
escapes[BACKSLASH] = BACKSLASH;
const hexDigits = Buffer.from("0123456789abcdef");

export interface RowColumn {
  name: string;
  /** Whether the cells are strings in JSON. */
  isText: boolean;
}

export class RowEncoder {
  /** `{"first":`, `,"second":` and so on. */
  readonly #prefixes: Buffer[];
  readonly #isText: boolean[];
  readonly #fixedBytes: number;

  constructor(columns: RowColumn[]) {
    this.#prefixes = columns.map(({ name }, index) =>
      Buffer.from(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`),
    );
    this.#isText = columns.map(({ isText }) => isText);
    const prefixBytes = this.#prefixes.reduce((sum, prefix) => sum + prefix.length, 0);
    this.#fixedBytes = prefixBytes + columns.length * NULL.length + 1;
  }

  /** The most bytes the row of a record can have; exact enough to reserve room, and to wave most rows through. */
  boundRow(record: CsvRecord): number {
    return this.#fixedBytes + record.sizeBytes * MAX_GROWTH;
  }

  /** Writes the row from `start` on, and returns where it ends. */
  encode(record: CsvRecord, target: Buffer, start: number): number {
    const { bytes, starts, ends, quotings } = record;
    let position = start;
    for (let index = 0; index < this.#prefixes.length; index++) {
      const prefix = this.#prefixes[index] ?? NULL;
      position = copyBytes(prefix, 0, prefix.length, target, position);
      const cellStart = starts[index] ?? 0;
      const cellEnd = ends[index] ?? 0;
      if (cellStart === cellEnd && quotings[index] === UNQUOTED) {
        position = copyBytes(NULL, 0, NULL.length, target, position);
      } else if (this.#isText[index] === true) {
        position = writeString(bytes, cellStart, cellEnd, quotings[index] === DOUBLED, target, position);
      } else {
        position = copyBytes(bytes, cellStart, cellEnd, target, position);
      }
    }
    target[position] = 0x7d;
    return position + 1;
  }
}

function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let position = at;
  for (let from = start; from < end; from++) target[position++] = source[from] ?? 0;
  return position;
}

function writeString(
  bytes: Buffer,
  start: number,
  end: number,
  isDoubled: boolean,
  target: Buffer,
  at: number,
): number {
  let position = at;
  target[position++] = QUOTE;
  for (let from = start; from < end; from++) {
    const byte = bytes[from] ?? 0;
    const escape = escapes[byte] ?? 0;
    if (escape === 0) {
      target[position++] = byte;
      continue;
    }
    target[position++] = BACKSLASH;
    if (escape === 1) {
      target[position++] = 0x75;
      target[position++] = 0x30;
      target[position++] = 0x30;
      target[position++] = hexDigits[byte >> 4] ?? 0;
      target[position++] = hexDigits[byte & 15] ?? 0;
    } else {
      target[position++] = escape;
    }
    // Of the two quotes that stand for one, the second is passed over.
    if (isDoubled && byte === QUOTE) from++;
  }
  target[position++] = QUOTE;
  return position;
}
