/** Texts one after the other, each behind four bytes with its length, the least first: as Parquet spells them. */
import type { Buffer } from "node:buffer";

export const LENGTH_BYTES = 4;

export function writeLength(texts: Buffer, at: number, length: number): void {
  texts[at] = length & 0xff;
  texts[at + 1] = (length >>> 8) & 0xff;
  texts[at + 2] = (length >>> 16) & 0xff;
  texts[at + 3] = length >>> 24;
}

/** Texts are shorter than 2^31 bytes. */
export const lengthAt = (texts: Buffer, at: number): number =>
  (texts[at] ?? 0) | ((texts[at + 1] ?? 0) << 8) | ((texts[at + 2] ?? 0) << 16) | ((texts[at + 3] ?? 0) << 24);
