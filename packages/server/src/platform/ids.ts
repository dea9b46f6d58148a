/**
 * Identifiers: `prefix_` and 26 base32 characters of a UUIDv7 (TypeID) outside, UUIDs in the database. A dataset row has
 * no stored id: its token is the dataset's 26 characters and eight hexadecimal digits of the row's index, so SQL can write it.
 */
import { randomInt, randomUUID } from "node:crypto";
import { toUUID, typeidUnboxed } from "typeid-js";
import { idPrefixes } from "@rowmill/contract/schemas";
import type { IdKind } from "@rowmill/contract/schemas";
import { sharedMs, TOLERATED_MS } from "./shared-time.ts";

export const ROW_INDEX_DIGITS = 8;
const ROW_ID = /^row_([0-7][0-9a-hjkmnp-tv-z]{25})([0-9a-f]{8})$/;

/** 48 bits, in the year 10889. */
const MAX_UUID_MS = 2 ** 48 - 1;

/** Of something that has no place in the database: two of one millisecond have no order. */
export function newId(kind: IdKind): string {
  // Behind the digit that is its version, a random UUID has what a UUIDv7 has.
  const random = randomUUID();
  const version = 0x7000 | bitsOf(random, 15, 18);
  return `${idPrefixes[kind]}_${digitsOfTime(sharedMs())}${digitsBehindTime(version, random)}`;
}

/**
 * The same for each request, in a tenth of the time: of their random bits, the last 30 are counted up from those of the first id, as RFC 9562
 * allows. From one of them the next can be guessed, which opens nothing.
 */
export function createRequestIds(): () => string {
  const first = newId("request");
  const random = first.slice(-DIGITS_BEHIND_TIME, -COUNTER_DIGITS);
  let counter = randomInt(COUNTER_END);
  return () => {
    counter = (counter + 1) % COUNTER_END;
    const counted = pairOf(counter >>> 20) + pairOf(counter >>> 10) + pairOf(counter);
    return `${idPrefixes.request}_${digitsOfTime(sharedMs())}${random}${counted}`;
  };
}
const DIGITS_BEHIND_TIME = 16;
const COUNTER_DIGITS = 6;
const COUNTER_END = 2 ** 30;

/** A new UUIDv7, behind all that this process has made before. Only where a clock was set meanwhile may it be before some of them. */
export function newUuid(): string {
  const uuid = toUUID(typeidUnboxed());
  const ms = sharedMs();
  // What the library has counted up in a millisecond counts within the time of another clock as well.
  if (lastMs - ms >= TOLERATED_MS || ms > lastMs) lastMs = ms;
  return Math.abs(timeOfUuid(uuid).getTime() - lastMs) < TOLERATED_MS
    ? uuid
    : uuidOfTime(lastMs) + uuid.slice(TIME_DIGITS);
}
let lastMs = 0;
/** 48 bits, with a hyphen. */
const TIME_DIGITS = 13;

/** The smallest UUIDv7 of a millisecond: those made at that time or later are not below it. */
export function uuidAt(time: Date): string {
  const ms = Math.max(0, Math.min(time.getTime(), MAX_UUID_MS));
  return `${uuidOfTime(ms)}-7000-8000-000000000000`;
}
/** What a UUIDv7 of this millisecond begins with. */
function uuidOfTime(ms: number): string {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
/** No id is one of these, and all are between them. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";
export const LAST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The next smaller one; of the smallest, itself. */
export function uuidBefore(uuid: string): string {
  const value = BigInt(`0x${uuid.replaceAll("-", "")}`);
  const hex = (value === 0n ? value : value - 1n).toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export const timeOfUuid = (uuid: string): Date => new Date(Number.parseInt(uuid.replace("-", "").slice(0, 12), 16));

export const formatId = (kind: IdKind, uuid: string): string => `${idPrefixes[kind]}_${toBase32(uuid)}`;
export const formatIdOrNull = (kind: IdKind, uuid: string | null): string | null =>
  uuid === null ? null : formatId(kind, uuid);

/** The UUID of an id of this kind; undefined for any other text. */
export function parseId(kind: IdKind, id: string): string | undefined {
  const prefix = `${idPrefixes[kind]}_`;
  return id.startsWith(prefix) ? fromBase32(id.slice(prefix.length)) : undefined;
}

/** Of an id that we have written ourselves. */
export function uuidOf(kind: IdKind, id: string): string {
  const uuid = parseId(kind, id);
  if (uuid === undefined) throw new Error(`${id} is not an id of a ${kind}`);
  return uuid;
}

/** `datasetUpload` → "dataset upload". */
export const sayKind = (kind: string): string =>
  kind === "row"
    ? "dataset row"
    : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api /, "API ");

/** "an API key", "a dataset". */
export const sayOneOf = (kind: string): string => `${/^[aeio]/i.test(kind) ? "an" : "a"} ${sayKind(kind)}`;

const PREFIX = /^([a-z]{2,5})_[0-9a-z]{26}/;

/** A sentence where an id of another kind was given: only its prefix is looked at. */
export function wrongKind(given: string, wanted: IdKind, where: string): string | undefined {
  const prefix = PREFIX.exec(given)?.[1];
  const [kind] = Object.entries(idPrefixes).find(([, known]) => known === prefix) ?? [];
  if (kind === undefined || kind === wanted) return undefined;
  return `This is ${sayOneOf(kind)} id; ${where} wants ${idPrefixes[wanted]}_….`;
}

/** What a row's id begins with; the rest is the index in hexadecimal. */
export const rowIdPrefix = (datasetUuid: string): string =>
  `row_${formatId("dataset", datasetUuid).slice(idPrefixes.dataset.length + 1)}`;

export const formatRowId = (datasetUuid: string, index: number): string => makeRowId(rowIdPrefix(datasetUuid), index);
export const makeRowId = (prefix: string, index: number): string =>
  prefix + index.toString(16).padStart(ROW_INDEX_DIGITS, "0");

export function parseRowId(id: string): { datasetId: string; index: number } | undefined {
  const [, dataset, index] = ROW_ID.exec(id) ?? [];
  if (dataset === undefined || index === undefined) return undefined;
  const datasetId = parseId("dataset", `${idPrefixes.dataset}_${dataset}`);
  return datasetId === undefined ? undefined : { datasetId, index: Number.parseInt(index, 16) };
}

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Of RFC 9562, as its versions are, 1 to 8: two bits. */
const VARIANT = 2;
/** Two digits of base 32 by their value. */
const DIGIT_PAIRS = Array.from({ length: 1024 }, (_, pair) => DIGITS.charAt(pair >> 5) + DIGITS.charAt(pair & 31));
/** Values of digits by their character codes. */
const DIGIT_VALUES = new Uint8Array(128);
for (let value = 0; value < DIGITS.length; value++) DIGIT_VALUES[DIGITS.charCodeAt(value)] = value;

const pairOf = (value: number): string => DIGIT_PAIRS[value & 1023] ?? "";
const bitsOf = (uuid: string, from: number, to: number): number => Number.parseInt(uuid.slice(from, to), 16);

/** Two zeros and the 128 bits of the UUID, as 13 pairs of digits: a request has about ten ids, and byte by byte each takes twice as long. */
function toBase32(uuid: string): string {
  if (uuid.length !== 36) throw new Error(`${uuid} is not a UUID`);
  const [a, b] = [bitsOf(uuid, 0, 8), bitsOf(uuid, 9, 13)];
  const time = pairOf(a >>> 24) + pairOf(a >>> 14) + pairOf(a >>> 4) + pairOf(((a & 15) << 6) | (b >>> 10)) + pairOf(b);
  return time + digitsBehindTime(bitsOf(uuid, 14, 18), uuid);
}

/** Of a UUIDv7's milliseconds, as `toBase32` writes them. Shifts are of 32 bits. */
function digitsOfTime(ms: number): string {
  const high = Math.floor(ms / 2 ** 20);
  return pairOf(high >>> 20) + pairOf(high >>> 10) + pairOf(high) + pairOf(ms >>> 10) + pairOf(ms);
}

/** `c`: the third group of the UUID. */
function digitsBehindTime(c: number, uuid: string): string {
  const [d, e] = [bitsOf(uuid, 19, 23), bitsOf(uuid, 24, 26)];
  const [f, g] = [bitsOf(uuid, 26, 31), bitsOf(uuid, 31, 36)];
  return (
    pairOf(c >>> 6) +
    pairOf(((c & 63) << 4) | (d >>> 12)) +
    pairOf(d >>> 2) +
    pairOf(((d & 3) << 8) | e) +
    pairOf(f >>> 10) +
    pairOf(f) +
    pairOf(g >>> 10) +
    pairOf(g)
  );
}

/** Bytes in hexadecimal. */
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const hexOf = (byte: number): string => HEX_BYTES[byte & 255] ?? "";

/** Undefined where it is not the suffix of an id: the caller responds as for an unknown one. */
function fromBase32(text: string): string | undefined {
  if (!SUFFIX.test(text)) return undefined;
  const pair = (at: number): number =>
    ((DIGIT_VALUES[text.charCodeAt(2 * at)] ?? 0) << 5) | (DIGIT_VALUES[text.charCodeAt(2 * at + 1)] ?? 0);
  // Five bytes are four pairs; before them is one more, whose first two bits are zeros.
  const first = (at: number): string => hexOf(pair(at) >>> 2);
  const second = (at: number): string => hexOf((pair(at) << 6) | (pair(at + 1) >>> 4));
  const third = (at: number): string => hexOf((pair(at + 1) << 4) | (pair(at + 2) >>> 6));
  const fourth = (at: number): string => hexOf((pair(at + 2) << 2) | (pair(at + 3) >>> 8));
  const fifth = (at: number): string => hexOf(pair(at + 3));
  const time = `${hexOf(pair(0))}${first(1)}${second(1)}${third(1)}-${fourth(1)}${fifth(1)}`;
  const uuid = `${time}-${first(5)}${second(5)}-${third(5)}${fourth(5)}-${fifth(5)}${first(9)}${second(9)}${third(9)}${fourth(9)}${fifth(9)}`;
  const version = pair(5) >>> 6;
  const variant = (pair(6) >>> 2) & 3;
  if (version >= 1 && version <= 8 && variant === VARIANT) return uuid;
  return uuid === NIL_UUID || uuid === LAST_UUID ? uuid : undefined;
}
