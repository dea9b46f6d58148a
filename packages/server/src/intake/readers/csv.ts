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
import { findDeclaredDelimiter, isDelimiter, proposeDelimiter } from "./csv-delimiter.ts";
import { FirstReading, expectColumns, writeRow } from "./csv-first-reading.ts";
import { RowEncoder } from "./csv-rows.ts";
import { scanTable } from "./csv-table.ts";
import { decodeHead, decodedSource } from "./encodings.ts";
import { withoutByteOrderMark } from "./row-bytes.ts";
import type { ReaderContext } from "./reader-types.ts";

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
  const head = decodeHead(start, encoding);
  const { delimiter, isDeclared } = findDelimiter(withoutByteOrderMark(head), job.csv?.delimiter, usualDelimiter);
  if (!isDelimiter(delimiter)) throw new RangeError("a delimiter is one ASCII character, and no quote or line end");
  const layout = {
    delimiter,
    hasHeader: job.csv?.header ?? true,
    skipsFirstLine: isDeclared,
    maxRowBytes: job.limits.maxRowBytes,
  };

  const first = new FirstReading(writer, await expectColumns(head, layout));
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
  first.end();
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

/** What is given holds; what the file declares comes before what its format usually has. */
function findDelimiter(
  head: Buffer,
  given: string | undefined,
  usual: string | undefined,
): { delimiter: string; isDeclared: boolean } {
  const declared = findDeclaredDelimiter(head);
  if (declared !== undefined) return { delimiter: given ?? declared, isDeclared: true };
  return { delimiter: given ?? usual ?? proposeDelimiter(head), isDeclared: false };
}
