/**
 * CSV and TSV: every record becomes an object with the header's names. What a record is says `csv-scanner.ts`, what a cell
 * may be `csv-cells.ts`.
 *
 * A column only gets a type that fits all its cells, and most columns have in all of the file what they have at its
 * beginning. So rows are written as the beginning suggests, while the types are found and every record is checked. Where a
 * cell says otherwise, all rows so far are void: the rest of the file is only looked through, and then the rows are written
 * in a second reading. A compressed file is unpacked to disk once.
 *
 * This is not left to DuckDB, which reads Parquet here: it loses count of lines after a quoted line break, drops an empty
 * field behind the last column and the blank before a quote, takes NUL bytes, refuses mixed line ends, and cannot say in
 * which line a quote was left open.
 */
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { CsvColumn } from "./csv-columns.ts";
import { isDelimiter, proposeDelimiter } from "./csv-delimiter.ts";
import { RowEncoder } from "./csv-rows.ts";
import type { CsvRecord } from "./csv-scanner.ts";
import { scanTable } from "./csv-table.ts";
import type { TableLayout } from "./csv-table.ts";
import { decodeHead, decodedSource } from "./encodings.ts";
import type { TextSource } from "./encodings.ts";
import { withoutByteOrderMark } from "./row-bytes.ts";
import type { ReaderContext } from "./reader-types.ts";
import type { RowWriter } from "./row-writer.ts";

export async function readCsv(context: ReaderContext): Promise<Column[]> {
  return readDelimited(context, undefined);
}

export async function readTsv(context: ReaderContext): Promise<Column[]> {
  return readDelimited(context, "\t");
}

async function readDelimited(context: ReaderContext, usualDelimiter: string | undefined): Promise<Column[]> {
  const { job, writer, errors } = context;
  const { compression } = context.source;
  // Unpacking, if any, and the readings count alike.
  const unpackings = compression === "none" ? 0 : 1;
  let readings = 1;
  const reportPass = (pass: number, share: number) => {
    writer.reportProgress(Math.floor((context.source.sizeBytes * (pass + share)) / (unpackings + readings)));
  };
  const unpacked = await context.source.unpackInto(job.workDirectory, () => {
    reportPass(0, context.source.consumedBytes / context.source.sizeBytes);
  });
  const encoding = job.csv?.encoding;
  const start = await unpacked.readHead();
  const source = decodedSource(unpacked, start, encoding);
  const head = withoutByteOrderMark(decodeHead(start, encoding));
  const delimiter = job.csv?.delimiter ?? usualDelimiter ?? proposeDelimiter(head);
  if (!isDelimiter(delimiter)) throw new RangeError("a delimiter is one ASCII character, and no quote or line end");
  const layout = { delimiter, hasHeader: job.csv?.header ?? true, maxRowBytes: job.limits.maxRowBytes };

  const first = new FirstReading(writer, await expectedTexts(head, layout));
  await scanTable(source, layout, {
    onNames: (names) => first.setNames(names),
    onRow: (record) => first.addRow(record),
    onBadRow: (line, problem, row) => errors.addRow(line, problem, row),
    onUnreadable: (line, problem, row) => errors.fail(line, problem, row),
    onBlock: (share) => {
      readings = first.isWriting ? 1 : 2;
      reportPass(unpackings, share);
    },
  });
  errors.settle(first.rowCount);
  const columns = first.columns.map((column) => column.describe());
  if (first.isWriting) return columns;

  const encoder = new RowEncoder(first.columns);
  await scanTable(source, layout, {
    onNames: () => {},
    onRow: (record) => writeRow(writer, encoder, record),
    // The first reading has listed them.
    onBadRow: () => {},
    onUnreadable: (line, problem, row) => errors.fail(line, problem, row),
    onBlock: (share) => reportPass(unpackings + 1, share),
  });
  if (writer.rowsWritten !== first.rowCount) throw new Error("the file has changed while it was read");
  return columns;
}

/**
 * Which columns of the records at the beginning of the file are strings in JSON. Undefined where that has no whole record:
 * nothing is expected then.
 */
async function expectedTexts(head: Buffer, layout: TableLayout): Promise<boolean[] | undefined> {
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
  return columns.length === 0 ? undefined : columns.map(({ isText }) => isText);
}

/** Finds the types, and writes the rows as long as they are what was expected. */
class FirstReading {
  columns: CsvColumn[] = [];
  rowCount = 0;
  isWriting = false;
  readonly #writer: RowWriter;
  readonly #expected: boolean[] | undefined;
  #encoder = new RowEncoder([]);

  constructor(writer: RowWriter, expected: boolean[] | undefined) {
    this.#writer = writer;
    this.#expected = expected;
  }

  setNames(names: string[]): void {
    this.columns = names.map((name) => new CsvColumn(name));
    const expected = this.#expected;
    if (expected === undefined) return;
    this.isWriting = true;
    this.#encoder = new RowEncoder(names.map((name, index) => ({ name, isText: expected[index] ?? true })));
  }

  addRow(record: CsvRecord): void {
    this.rowCount++;
    addCells(this.columns, record);
    if (!this.isWriting) return;
    if (this.#isAsExpected()) return writeRow(this.#writer, this.#encoder, record);
    this.isWriting = false;
    this.#writer.voidRows();
  }

  /** Empty cells so far are what was expected: they are null in any type. */
  #isAsExpected(): boolean {
    for (let index = 0; index < this.columns.length; index++) {
      const column = this.columns[index];
      if (column?.hasValues === true && column.isText !== this.#expected?.[index]) return false;
    }
    return true;
  }
}

function addCells(columns: CsvColumn[], record: CsvRecord): void {
  for (let index = 0; index < columns.length; index++) {
    const start = record.starts[index] ?? 0;
    columns[index]?.addCell(record.bytes, start, record.ends[index] ?? 0, record.quotings[index] ?? 0);
  }
}

function writeRow(writer: RowWriter, encoder: RowEncoder, record: CsvRecord): void {
  const { buffer, start } = writer.reserveRow(encoder.boundRow(record));
  writer.commitRow(encoder.encode(record, buffer, start));
}
