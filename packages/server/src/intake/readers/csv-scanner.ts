/**
 * Splits delimiter-separated text into records and fields, byte by byte and block by block, after RFC 4180:
 *
 *     field start ──"──▶ quoted ──"──▶ behind a quote ──"──▶ quoted
 *         │                                  └─ delimiter, line end ─▶ field start
 *         └─ other ─▶ unquoted ── delimiter, line end ─▶ field start
 *
 * A quote within a field that does not begin with one is text, as most programs read it (`5" pipe`, ` "a"`). Text behind a
 * closing quote and a NUL byte make the record a bad one; the next record begins at the next line end.
 *
 * Line ends are LF, CRLF and CR, also mixed. A blank line is no record, whatever the number of columns: an empty value in
 * a table of one column is written `""`. Lines are counted inside quoted fields as well, so `line` is what an editor says.
 */
import { isAscii, isUtf8 } from "node:buffer";
import type { RowProblem } from "./intake-rejected.ts";
import { notUtf8, rowTooLarge } from "./row-bytes.ts";

/** How a field was written; `doubled`: quoted, with `""` inside. */
export const UNQUOTED = 0;
export const QUOTED = 1;
export const DOUBLED = 2;

/** One record, only valid during the call. Field `i` is `bytes` from `starts[i]` to `ends[i]`, without its quotes. */
export interface CsvRecord {
  bytes: Buffer;
  /** Where it begins, from 1. */
  line: number;
  sizeBytes: number;
  /** Fields beyond the most that are kept are counted, without their places. */
  fieldCount: number;
  starts: Int32Array;
  ends: Int32Array;
  quotings: Uint8Array;
  problem: RowProblem | undefined;
  /** Where it begins and ends in `bytes`. */
  from: number;
  to: number;
  /** The beginning of a record that is no longer in `bytes`, since it is too large. */
  beginning: Buffer | undefined;
}

/** All of the record as it stands in the file; of one that is too large, possibly only the beginning. */
export const sourceOf = (record: CsvRecord): Buffer =>
  record.beginning ?? record.bytes.subarray(record.from, record.to);

export interface CsvScannerOptions {
  delimiter: number;
  maxRecordBytes: number;
  maxFields: number;
  onRecord: (record: CsvRecord) => void;
}

const ORDINARY = 0;
const DELIMITER = 1;
const QUOTE = 2;
const LINE_FEED = 3;
const CARRIAGE_RETURN = 4;
const NUL = 5;

const FIELD_START = 0;
const IN_UNQUOTED = 1;
const IN_QUOTED = 2;
const BEHIND_QUOTE = 3;
const SKIPPING_LINE = 4;

/** Kept of a record that is too large: more than is shown of it. */
const BEGINNING_BYTES = 1_000;

const problems = {
  behindQuote: 'There is text behind the closing quote (") of a field. Quotes inside a quoted field must be doubled.',
  nul: "The line contains a NUL byte, which cannot be stored.",
};

export class CsvScanner {
  readonly #options: CsvScannerOptions;
  readonly #classes = new Uint8Array(256);
  readonly #record: CsvRecord;
  /** The bytes of the record that is still open, from earlier blocks. */
  #carry: Buffer = Buffer.alloc(0);
  /** Where such a record is put together; it grows by doubling, so a long record is not copied block after block. */
  #window: Buffer = Buffer.alloc(0);
  #state = FIELD_START;
  #fieldStart = 0;
  #line = 1;
  #quoteLine = 1;
  /** The last byte was a CR: an LF right behind it ends no further line. */
  #isBehindReturn = false;
  #isTooLarge = false;
  #isDoubled = false;
  /** Whether there were characters beyond ASCII, in UTF-8: then the file as a whole is in no other encoding. */
  #hasUtf8 = false;

  constructor(options: CsvScannerOptions) {
    this.#options = options;
    this.#classes[options.delimiter] = DELIMITER;
    this.#classes[0x22] = QUOTE;
    this.#classes[0x0a] = LINE_FEED;
    this.#classes[0x0d] = CARRIAGE_RETURN;
    this.#classes[0] = NUL;
    this.#record = {
      bytes: this.#carry,
      line: 1,
      sizeBytes: 0,
      fieldCount: 0,
      starts: new Int32Array(options.maxFields),
      ends: new Int32Array(options.maxFields),
      quotings: new Uint8Array(options.maxFields),
      problem: undefined,
      from: 0,
      to: 0,
      beginning: undefined,
    };
  }

  scan(block: Buffer): void {
    const bytes = this.#joinCarry(block);
    // A character cut in two by the block's end makes this true as well; then records are looked at one by one.
    const maybeNotUtf8 = !isUtf8(bytes);
    if (!maybeNotUtf8 && !this.#hasUtf8) this.#hasUtf8 = !isAscii(bytes);
    const record = this.#record;
    record.bytes = bytes;
    const classes = this.#classes;
    const end = bytes.length;
    let recordStart = 0;
    let position = this.#carry.length;
    let state = this.#state;

    while (position < end) {
      let kind = classOf(classes, bytes, position);
      if (state === FIELD_START) {
        if (kind === LINE_FEED && this.#isBehindReturn) {
          this.#isBehindReturn = false;
          recordStart = ++position;
          continue;
        }
        this.#isBehindReturn = false;
        this.#isDoubled = false;
        state = IN_UNQUOTED;
        this.#fieldStart = position;
        if (kind === QUOTE) {
          state = IN_QUOTED;
          this.#quoteLine = this.#line;
          this.#fieldStart = ++position;
          continue;
        }
      }
      if (state === IN_UNQUOTED) {
        while ((kind === ORDINARY || kind === QUOTE) && ++position < end) kind = classOf(classes, bytes, position);
        if (position === end) break;
        if (kind === DELIMITER) {
          this.#endField(position++, UNQUOTED);
          state = FIELD_START;
          continue;
        }
        if (kind === LINE_FEED || kind === CARRIAGE_RETURN) {
          this.#endField(position, UNQUOTED);
        } else {
          record.problem ??= { code: "invalid_csv", message: problems.nul };
          state = SKIPPING_LINE;
        }
      } else if (state === IN_QUOTED) {
        if (kind === ORDINARY || kind === DELIMITER) this.#isBehindReturn = false;
        while ((kind === ORDINARY || kind === DELIMITER) && ++position < end) kind = classOf(classes, bytes, position);
        if (position === end) break;
        if (kind === QUOTE) state = BEHIND_QUOTE;
        else if (kind === NUL) record.problem ??= { code: "invalid_csv", message: problems.nul };
        else this.#countLine(kind);
        position++;
        continue;
      } else if (state === BEHIND_QUOTE) {
        this.#isBehindReturn = false;
        const quoting = this.#isDoubled ? DOUBLED : QUOTED;
        if (kind === QUOTE) {
          this.#isDoubled = true;
          state = IN_QUOTED;
          position++;
          continue;
        }
        if (kind === DELIMITER) {
          this.#endField(position++ - 1, quoting);
          state = FIELD_START;
          continue;
        }
        if (kind === LINE_FEED || kind === CARRIAGE_RETURN) {
          this.#endField(position - 1, quoting);
        } else {
          record.problem ??= { code: "invalid_csv", message: problems.behindQuote };
          state = SKIPPING_LINE;
        }
      }
      if (kind === LINE_FEED || kind === CARRIAGE_RETURN) {
        this.#endRecord(recordStart, position, maybeNotUtf8);
        this.#countLine(kind);
        record.line = this.#line;
        recordStart = ++position;
        state = FIELD_START;
      } else {
        position++;
      }
    }
    this.#state = state;
    this.#keepOpenRecord(bytes, recordStart);
  }

  /** Ends the last record, which may lack its line end. Returns the line of a quote that was never closed, and its text. */
  end(): { line: number; text: Buffer } | undefined {
    if (this.#state === IN_QUOTED) return { line: this.#quoteLine, text: this.#lineOfQuote() };
    const bytes = this.#carry;
    this.#record.bytes = bytes;
    const isOpen = this.#state !== FIELD_START || this.#record.fieldCount > 0;
    if (this.#state === FIELD_START) this.#fieldStart = bytes.length;
    if (this.#state === BEHIND_QUOTE) this.#endField(bytes.length - 1, this.#isDoubled ? DOUBLED : QUOTED);
    else if (isOpen) this.#endField(bytes.length, UNQUOTED);
    if (isOpen) this.#endRecord(0, bytes.length, !isUtf8(bytes));
    return undefined;
  }

  #endField(fieldEnd: number, quoting: number): void {
    const record = this.#record;
    const index = record.fieldCount++;
    if (index >= this.#options.maxFields) return;
    record.starts[index] = this.#fieldStart;
    record.ends[index] = fieldEnd;
    record.quotings[index] = quoting;
  }

  #endRecord(start: number, end: number, maybeNotUtf8: boolean): void {
    const record = this.#record;
    const isBlank = start === end && record.fieldCount === 1 && !this.#isTooLarge;
    record.sizeBytes = end - start;
    record.from = start;
    record.to = end;
    if (this.#isTooLarge || record.sizeBytes > this.#options.maxRecordBytes) {
      record.problem = rowTooLarge(this.#options.maxRecordBytes);
    } else if (maybeNotUtf8) {
      const bytes = record.bytes.subarray(start, end);
      if (!isUtf8(bytes)) record.problem = notUtf8(bytes, this.#hasUtf8 ? "mixed table" : "table");
      else if (!this.#hasUtf8) this.#hasUtf8 = !isAscii(bytes);
    }
    if (!isBlank) this.#options.onRecord(record);
    record.fieldCount = 0;
    record.problem = undefined;
    record.beginning = undefined;
    this.#isTooLarge = false;
  }

  /** The line in which the open field began. */
  #lineOfQuote(): Buffer {
    if (this.#record.beginning !== undefined) return this.#record.beginning;
    const start = this.#carry.lastIndexOf("\n", this.#fieldStart - 1) + 1;
    const end = this.#carry.indexOf("\n", this.#fieldStart);
    return this.#carry.subarray(start, end === -1 ? this.#carry.length : end);
  }

  #countLine(kind: number): void {
    if (kind === CARRIAGE_RETURN || !this.#isBehindReturn) this.#line++;
    this.#isBehindReturn = kind === CARRIAGE_RETURN;
  }

  #joinCarry(block: Buffer): Buffer {
    const carryBytes = this.#carry.length;
    if (carryBytes === 0) return block;
    const size = carryBytes + block.length;
    const target = size > this.#window.length ? Buffer.allocUnsafeSlow(size * 2) : this.#window;
    const isInPlace = target.buffer === this.#carry.buffer && target.byteOffset === this.#carry.byteOffset;
    if (!isInPlace) this.#carry.copy(target);
    block.copy(target, carryBytes);
    this.#window = target;
    return target.subarray(0, size);
  }

  /** The open record moves to the front of the next block, unless it is too large already: then it is only followed to its end. */
  #keepOpenRecord(bytes: Buffer, recordStart: number): void {
    const openBytes = bytes.length - recordStart;
    if (openBytes > this.#options.maxRecordBytes && !this.#isTooLarge) {
      this.#isTooLarge = true;
      this.#record.beginning = Buffer.from(bytes.subarray(recordStart, recordStart + BEGINNING_BYTES));
    }
    if (this.#isTooLarge || openBytes === 0) {
      this.#carry = Buffer.alloc(0);
      return;
    }
    this.#carry = bytes.subarray(recordStart);
    this.#fieldStart -= recordStart;
    const record = this.#record;
    for (let index = 0; index < Math.min(record.fieldCount, this.#options.maxFields); index++) {
      record.starts[index] = (record.starts[index] ?? 0) - recordStart;
      record.ends[index] = (record.ends[index] ?? 0) - recordStart;
    }
  }
}

function classOf(classes: Uint8Array, bytes: Buffer, position: number): number {
  return classes[bytes[position] ?? 0] ?? ORDINARY;
}
