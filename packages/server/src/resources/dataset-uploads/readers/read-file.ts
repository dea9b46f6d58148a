/** In the reader process: opens the file, finds out what it is, and gives it to the reader of that format. */
import type { Column } from "./columns.ts";
import { readCsv, readTsv } from "./csv.ts";
import { findFormat } from "./find-format.ts";
import { encodeFrame } from "./frames.ts";
import { RowErrors } from "./intake-rejected.ts";
import { readJsonArray } from "./json-array.ts";
import { readJsonLines } from "./jsonl.ts";
import type { DatasetFormat, ReadDatasetOptions, ReadSummary } from "./read-dataset.ts";
import { RowWriter, writeFully } from "./row-writer.ts";
import { openSourceFile, type SourceFile } from "./source-file.ts";

export interface ReaderJob extends Omit<ReadDatasetOptions, "signal" | "limits"> {
  limits: Required<ReadDatasetOptions["limits"]>;
}

export interface ReaderContext {
  job: ReaderJob;
  source: SourceFile;
  writer: RowWriter;
  errors: RowErrors;
}

/** Writes the accepted rows, adds the rejected ones to the errors, and returns the columns of the accepted ones. */
export type FormatReader = (context: ReaderContext) => Promise<Column[]>;

const readers: Record<DatasetFormat, FormatReader> = {
  jsonl: readJsonLines,
  json: readJsonArray,
  csv: readCsv,
  tsv: readTsv,
  // Only then is native code loaded.
  parquet: async (context) => (await import("./parquet.ts")).readParquet(context),
};

export async function readFileOfJob(job: ReaderJob, output: number): Promise<ReadSummary> {
  const source = await openSourceFile(job.path, job.limits.maxBytes);
  const format = findFormat(await source.readHead(), job.filename, job.format);
  writeFully(output, encodeFrame("opened", format));
  const errors = new RowErrors(job.onInvalidRow);
  const writer = new RowWriter(output, job.limits);
  const columns = await readers[format]({ job, source, writer, errors });
  errors.settle(writer.rowsWritten);
  writer.reportEnd(source.sizeBytes);
  return {
    format,
    rowsAccepted: writer.rowsWritten,
    rowsRejected: errors.rejectedRows,
    errors: errors.listed,
    columns,
  };
}
