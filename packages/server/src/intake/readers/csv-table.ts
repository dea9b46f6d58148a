/** Goes over a delimited file once, and says of each record behind the header whether it is a row of the table. */
import { MAX_COLUMN_NAME_BYTES, MAX_COLUMNS } from "../../resources/datasets/dataset-columns.ts";
import { RowEncoder } from "./csv-rows.ts";
import { type CsvRecord, CsvScanner, DOUBLED, sourceOf } from "./csv-scanner.ts";
import { rejectFile, type RowProblem } from "./intake-rejected.ts";
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
  if (!hasHeader) return numbers.map((index) => `column_${index + 1}`);
  const names = numbers.map((index) => readField(record, index));
  const positions = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const problemOfName = findNameProblem(name, index + 1, positions.get(name));
    if (problemOfName !== undefined) rejectFile("invalid_csv", problemOfName, line, source);
    positions.set(name, index + 1);
  }
  return names;
}

function findNameProblem(name: string, position: number, earlier: number | undefined): string | undefined {
  if (name.trim() === "") return `Column ${position} has no name in the header.`;
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
