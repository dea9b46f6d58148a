/**
 * CSV and TSV: every record becomes an object with the header's names. What a record is says `csv-scanner.ts`, what a cell
 * may be `csv-cells.ts`.
 *
 * The file is read twice, since a column only gets a type that fits all its cells: first the types are found and every
 * record is checked, then the rows are written. Nothing is written if the first reading ends in a refusal. A compressed
 * file is unpacked to disk once.
 *
 * This is not left to DuckDB, which reads Parquet here: it loses count of lines after a quoted line break, drops an empty
 * field behind the last column and the blank before a quote, takes NUL bytes, refuses mixed line ends, and cannot say in
 * which line a quote was left open.
 */
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { CsvColumn } from "./csv-columns.ts";
import { isDelimiter, proposeDelimiter } from "./csv-delimiter.ts";
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
  // Unpacking, if any, and the two readings count alike.
  const passCount = compression === "none" ? 2 : 3;
  const reportPass = (pass: number, share: number) => {
    writer.reportProgress(Math.floor((context.source.sizeBytes * (pass + share)) / passCount));
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

  let columns: CsvColumn[] = [];
  let rowCount = 0;
  await scanTable(source, layout, {
    onNames: (names) => (columns = names.map((name) => new CsvColumn(name))),
    onRow: (record) => {
      rowCount++;
      for (let index = 0; index < columns.length; index++) {
        const start = record.starts[index] ?? 0;
        columns[index]?.addCell(record.bytes, start, record.ends[index] ?? 0, record.quotings[index] ?? 0);
      }
    },
    onBadRow: (line, problem, row) => errors.addRow(line, problem, row),
    onUnreadable: (line, problem, row) => errors.fail(line, problem, row),
    onBlock: (share) => reportPass(passCount - 2, share),
  });
  errors.settle(rowCount);

  const encoder = new RowEncoder(columns);
  await scanTable(source, layout, {
    onNames: () => {},
    onRow: (record) => {
      const { buffer, start } = writer.reserveRow(encoder.boundRow(record));
      writer.commitRow(encoder.encode(record, buffer, start));
    },
    // The first reading has listed them.
    onBadRow: () => {},
    onUnreadable: (line, problem) => errors.fail(line, problem),
    onBlock: (share) => reportPass(passCount - 1, share),
  });
  if (writer.rowsWritten !== rowCount) throw new Error("the file has changed while it was read");
  return columns.map((column) => column.describe());
}
