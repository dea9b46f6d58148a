/** Goes over a delimited file once, and says of each record behind the header whether it is a row of the table. */
import { MAX_COLUMN_NAME_BYTES, MAX_COLUMNS } from "../../resources/datasets/dataset-columns.ts";
import { RowEncoder } from "./csv-rows.ts";
import { type CsvRecord, CsvScanner, DOUBLED, sourceOf } from "./csv-scanner.ts";
import { parseJsonRow } from "./json-row.ts";
import { beginningOf, IntakeRejected, MAX_LISTED_ERRORS, rejectFile, type RowProblem } from "./intake-rejected.ts";
import { rowTooLarge, withoutByteOrderMark } from "./row-bytes.ts";
import type { TextSource } from "./encodings.ts";

export interface TableLayout {
  delimiter: string;
  /** Without a header the columns are called column_1, column_2 and so on. */
  hasHeader: boolean;
  /** It declares the delimiter, and is no record. */
  skipsFirstLine: boolean;
  maxRowBytes: number;
}

export interface TableVisitor {
  /** Called once, before any row. */
  onNames(names: string[]): void;
  onRow(record: CsvRecord): void;
  /** `row`: the record as it stands in the file, or its beginning. */
  onBadRow(line: number, problem: RowProblem, row: Buffer): void;
  /** The rest of the file cannot be parsed any more. */
  onUnreadable(line: number, problem: RowProblem, row: Buffer): void;
  /** How much of the file is done, from 0 to 1. */
  onBlock(share: number): void;
}

export async function scanTable(source: TextSource, layout: TableLayout, visitor: TableVisitor): Promise<void> {
  let names: string[] | undefined;
  let measure: RowMeasure | undefined;
  let isSkipping = layout.skipsFirstLine;
  const scanner = new CsvScanner({
    delimiter: layout.delimiter.charCodeAt(0),
    maxRecordBytes: layout.maxRowBytes,
    // One more, so that a record with too many fields is detected.
    maxFields: MAX_COLUMNS + 1,
    onRecord: (record) => {
      if (isSkipping) {
        isSkipping = false;
        return;
      }
      if (names === undefined) {
        names = readNames(record, layout.hasHeader);
        measure = new RowMeasure(names, layout.maxRowBytes);
        visitor.onNames(names);
        if (layout.hasHeader) return;
      }
      const problem = record.problem ?? findMisfit(record, names, layout.hasHeader) ?? measure?.findExcess(record);
      if (problem === undefined) visitor.onRow(record);
      else visitor.onBadRow(record.line, problem, sourceOf(record));
    },
  });
  let isFirst = true;
  for await (const block of source.blocks()) {
    scanner.scan(isFirst ? withoutByteOrderMark(block) : block);
    isFirst = false;
    visitor.onBlock(source.consumedBytes / source.sizeBytes);
  }
  const openQuote = scanner.end();
  if (openQuote !== undefined) {
    const message = 'A quote (") that opens a field in this line is never closed.';
    visitor.onUnreadable(openQuote.line, { code: "invalid_csv", message }, openQuote.text);
  }
}

function readNames(record: CsvRecord, hasHeader: boolean): string[] {
  const { line, fieldCount, problem } = record;
  const source = sourceOf(record);
  // A line of JSON can pass for a header: {"a":1} would be a column of that name.
  if (hasHeader && source[0] === BRACE && typeof parseJsonRow(source.toString("utf8")) !== "string")
    rejectFile("invalid_csv", JSON_LINES, line, source);
  if (problem !== undefined) rejectFile(problem.code, `The first record is unusable. ${problem.message}`, line, source);
  if (fieldCount > MAX_COLUMNS) {
    rejectFile(
      "too_many_columns",
      `The table has ${fieldCount} columns; at most ${MAX_COLUMNS} are read.`,
      line,
      source,
    );
  }
  const numbers = Array.from({ length: fieldCount }, (_, index) => index);
  if (!hasHeader) return numbers.map((index) => nameOfNumber(index + 1));
  const written = numbers.map((index) => readField(record, index));
  // Spreadsheets write an empty row as a line of delimiters only. The names may be in the next line.
  if (written.every(isBlank)) rejectFile("invalid_csv", "The first line has no name of a column.", line, source);
  const names = written.map((name, index) => (isBlank(name) ? nameOfNumber(index + 1) : name));
  const problems = findNameProblems(names, written);
  if (problems.length > 0) {
    const text = beginningOf(source);
    throw new IntakeRejected(
      "invalid_csv",
      problems.slice(0, MAX_LISTED_ERRORS).map((message) => ({ line, code: "invalid_csv", message, text })),
    );
  }
  return names;
}

const BRACE = "{".charCodeAt(0);
const JSON_LINES =
  "The first line is a JSON object, and no header. If the file is JSON Lines, call it .jsonl, or give its format as `jsonl`.";

const isBlank = (name: string): boolean => name.trim() === "";

/** Of a column without a name: an index that a program has written in front, or the end of lines that end with a delimiter. */
const nameOfNumber = (position: number): string => `column_${position}`;

/** All of them: a person corrects the header once. `written`: as they stand in it. */
function findNameProblems(names: string[], written: string[]): string[] {
  const positions = new Map<string, number>();
  return names.flatMap((name, index) => {
    const earlier = positions.get(name);
    if (earlier === undefined) positions.set(name, index + 1);
    const nameless = [index + 1, earlier].find(
      (position) => position !== undefined && isBlank(written[position - 1] ?? ""),
    );
    const problem =
      earlier !== undefined && nameless !== undefined
        ? `Column ${nameless} has no name in the header, and ${JSON.stringify(name)} is that of another column.`
        : findNameProblem(name, index + 1, earlier);
    return problem === undefined ? [] : [problem];
  });
}

function findNameProblem(name: string, position: number, earlier: number | undefined): string | undefined {
  if (earlier !== undefined)
    return `The name ${JSON.stringify(name)} stands twice in the header: columns ${earlier} and ${position}.`;
  if (name === "__proto__") return `Column ${position} may not be called __proto__.`;
  if (Buffer.byteLength(name) > MAX_COLUMN_NAME_BYTES) {
    return `The name of column ${position} is longer than ${MAX_COLUMN_NAME_BYTES} bytes.`;
  }
  return undefined;
}

function readField(record: CsvRecord, index: number): string {
  const text = record.bytes.toString("utf8", record.starts[index], record.ends[index]);
  return record.quotings[index] === DOUBLED ? text.replaceAll('""', '"') : text;
}

function findMisfit(record: CsvRecord, names: string[], hasHeader: boolean): RowProblem | undefined {
  if (record.fieldCount === names.length) return undefined;
  const fields = record.fieldCount === 1 ? "1 field" : `${record.fieldCount} fields`;
  const message = `The record has ${fields}, the ${hasHeader ? "header" : "first record"} has ${names.length}.`;
  return { code: "invalid_csv", message };
}

/**
 * A row's size as JSON, taken as if all its values were strings: whether a row is too large must not depend on the types
 * of the columns, which are only known behind the last row.
 */
class RowMeasure {
  readonly #encoder: RowEncoder;
  readonly #maxRowBytes: number;

  constructor(names: string[], maxRowBytes: number) {
    this.#encoder = new RowEncoder(names.map((name) => ({ name, isText: true })));
    this.#maxRowBytes = maxRowBytes;
  }

  findExcess(record: CsvRecord): RowProblem | undefined {
    const bound = this.#encoder.boundRow(record);
    if (bound <= this.#maxRowBytes) return undefined;
    const sizeBytes = this.#encoder.encode(record, Buffer.allocUnsafe(bound), 0);
    return sizeBytes > this.#maxRowBytes ? rowTooLarge(this.#maxRowBytes) : undefined;
  }
}
