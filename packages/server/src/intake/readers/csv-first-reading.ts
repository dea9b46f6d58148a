/**
 * The first reading of a delimited file: finds the types of the columns, and writes the rows as long as the beginning of the
 * file has suggested the right ones. A cell that says otherwise makes all rows so far void.
 */
import { CsvColumn } from "./csv-columns.ts";
import { RowEncoder } from "./csv-rows.ts";
import type { CsvRecord } from "./csv-scanner.ts";
import { scanTable } from "./csv-table.ts";
import type { TableLayout } from "./csv-table.ts";
import type { TextSource } from "./encodings.ts";
import type { RowWriter } from "./row-writer.ts";

/**
 * What the beginning of the file says of a column. `text`: its cells there cannot all be written in JSON without quotes, and more
 * cells change nothing about that. `unquoted`: so far they can. `unknown`: all of them are empty, thus null in any type.
 */
export type Expectation = "text" | "unquoted" | "unknown";

/**
 * By the records at the beginning, of which `head` are the bytes, byte order mark included. Undefined where that has no
 * whole record: nothing is expected then.
 */
export async function expectColumns(head: Buffer, layout: TableLayout): Promise<Expectation[] | undefined> {
  // The last record may be cut.
  const whole = head.subarray(0, head.lastIndexOf("\n") + 1);
  let columns: CsvColumn[] = [];
  const sample: TextSource = {
    consumedBytes: whole.length,
    sizeBytes: whole.length,
    async *blocks() {
      yield whole;
    },
  };
  await scanTable(sample, layout, {
    onNames: (names) => (columns = names.map((name) => new CsvColumn(name))),
    onRow: (record) => addCells(columns, record),
    onBadRow: () => {},
    onUnreadable: () => {},
    onBlock: () => {},
  });
  if (columns.length === 0) return undefined;
  return columns.map(({ hasValues, isText }) => {
    if (!hasValues) return "unknown";
    return isText ? "text" : "unquoted";
  });
}

/** Finds the types, and writes the rows as long as they are what was expected. */
export class FirstReading {
  columns: CsvColumn[] = [];
  rowCount = 0;
  isWriting = false;
  readonly #writer: RowWriter;
  readonly #expected: readonly Expectation[] | undefined;
  /** The columns whose next cell may not be what was expected. */
  #doubtful: number[] = [];
  #encoder = new RowEncoder([]);

  constructor(writer: RowWriter, expected: readonly Expectation[] | undefined) {
    this.#writer = writer;
    this.#expected = expected;
  }

  setNames(names: string[]): void {
    this.columns = names.map((name) => new CsvColumn(name));
    if (this.#expected === undefined) return;
    this.isWriting = true;
    this.#doubtful = [...names.keys()].filter((index) => this.#expected?.[index] !== "text");
    this.#encoder = new RowEncoder(names.map((name, index) => ({ name, isText: this.#isTextExpected(index) })));
  }

  addRow(record: CsvRecord): void {
    this.rowCount++;
    addCells(this.columns, record);
    if (!this.isWriting) return;
    if (this.#isAnyDoubtRight()) this.#abandon();
    else writeRow(this.#writer, this.#encoder, record);
  }

  #isAnyDoubtRight(): boolean {
    for (const index of this.#doubtful) if (!this.#isAsExpected(index)) return true;
    return false;
  }

  /** Behind the last row. Now every column must have become what it was written as, those of text as well. */
  end(): void {
    if (this.isWriting && !this.columns.every((_column, index) => this.#isAsExpected(index))) this.#abandon();
  }

  #abandon(): void {
    this.isWriting = false;
    this.#writer.voidRows();
  }

  /** Of a column with empty cells alone none is wrong. */
  #isAsExpected(index: number): boolean {
    const column = this.columns[index];
    return column?.hasValues !== true || column.isText === this.#isTextExpected(index);
  }

  #isTextExpected(index: number): boolean {
    return this.#expected?.[index] !== "unquoted";
  }
}

function addCells(columns: CsvColumn[], record: CsvRecord): void {
  for (let index = 0; index < columns.length; index++) {
    const start = record.starts[index] ?? 0;
    columns[index]?.addCell(record.bytes, start, record.ends[index] ?? 0, record.quotings[index] ?? 0);
  }
}

export function writeRow(writer: RowWriter, encoder: RowEncoder, record: CsvRecord): void {
  const { buffer, start } = writer.reserveRow(encoder.boundRow(record));
  writer.commitRow(encoder.encode(record, buffer, start));
}
