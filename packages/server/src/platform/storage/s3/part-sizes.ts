/**
 * How large the parts of an object are. S3 takes 10 000, of 5 MiB or more; all but the last of one size where that is
 * enough, since some servers take no others.
 */
const MIB = 1 << 20;
export const MIN_PART_BYTES = 8 * MIB;
export const MAX_PARTS = 10_000;

/** Where nobody knows how large the object becomes, parts double after so many: memory is flat up to 16 GiB, and 496 GiB fit. */
const PARTS_OF_ONE_SIZE = 2_000;

export type PartSizes = (partNumber: number) => number;

export function partSizesFor(maxBytes: number | undefined): PartSizes {
  if (maxBytes !== undefined && maxBytes <= MIN_PART_BYTES * MAX_PARTS) return () => MIN_PART_BYTES;
  return (partNumber) => MIN_PART_BYTES * 2 ** Math.floor((partNumber - 1) / PARTS_OF_ONE_SIZE);
}

/** All of one size, in whole MiB. */
export const equalPartBytes = (maxBytes: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(maxBytes / MAX_PARTS / MIB) * MIB);
