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
  const { source, writer } = context;
  const rows = new Lines(context);
  const open = new OpenLine(context.job.limits.maxRowBytes);
  const endOpenLine = (rest: Buffer): void => {
    const { bytes, isTooLong } = open.end(rest);
    if (isTooLong) rows.refuse(bytes);
    else rows.add(bytes);
  };

  let isFirst = true;
  for await (const block of source.blocks()) {
    let lines = isFirst ? withoutByteOrderMark(block) : block;
    isFirst = false;
    if (open.isBegun) {
      const lineEnd = lines.indexOf(NEWLINE);
      if (lineEnd === -1) {
        open.extend(lines);
        writer.reportProgress(source.consumedBytes);
        continue;
      }
      endOpenLine(lines.subarray(0, lineEnd));
      lines = lines.subarray(lineEnd + 1);
    }
    const lastEnd = lines.lastIndexOf(NEWLINE);
    if (lastEnd !== -1) rows.add(lines.subarray(0, lastEnd));
    if (lastEnd + 1 < lines.length) open.extend(lines.subarray(lastEnd + 1));
    writer.reportProgress(source.consumedBytes);
  }
  if (open.isBegun) endOpenLine(Buffer.alloc(0));
  return rows.columns();
}

/** Whole lines: each becomes a row, or a problem of the upload. */
class Lines {
  readonly #context: ReaderContext;
  readonly #columns = new JsonColumns();
  readonly #plainRows = new PlainRows(this.#columns);
  #lineNumber = 0;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  columns(): Column[] {
    return this.#columns.list();
  }

  /** Lines with a line end between two of them. */
  add(bytes: Buffer): void {
    // One check for a block of lines; only those of a bad block are looked at one by one.
    const isText = isUtf8(bytes);
    for (let start = 0, end = 0; start <= bytes.length; start = end + 1) {
      const newline = bytes.indexOf(NEWLINE, start);
      end = newline === -1 ? bytes.length : newline;
      this.#lineNumber++;
      if (isText || isUtf8(bytes.subarray(start, end))) this.#addLine(bytes, start, end);
      else {
        const line = bytes.subarray(start, end);
        this.#context.errors.addRow(this.#lineNumber, notUtf8(line, "json"), line);
      }
    }
  }

  /** A line that is too long, or its beginning. */
  refuse(line: Buffer): void {
    this.#lineNumber++;
    this.#addTooLong(line);
  }

  #addLine(bytes: Buffer, start: number, lineEnd: number): void {
    const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (isBlank(bytes, start, end)) return;
    const { writer, errors, job } = this.#context;
    if (end - start > job.limits.maxRowBytes) return this.#addTooLong(bytes.subarray(start, end));
    if (!this.#plainRows.add(bytes, start, end)) {
      const text = bytes.toString("utf8", start, end);
      const row = parseJsonRow(text);
      if (typeof row === "string")
        return errors.addRow(this.#lineNumber, { code: "invalid_json_line", message: row }, text);
      this.#columns.addRow(row);
      this.#plainRows.learn(bytes, start, end);
    }
    writer.writeBytes(bytes, start, end);
  }

  #addTooLong(line: Buffer): void {
    const { errors, job } = this.#context;
    errors.addRow(this.#lineNumber, rowTooLarge(job.limits.maxRowBytes), line);
  }
}

/** The beginning of a line whose end has not come yet; of one that is too long, no more than is shown of it. */
class OpenLine {
  /** Two more than a row: the byte order mark or CR that may still come off are no part of it. */
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;
  #beginning: Buffer | undefined;

  constructor(maxRowBytes: number) {
    this.#maxBytes = maxRowBytes + BYTE_ORDER_MARK.length + 1;
  }

  get isBegun(): boolean {
    return this.#size > 0;
  }

  extend(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) this.#parts.push(part);
    else {
      this.#beginning ??= Buffer.concat([...this.#parts, part]).subarray(0, LINE_BEGINNING_BYTES);
      this.#parts = [];
    }
  }

  end(rest: Buffer): { bytes: Buffer; isTooLong: boolean } {
    const isTooLong = this.#beginning !== undefined;
    const bytes = this.#beginning ?? Buffer.concat([...this.#parts, rest]);
    this.#parts = [];
    this.#size = 0;
    this.#beginning = undefined;
    return { bytes, isTooLong };
  }
}

/** Spaces, tabs and carriage returns at most. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN)) at++;
  return at === end;
}
