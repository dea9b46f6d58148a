/**
 * The entry of the process that makes a Parquet file out of staged rows, by DuckDB. The first line of stdin names the files, so
 * that it can start while rows are staged; the second is its job; its answer goes to file descriptor 3. When stdin ends, its parent is gone, and so is it.
 */
import { writeSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { escapePattern, openDuckDb, quoteName, quoteText } from "../../../platform/duckdb.ts";
import type { ParquetType } from "./parquet-types.ts";

export interface ParquetColumn {
  name: string;
  type: ParquetType;
}

export interface ParquetFiles {
  /** JSON lines: objects of texts, `c0` for the first column. */
  staged: string;
  target: string;
}

export interface ParquetJob {
  columns: ParquetColumn[];
  codec: "uncompressed" | "gzip" | "zstd";
  rowsPerGroup: number;
  stagedBytes: number;
  maxLineBytes: number;
}

export type ParquetAnswer = { outcome: "written" | "out_of_memory" } | { outcome: "failed"; message: string };

const OUTPUT = 3;
/** DuckDB's own: it reads into buffers of twice as much, which must hold a line. */
const MIN_OBJECT_BYTES = 16 << 20;

async function writeFile(
  connection: Awaited<ReturnType<typeof openDuckDb>>,
  { staged: from, target }: ParquetFiles,
  job: ParquetJob,
): Promise<void> {
  const positions = [...job.columns.keys()];
  const staged = positions.map((position) => `c${position}: 'VARCHAR'`).join(", ");
  const selected = job.columns.map(({ name, type }, position) => `c${position}::${type} as ${quoteName(name)}`);
  await connection.run(`copy (
      select ${selected.join(", ")}
      from read_json(${quoteText(escapePattern(from))}, format = 'newline_delimited', auto_detect = false,
        compression = 'uncompressed', maximum_object_size = ${Math.max(MIN_OBJECT_BYTES, job.maxLineBytes)},
        columns = {${staged}}))
    to ${quoteText(target)}
    (format parquet, compression ${job.codec}, row_group_size ${job.rowsPerGroup})`);
  connection.closeSync();
}

async function runJobs(lines: AsyncIterator<string>): Promise<void> {
  // Both lines are written by parquet-process.ts.
  const files = JSON.parse(await nextOf(lines)) as ParquetFiles;
  let answer: ParquetAnswer;
  try {
    const connection = await openDuckDb([files.staged, files.target], dirname(files.target));
    await writeFile(connection, files, JSON.parse(await nextOf(lines)) as ParquetJob);
    answer = { outcome: "written" };
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answer = message.includes("Out of Memory Error:") ? { outcome: "out_of_memory" } : { outcome: "failed", message };
  }
  writeSync(OUTPUT, `${JSON.stringify(answer)}\n`);
  process.exit(0);
}

async function nextOf(lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next();
  if (next.done === true) process.exit(1);
  return next.value;
}

const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
input.once("close", () => process.exit(1));
await runJobs(input[Symbol.asyncIterator]());
