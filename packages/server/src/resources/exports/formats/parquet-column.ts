/**
 * One column of a row group. Its values wait as texts, each behind four bytes with its length, until the row group is complete:
 * only then is it known of which type they all are. This is also how Parquet spells texts, so those go into pages as they are.
 */
import { Buffer } from "node:buffer";
import { createBackslashFinder } from "../../../platform/json-bytes.ts";
import { buildDictionary } from "./parquet-dictionary.ts";
import { Presence, encodePlaces } from "./parquet-levels.ts";
import { LENGTH_BYTES, lengthAt, writeLength } from "./parquet-texts.ts";
import type { ColumnType, ParquetType } from "./parquet-types.ts";
import { encodeValues, fixedBytes } from "./parquet-values.ts";
import type { Bounds } from "./parquet-values.ts";

const FIRST_BYTES = 16 * 1024;
/** More is not kept for the next row group. */
const MOST_KEPT_BYTES = 4 << 20;
/** Readers unpack a page at a time. */
const MAX_PAGE_BYTES = 1 << 20;
/** Below this a loop copies faster than a call into the engine. */
const LOOP_BYTES = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export interface Page {
  kind: "dictionary" | "data";
  encoding: "plain" | "dictionary";
  /** Of a dictionary, its values; of data, rows, those without a value as well. */
  count: number;
  bytes: Buffer;
}

export interface EncodedColumn {
  pages: Page[];
  rowCount: number;
  nullCount: number;
  bounds: Bounds | undefined;
}

export class StagedColumn {
  readonly type: ColumnType;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  #count = 0;
  #presence = new Presence();
  readonly #hasBackslash = createBackslashFinder();

  constructor(type: ColumnType) {
    this.type = type;
  }

  addNull(): void {
    this.#presence.add(false);
  }

  /** The JSON value that stands from `start` to `end`; not null. The bytes that it takes. */
  add(json: Buffer, start: number, end: number): number {
    this.type.add(json, start, end);
    this.#presence.add(true);
    this.#count++;
    const at = this.#length;
    this.#grow(LENGTH_BYTES + end - start);
    const from = json[start] === QUOTE ? start + 1 : start;
    let size = from === start ? end - start : end - start - 2;
    if (from === start) copyBytes(json, from, from + size, this.#bytes, at + LENGTH_BYTES);
    else if (!this.#copyUnescaped(json, from, from + size, at + LENGTH_BYTES)) {
      // Halves of surrogate pairs, which JSON can spell, are no text in UTF-8. A text is never longer than its JSON, but for those.
      const text = (JSON.parse(json.toString("utf8", start, end)) as string).toWellFormed(); // a JSON string
      size = this.#bytes.write(text, at + LENGTH_BYTES);
    }
    writeLength(this.#bytes, at, size);
    this.#length = at + LENGTH_BYTES + size;
    return LENGTH_BYTES + size;
  }

  /** All pages; the column is empty then. */
  take(type: ParquetType): EncodedColumn {
    const values = this.#bytes.subarray(0, this.#length);
    const presence = this.#presence;
    const rowCount = presence.rowCount;
    const count = this.#count;
    const dictionary = type === "BOOLEAN" ? undefined : buildDictionary(values, count);
    const texts = dictionary?.values ?? values;
    const textCount = dictionary?.count ?? count;
    const { bytes: encoded, bounds } = encodeValues(type, texts, textCount);
    const pages: Page[] =
      dictionary === undefined
        ? plainPages(type, encoded, count, presence)
        : [
            { kind: "dictionary", encoding: "plain", count: textCount, bytes: encoded },
            {
              kind: "data",
              encoding: "dictionary",
              count: rowCount,
              bytes: withLevels(presence, encodePlaces(dictionary.places, count)),
            },
          ];
    // Pages have copies of these bytes.
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(MOST_KEPT_BYTES);
    this.#length = 0;
    this.#count = 0;
    this.#presence = new Presence();
    return { pages, rowCount, nullCount: rowCount - count, bounds };
  }

  /** False where a backslash is among them. */
  #copyUnescaped(from: Buffer, start: number, end: number, toStart: number): boolean {
    const to = this.#bytes;
    if (end - start >= LOOP_BYTES) {
      if (this.#hasBackslash(from, start, end)) return false;
      from.copy(to, toStart, start, end);
      return true;
    }
    for (let at = start, target = toStart; at < end; at++) {
      const byte = from[at] ?? 0;
      if (byte === BACKSLASH) return false;
      to[target++] = byte;
    }
    return true;
  }

  #grow(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function copyBytes(from: Buffer, start: number, end: number, to: Buffer, toStart: number): void {
  if (end - start >= LOOP_BYTES) from.copy(to, toStart, start, end);
  else for (let at = start, target = toStart; at < end; at++) to[target++] = from[at] ?? 0;
}

function plainPages(type: ParquetType, values: Buffer, count: number, presence: Presence): Page[] {
  const pages: Page[] = [];
  let [from, taken] = [0, 0];
  do {
    const { to, valueCount } = nextPage(type, values, from, count - taken);
    taken += valueCount;
    // Rows without a value stand with the next one that has one, or at the end.
    const rows = presence.take(taken === count ? Number.POSITIVE_INFINITY : valueCount);
    pages.push({
      kind: "data",
      encoding: "plain",
      count: rows.rowCount,
      bytes: withLevels(rows, values.subarray(from, to)),
    });
    from = to;
  } while (taken < count);
  return pages;
}

/** At least one value, where there is one. */
function nextPage(type: ParquetType, values: Buffer, from: number, left: number): { to: number; valueCount: number } {
  const size = fixedBytes[type];
  if (type === "BOOLEAN" || left === 0) return { to: values.length, valueCount: left };
  if (size !== undefined) {
    const valueCount = Math.min(left, MAX_PAGE_BYTES / size);
    return { to: from + valueCount * size, valueCount };
  }
  let to = from;
  let valueCount = 0;
  while (valueCount < left) {
    const next = to + LENGTH_BYTES + lengthAt(values, to);
    if (valueCount > 0 && next - from > MAX_PAGE_BYTES) break;
    to = next;
    valueCount++;
  }
  return { to, valueCount };
}

/** Which rows have a value, behind four bytes with the length of that, and the values. */
function withLevels(presence: Presence, values: Buffer): Buffer {
  const levels = presence.encode();
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(levels.length);
  return Buffer.concat([length, levels, values]);
}
