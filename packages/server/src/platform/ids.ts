/**
 * Identifiers: `prefix_` and 26 base32 characters of a UUIDv7 (TypeID) outside, UUIDs in the database. A dataset row has
 * no stored id: its token is the dataset's 26 characters and eight hexadecimal digits of the row's index, so SQL can write it.
 */
import { fromString, toUUID, typeidUnboxed, fromUUID } from "typeid-js";
import type { TypeId } from "typeid-js";
import { idPrefixes } from "@rowmill/contract/schemas";
import type { IdKind } from "@rowmill/contract/schemas";

export const ROW_INDEX_DIGITS = 8;
const ROW_ID = /^row_([0-7][0-9a-hjkmnp-tv-z]{25})([0-9a-f]{8})$/;

/** 48 bits, in the year 10889. */
const MAX_UUID_MS = 2 ** 48 - 1;

/** Of something that has no place in the database. */
export const newId = (kind: IdKind): string => typeidUnboxed(idPrefixes[kind]);

/** A new UUIDv7. */
export const newUuid = (): string => toUUID(typeidUnboxed());

/** The smallest UUIDv7 of a millisecond: those made at that time or later are not below it. */
export function uuidAt(time: Date): string {
  const ms = Math.max(0, Math.min(time.getTime(), MAX_UUID_MS)).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
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

export const formatId = (kind: IdKind, uuid: string): string => fromUUID(uuid, idPrefixes[kind]);
export const formatIdOrNull = (kind: IdKind, uuid: string | null): string | null =>
  uuid === null ? null : formatId(kind, uuid);

/** The UUID of an id of this kind; undefined for any other text. */
export function parseId(kind: IdKind, id: string): string | undefined {
  if (!id.startsWith(`${idPrefixes[kind]}_`)) return undefined;
  try {
    return toUUID(fromString(id, idPrefixes[kind]) as TypeId<string>); // fromString has checked it
  } catch {
    return undefined; // Not a TypeID: the caller responds as for an unknown one.
  }
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

const PREFIX = /^([a-z]{2,5})_[0-9a-z]{26}/;

/** A sentence where an id of another kind was given: only its prefix is looked at. */
export function wrongKind(given: string, wanted: IdKind, where: string): string | undefined {
  const prefix = PREFIX.exec(given)?.[1];
  const [kind] = Object.entries(idPrefixes).find(([, known]) => known === prefix) ?? [];
  if (kind === undefined || kind === wanted) return undefined;
  const [a, noun] = [/^[aeio]/i.test(kind) ? "an" : "a", sayKind(kind)];
  return `This is ${a} ${noun} id; ${where} wants ${idPrefixes[wanted]}_….`;
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
