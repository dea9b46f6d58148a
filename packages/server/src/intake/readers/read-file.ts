/** In the reader process: opens the file, finds out what it is, and gives it to the reader of that format. */
import { readCsv, readTsv } from "./csv.ts";
import { findFormat } from "./find-format.ts";
import { encodeFrame } from "./frames.ts";
import type { Growth } from "./growing-file.ts";
import { RowErrors } from "./intake-rejected.ts";
import { readJsonArray } from "./json-array.ts";
import { readJsonLines } from "./jsonl.ts";
import type { DatasetFormat, FormatReader, ReaderJob, ReadSummary } from "./reader-types.ts";
import { RowWriter, writeFully } from "./row-writer.ts";
import { openSourceFile } from "./source-file.ts";

const readers: Record<DatasetFormat, FormatReader> = {
  jsonl: readJsonLines,
  json: readJsonArray,
  csv: readCsv,
  tsv: readTsv,
  // Only then is native code loaded.
  parquet: async (context) => (await import("./parquet.ts")).readParquet(context),
};

export async function readFileOfJob(job: ReaderJob, growth: Growth | undefined, output: number): Promise<ReadSummary> {
  let source = await openSourceFile(job.path, job.limits.maxBytes, growth);
  const format = findFormat(await source.readHead(), job.filename, job.format);
  // It is read from its end.
  if (format === "parquet" && growth !== undefined) {
    source = await openSourceFile((await growth.untilWhole()).path, job.limits.maxBytes);
  }
  writeFully(output, encodeFrame("opened", format));
  const errors = new RowErrors(job.onInvalidRow);
  const writer = new RowWriter(output, job.limits);
  // A sign of life, also while a compressed file yields nothing.
  source.onRead = () => writer.reportProgress(writer.bytesRead);
  const columns = await readers[format]({ job, source, writer, errors });
  errors.settle(writer.rowsWritten);
  return {
    ...(await writer.end(source.sizeBytes)),
    format,
    rowsAccepted: writer.rowsWritten,
    rowsRejected: errors.rejectedRows,
    errors: errors.listed,
    columns,
  };
}
