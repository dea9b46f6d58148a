/**
 * JSON Lines: one row a line, taken over exactly as it is written. A byte order mark, CRLF line ends and blank lines are
 * nobody's fault and pass; which lines are rows says `json-row.ts`. Lines are split before they are decoded, so one line
 * with bad bytes is one bad line, and one of any length needs no more memory than a row may have.
 */
import { isUtf8 } from "node:buffer";
import type { Column } from "./columns.ts";
import { JsonColumns } from "./json-columns.ts";
import { parseJsonRow } from "./json-row.ts";
import type { ReaderContext } from "./reading.ts";
import { BYTE_ORDER_MARK, NOT_UTF_8, rowTooLarge, withoutByteOrderMark } from "./row-bytes.ts";

const NEWLINE = 10;

export { rowTooLarge } from "./row-bytes.ts";

export async function readJsonLines(context: ReaderContext): Promise<Column[]> {
  const { source, writer, errors } = context;
  const maxRowBytes = context.job.limits.maxRowBytes;
  const columns = new JsonColumns();
  let lineNumber = 0;
  /** The beginning of a line whose end has not come yet. */
  let open: Buffer[] = [];
  let openBytes = 0;
  let isTooLong = false;

  const addTooLong = () => errors.addRow(lineNumber, rowTooLarge(maxRowBytes));
  const addLine = (text: string) => {
    lineNumber++;
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (/^[ \t\r]*$/.test(line)) return;
    // A UTF-16 code unit is at most three bytes of UTF-8: most lines need no counting.
    if (line.length * 3 > maxRowBytes && Buffer.byteLength(line) > maxRowBytes) return addTooLong();
    const row = parseJsonRow(line);
    if (typeof row === "string") return errors.addRow(lineNumber, { code: "invalid_json_line", message: row });
    columns.addRow(row);
    writer.writeLine(line);
  };
  const addLines = (bytes: Buffer) => {
    // One check and one decoding for a block of lines; only a bad block is looked at line by line.
    if (isUtf8(bytes)) return bytes.toString("utf8").split("\n").forEach(addLine);
    for (const line of splitLines(bytes)) {
      if (isUtf8(line)) addLine(line.toString("utf8"));
      else errors.addRow(++lineNumber, { code: "encoding_error", message: NOT_UTF_8 });
    }
  };
  const endOpenLine = (rest: Buffer) => {
    if (isTooLong) {
      lineNumber++;
      addTooLong();
    } else {
      addLines(Buffer.concat([...open, rest]));
    }
    open = [];
    openBytes = 0;
    isTooLong = false;
  };
  const extendOpenLine = (part: Buffer) => {
    openBytes += part.length;
    // Two more: the byte order mark or CR that may still come off are no part of the row.
    if (openBytes > maxRowBytes + BYTE_ORDER_MARK.length + 1) {
      isTooLong = true;
      open = [];
    }
    if (!isTooLong) open.push(part);
  };

  let isFirst = true;
  for await (const block of source.blocks()) {
    let lines = isFirst ? withoutByteOrderMark(block) : block;
    isFirst = false;
    if (openBytes > 0) {
      const lineEnd = lines.indexOf(NEWLINE);
      if (lineEnd === -1) {
        extendOpenLine(lines);
        writer.reportProgress(source.consumedBytes);
        continue;
      }
      endOpenLine(lines.subarray(0, lineEnd));
      lines = lines.subarray(lineEnd + 1);
    }
    const lastEnd = lines.lastIndexOf(NEWLINE);
    if (lastEnd !== -1) addLines(lines.subarray(0, lastEnd));
    if (lastEnd + 1 < lines.length) extendOpenLine(lines.subarray(lastEnd + 1));
    writer.reportProgress(source.consumedBytes);
  }
  if (openBytes > 0) endOpenLine(Buffer.alloc(0));
  return columns.list();
}

function* splitLines(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
  yield bytes.subarray(start);
}
