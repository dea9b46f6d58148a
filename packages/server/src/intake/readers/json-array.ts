/**
 * JSON: one array of objects, each of them a row; its elements are cut out as text, so a file of any size needs no more
 * memory than one row may have, and every row keeps its text. Only an element that spans several lines loses the white
 * space outside its strings, since a row is one line. What may be a row says `json-row.ts`.
 *
 * An element ends at a comma or bracket outside strings and nested brackets. If it is not a row, it is a bad row; an array
 * that does not end, or does not begin, is a bad file.
 */
import { isUtf8 } from "node:buffer";
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { rejectFile } from "./intake-rejected.ts";
import { JsonColumns } from "./json-columns.ts";
import { parseJsonRow } from "./json-row.ts";
import { notUtf8, rowTooLarge, withoutByteOrderMark } from "./row-bytes.ts";
import type { ReaderContext } from "./reader-types.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NEWLINE = 10;
/** Kept of an element that is too large: more than is shown of it. */
const ELEMENT_BEGINNING_BYTES = 1_000;

export async function readJsonArray(context: ReaderContext): Promise<Column[]> {
  const { source, writer, errors } = context;
  const maxRowBytes = context.job.limits.maxRowBytes;
  const columns = new JsonColumns();
  const addElement = ({ line, bytes, isTooLarge }: ArrayElement) => {
    if (isTooLarge) return errors.addRow(line, rowTooLarge(maxRowBytes), bytes);
    if (!isUtf8(bytes)) return errors.addRow(line, notUtf8(bytes, "json"), bytes);
    const text = bytes.toString("utf8");
    const row = parseJsonRow(text);
    if (typeof row === "string") return errors.addRow(line, { code: "invalid_json_line", message: row }, text);
    columns.addRow(row);
    writer.writeLine(/[\r\n]/.test(text) ? collapseWhiteSpace(text) : text);
  };
  const splitter = new ArraySplitter(maxRowBytes, addElement);
  let isFirst = true;
  for await (const block of source.blocks()) {
    splitter.split(isFirst ? withoutByteOrderMark(block) : block);
    isFirst = false;
    writer.reportProgress(source.consumedBytes);
  }
  const problem = splitter.findEndProblem();
  if (problem !== undefined) errors.fail(splitter.line, { code: "invalid_json_line", message: problem });
  return columns.list();
}

interface ArrayElement {
  /** Where it begins. */
  line: number;
  /** Without white space around; only the beginning if `isTooLarge`. */
  bytes: Buffer;
  isTooLarge: boolean;
}

/** Cuts an array, fed block by block, into its elements. */
class ArraySplitter {
  line = 1;
  readonly #maxElementBytes: number;
  readonly #onElement: (element: ArrayElement) => void;
  #place: "before" | "inside" | "behind" = "before";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Whether the element has begun, and the parts of it from earlier blocks. */
  #isInElement = false;
  #elementLine = 1;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #elementCount = 0;

  constructor(maxElementBytes: number, onElement: (element: ArrayElement) => void) {
    this.#maxElementBytes = maxElementBytes;
    this.#onElement = onElement;
  }

  split(block: Buffer): void {
    let elementStart = 0;
    for (let position = 0; position < block.length; position++) {
      const byte = block[position];
      if (byte === NEWLINE) this.line++;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
        continue;
      }
      if (isWhiteSpace(byte)) continue;
      if (this.#place !== "inside") {
        this.#enterArray(byte);
        continue;
      }
      const isEnd = this.#depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET);
      if (isEnd) {
        this.#endElement(this.#isInElement ? block.subarray(elementStart, position) : undefined, byte);
        continue;
      }
      if (!this.#isInElement) {
        this.#isInElement = true;
        this.#elementLine = this.line;
        elementStart = position;
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && this.#depth > 0) this.#depth--;
    }
    if (this.#isInElement) this.#keepPart(block.subarray(elementStart));
  }

  /** What is wrong with the array as a whole, once all blocks are in. */
  findEndProblem(): string | undefined {
    if (this.#place === "inside") return "The array does not end: a closing bracket or quote is missing.";
    return undefined;
  }

  #enterArray(byte: number | undefined): void {
    if (this.#place === "behind") {
      rejectFile("invalid_json_line", "There is something behind the end of the array.", this.line);
    }
    if (byte === OPEN_BRACE) {
      const advice = "Send an array of objects ([{…}, {…}]), or one object a line as JSON Lines (format jsonl).";
      rejectFile("invalid_json_line", `The file begins with an object, not with an array. ${advice}`, this.line);
    }
    if (byte !== OPEN_BRACKET) {
      rejectFile("invalid_json_line", "The file does not begin with an array of objects ([{…}, {…}]).", this.line);
    }
    this.#place = "inside";
  }

  #endElement(lastPart: Buffer | undefined, byte: number | undefined): void {
    const isEmptyArray = byte === CLOSE_BRACKET && this.#elementCount === 0 && lastPart === undefined;
    if (!isEmptyArray) {
      if (lastPart !== undefined) this.#keepPart(lastPart);
      const isTooLarge = this.#partBytes > this.#maxElementBytes;
      const bytes = trimEnd(Buffer.concat(this.#parts));
      this.#onElement({ line: lastPart === undefined ? this.line : this.#elementLine, bytes, isTooLarge });
    }
    this.#elementCount++;
    this.#isInElement = false;
    this.#parts = [];
    this.#partBytes = 0;
    if (byte === CLOSE_BRACKET) this.#place = "behind";
  }

  #keepPart(part: Buffer): void {
    const isKnownTooLarge = this.#partBytes > this.#maxElementBytes;
    this.#partBytes += part.length;
    if (isKnownTooLarge) return;
    this.#parts.push(part);
    if (this.#partBytes > this.#maxElementBytes)
      this.#parts = [Buffer.concat(this.#parts).subarray(0, ELEMENT_BEGINNING_BYTES)];
  }
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function trimEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isWhiteSpace(bytes[end - 1])) end--;
  return bytes.subarray(0, end);
}

/** Strings are matched whole and put back, so that only the white space between tokens goes. */
function collapseWhiteSpace(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");
}
