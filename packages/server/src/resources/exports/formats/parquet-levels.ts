/** Parquet's hybrid of runs and packed bits: for what is there of a column, and for places in a dictionary. */
import { Buffer } from "node:buffer";
import { varint } from "./parquet-thrift.ts";

/** Values are packed in groups of so many. */
const PACKED_GROUP = 8;

/** Which rows of a column have a value, as lengths of runs: the first is of rows with one, the second of rows without, and so on. */
export class Presence {
  /** Those before the last one. */
  #runs: number[] = [];
  /** Of the last one. */
  #length = 0;
  #isPresent = true;

  add(isPresent: boolean, rows = 1): void {
    if (isPresent !== this.#isPresent) {
      this.#runs.push(this.#length);
      this.#length = 0;
      this.#isPresent = isPresent;
    }
    this.#length += rows;
  }

  get rowCount(): number {
    return this.#runs.reduce((sum, length) => sum + length, this.#length);
  }

  /** The rows up to the one that has the last of these values, taken off the front; with Infinity, all rows. */
  take(valueCount: number): Presence {
    const taken = new Presence();
    const rest = new Presence();
    let missing = valueCount;
    for (const [run, length] of [...this.#runs, this.#length].entries()) {
      const isPresent = run % 2 === 0;
      const rows = missing === 0 ? 0 : isPresent ? Math.min(length, missing) : length;
      if (rows > 0) taken.add(isPresent, rows);
      if (rows < length) rest.add(isPresent, length - rows);
      if (isPresent) missing -= rows;
    }
    this.#runs = rest.#runs;
    this.#length = rest.#length;
    this.#isPresent = rest.#isPresent;
    return taken;
  }

  /** As definition levels: one bit each. */
  encode(): Buffer {
    const runs = [...this.#runs, this.#length];
    const { rowCount } = this;
    if (runs.length * 2 * PACKED_GROUP <= rowCount || rowCount <= 2 * PACKED_GROUP)
      return Buffer.concat(
        runs.flatMap((length, run) =>
          length === 0 ? [] : [varint(BigInt(length) << 1n), Buffer.of(run % 2 === 0 ? 1 : 0)],
        ),
      );
    const groups = Math.ceil(rowCount / PACKED_GROUP);
    const bits = Buffer.alloc(groups);
    let at = 0;
    for (const [run, length] of runs.entries()) {
      if (run % 2 === 0)
        for (let row = at; row < at + length; row++) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
      at += length;
    }
    return Buffer.concat([varint((BigInt(groups) << 1n) | 1n), bits]);
  }
}

/** Places of `bitWidth` bits, behind a byte with this width. */
export function encodePlaces(places: Uint32Array, placeCount: number): Buffer {
  let changes = 0;
  let most = 0;
  for (let i = 0; i < placeCount; i++) {
    if (i > 0 && places[i] !== places[i - 1]) changes++;
    most = Math.max(most, places[i] ?? 0);
  }
  // Not every reader takes a width of 0.
  const bitWidth = Math.max(1, 32 - Math.clz32(most));
  return (changes + 1) * PACKED_GROUP <= placeCount
    ? encodeRuns(places, placeCount, bitWidth)
    : encodePacked(places, placeCount, bitWidth);
}

function encodeRuns(places: Uint32Array, placeCount: number, bitWidth: number): Buffer {
  const parts: Buffer[] = [Buffer.of(bitWidth)];
  for (let from = 0; from < placeCount;) {
    const place = places[from] ?? 0;
    let to = from + 1;
    while (to < placeCount && places[to] === place) to++;
    const value = Buffer.alloc(Math.ceil(bitWidth / 8));
    value.writeUIntLE(place, 0, value.length);
    parts.push(varint(BigInt(to - from) << 1n), value);
    from = to;
  }
  return Buffer.concat(parts);
}

function encodePacked(places: Uint32Array, placeCount: number, bitWidth: number): Buffer {
  const groups = Math.ceil(placeCount / PACKED_GROUP);
  const packed = Buffer.alloc(groups * bitWidth);
  let at = 0;
  let pending = 0;
  let pendingBits = 0;
  for (let i = 0; i < placeCount; i++) {
    // Fewer than 8 bits wait, and a place has 20 at most.
    pending |= (places[i] ?? 0) << pendingBits;
    pendingBits += bitWidth;
    for (; pendingBits >= 8; pendingBits -= 8) {
      packed[at++] = pending & 0xff;
      pending >>>= 8;
    }
  }
  if (pendingBits > 0) packed[at] = pending & 0xff;
  return Buffer.concat([Buffer.of(bitWidth), varint((BigInt(groups) << 1n) | 1n), packed]);
}
