/** The `Range` header (RFC 9110, section 14). */
import type { ByteRange } from "../../platform/storage/storage.ts";

/** Fifteen digits stay exact as a number. */
const SINGLE_RANGE = /^bytes[ \t]*=[ \t]*(\d{1,15})?[ \t]*-[ \t]*(\d{1,15})?[ \t]*$/i;

/**
 * `whole`: there is no range, or one that a server may pass over: several at once, another unit, or no range at all.
 * The end of a range that is longer than the file is cut.
 */
export function parseByteRange(
  header: string | undefined,
  sizeBytes: number,
): Required<ByteRange> | "whole" | "unsatisfiable" {
  const [matched, first, last] = SINGLE_RANGE.exec(header ?? "") ?? [];
  if (matched === undefined || (first === undefined && last === undefined)) return "whole";
  if (first === undefined) {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === undefined ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== undefined && Number(last) < start) return "whole";
  return start >= sizeBytes ? "unsatisfiable" : { start, end };
}
