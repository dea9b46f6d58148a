/** The different values of a column, where they repeat so often that a place in a list of them is shorter. */
import { Buffer } from "node:buffer";
import { LENGTH_BYTES, lengthAt } from "./parquet-texts.ts";

interface Dictionary {
  /** As the column's values are written: each behind four bytes with its length. */
  values: Buffer;
  count: number;
  /** For each value of the column, its place among these. */
  places: Uint32Array;
}

/** Readers hold a dictionary while they read the column's pages. */
const MAX_DICTIONARY_BYTES = 1 << 20;
/** Columns whose values differ are found out by their first ones. */
const TRIED_VALUES = 4_096;
/** On average, each value appears at least so often. */
const LEAST_REPEATS = 2;
/** Values that look alike in what is hashed of them must not make the search long. */
const MAX_PROBES = 64;
/** A power of two. */
const FIRST_SLOTS = 4_096;
/** Hashed of each end of a value, where columns mostly differ. */
const HASHED_BYTES = 12;

/** Undefined: the values do not repeat enough. `bytes` has `count` of them. */
export function buildDictionary(bytes: Buffer, count: number): Dictionary | undefined {
  if (count < LEAST_REPEATS) return undefined;
  const places = new Uint32Array(count);
  let slots = new Uint32Array(FIRST_SLOTS);
  const starts: number[] = [];
  const ends: number[] = [];
  let [size, start, last] = [0, 0, -1];
  for (let i = 0; i < count; i++) {
    const end = start + LENGTH_BYTES + lengthAt(bytes, start);
    // Neighbors are often the same.
    if (last === -1 || !isSame(bytes, starts[last] ?? 0, ends[last] ?? 0, start, end)) {
      if (starts.length * 2 >= slots.length) {
        const larger = rehash(bytes, slots.length * 2, starts, ends);
        if (larger === undefined) return undefined;
        slots = larger;
      }
      const slot = findSlot(bytes, slots, starts, ends, start, end);
      if (slot === -1) return undefined;
      last = (slots[slot] ?? 0) - 1;
      if (last === -1) {
        size += end - start;
        last = starts.length;
        const limit = i < TRIED_VALUES ? TRIED_VALUES / LEAST_REPEATS : i / LEAST_REPEATS;
        if (size > MAX_DICTIONARY_BYTES || last + 1 > limit) return undefined;
        starts.push(start);
        ends.push(end);
        slots[slot] = last + 1;
      }
    }
    places[i] = last;
    start = end;
  }
  if (starts.length * LEAST_REPEATS > count) return undefined;
  const values = Buffer.concat(starts.map((from, place) => bytes.subarray(from, ends[place])));
  return { values, count: starts.length, places };
}

/** Where the value is, or would be; -1: too many others are in its way. */
function findSlot(
  bytes: Buffer,
  slots: Uint32Array,
  starts: readonly number[],
  ends: readonly number[],
  start: number,
  end: number,
): number {
  const mask = slots.length - 1;
  let slot = hashOf(bytes, start, end) & mask;
  for (let probe = 0; probe < MAX_PROBES; probe++) {
    const place = (slots[slot] ?? 0) - 1;
    if (place === -1 || isSame(bytes, starts[place] ?? 0, ends[place] ?? 0, start, end)) return slot;
    slot = (slot + 1) & mask;
  }
  return -1;
}

function rehash(
  bytes: Buffer,
  slotCount: number,
  starts: readonly number[],
  ends: readonly number[],
): Uint32Array<ArrayBuffer> | undefined {
  const slots = new Uint32Array(slotCount);
  for (const [place, start] of starts.entries()) {
    const slot = findSlot(bytes, slots, starts, ends, start, ends[place] ?? 0);
    if (slot === -1) return undefined;
    slots[slot] = place + 1;
  }
  return slots;
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  const headEnd = Math.min(end, start + LENGTH_BYTES + HASHED_BYTES);
  for (let at = start + LENGTH_BYTES; at < headEnd; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93);
  for (let at = Math.max(headEnd, end - HASHED_BYTES); at < end; at++)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Values of a column mostly differ near one of their ends. */
function isSame(bytes: Buffer, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  const size = end - start;
  if (size !== otherEnd - otherStart) return false;
  const tail = Math.max(0, size - HASHED_BYTES);
  for (let at = size - 1; at >= tail; at--) if (bytes[start + at] !== bytes[otherStart + at]) return false;
  for (let at = LENGTH_BYTES; at < tail; at++) if (bytes[start + at] !== bytes[otherStart + at]) return false;
  return true;
}
