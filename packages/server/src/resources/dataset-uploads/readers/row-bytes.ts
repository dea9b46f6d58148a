/** What all readers of text say about the bytes of a row. */
import type { RowProblem } from "./intake-rejected.ts";

export const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
export const NOT_UTF_8 = "The text is not UTF-8.";

export function withoutByteOrderMark(block: Buffer): Buffer {
  const start = block.subarray(0, BYTE_ORDER_MARK.length);
  return start.equals(BYTE_ORDER_MARK) ? block.subarray(BYTE_ORDER_MARK.length) : block;
}

export function rowTooLarge(maxRowBytes: number): RowProblem {
  return { code: "row_too_large", message: `The row is larger than ${maxRowBytes} bytes.` };
}
