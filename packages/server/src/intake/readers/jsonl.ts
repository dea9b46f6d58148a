/**
 * JSON Lines: one row a line, taken over exactly as it is written. A byte order mark, CRLF line ends and blank lines are
 * nobody's fault and pass; which lines are rows says `json-row.ts`. Lines are split before they are decoded, so one line
 * with bad bytes is one bad line, and one of any length needs no more memory than a row may have.
 */
import { isUtf8 } from "node:buffer";
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { JsonColumns } from "./json-columns.ts";
import { PlainRows } from "./json-plain-rows.ts";
import { parseJsonRow } from "./json-row.ts";
import type { ReaderContext } from "./reader-types.ts";
import { BYTE_ORDER_MARK, notUtf8, rowTooLarge, withoutByteOrderMark } from "./row-bytes.ts";

const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
/** Kept of a line that is too long: more than is shown of it. */
const LINE_BEGINNING_BYTES = 1_000;

export { rowTooLarge } from "./row-bytes.ts";

export async function readJsonLines(context: ReaderContext): Promise<Column[]> {
  const { source, writer, errors } = context;
  const maxRowBytes = context.job.limits.maxRowBytes;
  const columns = new JsonColumns();
  const plainRows = new PlainRows(columns);
  let lineNumber = 0;
  /** The beginning of a line whose end has not come yet. */
  let open: Buffer[] = [];
  let openBytes = 0;
  let isTooLong = false;
  /** The beginning of such a line. */
  let longLine = Buffer.alloc(0);

  const addTooLong = (line: Buffer) => errors.addRow(lineNumber, rowTooLarge(maxRowBytes), line);
  const addLine = (bytes: Buffer, start: number, lineEnd: number) => {
    const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (isBlank(bytes, start, end)) return;
    if (end - start > maxRowBytes) return addTooLong(bytes.subarray(start, end));
    if (!plainRows.add(bytes, start, end)) {
      const text = bytes.toString("utf8", start, end);
      const row = parseJsonRow(text);
      if (typeof row === "string") return errors.addRow(lineNumber, { code: "invalid_json_line", message: row }, text);
      columns.addRow(row);
      plainRows.learn(bytes, start, end);
    }
    writer.writeBytes(bytes, start, end);
  };
  const addLines = (bytes: Buffer) => {
    // One check for a block of lines; only those of a bad block are looked at one by one.
    const isText = isUtf8(bytes);
    for (let start = 0, end = 0; start <= bytes.length; start = end + 1) {
      const newline = bytes.indexOf(NEWLINE, start);
      end = newline === -1 ? bytes.length : newline;
      lineNumber++;
      if (isText || isUtf8(bytes.subarray(start, end))) addLine(bytes, start, end);
      else {
        const line = bytes.subarray(start, end);
        errors.addRow(lineNumber, notUtf8(line, "json"), line);
      }
    }
  };
  const endOpenLine = (rest: Buffer) => {
    if (isTooLong) {
      lineNumber++;
      addTooLong(longLine);
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
      if (!isTooLong) longLine = Buffer.concat([...open, part]).subarray(0, LINE_BEGINNING_BYTES);
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

/** Spaces, tabs and carriage returns at most. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN)) at++;
  return at === end;
}
