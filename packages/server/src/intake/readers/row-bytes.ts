/** What all readers of text say about the bytes of a row. */
import type { RowProblem } from "./intake-rejected.ts";

export const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** What is wrong with bytes that are not UTF-8, and how the file can be read nevertheless. */
export function notUtf8(bytes: Buffer, kind: keyof typeof cures): RowProblem {
  const at = findForeignByte(bytes);
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  const message = `The text is not UTF-8: byte ${at + 1} of the row is 0x${byte}. ${cures[kind]}`;
  return { code: "encoding_error", message };
}

const cures = {
  table:
    'If the file is Windows-1252 or Latin-1, as Excel writes CSV, create the upload with `"csv": {"encoding": "windows-1252"}`.',
  // In another encoding, the rows that are read now would be spoiled.
  "mixed table": "Rows before it are UTF-8, so the file has two encodings: correct this row.",
  json: "JSON is UTF-8: convert the file, such as with `iconv -f WINDOWS-1252 -t UTF-8`.",
};

/** The index of the first byte that belongs to no character. */
function findForeignByte(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  let offset = 0;
  let from = 0;
  for (let found = text.indexOf("\uFFFD"); found !== -1; found = text.indexOf("\uFFFD", from)) {
    offset += Buffer.byteLength(text.slice(from, found));
    // The replacement character may stand there itself.
    if (bytes.toString("latin1", offset, offset + 3) !== "\u00EF\u00BF\u00BD") break;
    offset += 3;
    from = found + 1;
  }
  return offset;
}

export function withoutByteOrderMark(block: Buffer): Buffer {
  const start = block.subarray(0, BYTE_ORDER_MARK.length);
  return start.equals(BYTE_ORDER_MARK) ? block.subarray(BYTE_ORDER_MARK.length) : block;
}

export function rowTooLarge(maxRowBytes: number): RowProblem {
  return { code: "row_too_large", message: `The row is larger than ${maxRowBytes} bytes.` };
}
