/**
 * The entry of the process that makes a Parquet file out of staged rows, by DuckDB. Its job is the first line of stdin; its
 * answer goes to file descriptor 3. When stdin ends, its parent is gone, and so is it.
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

export interface ParquetJob {
  /** JSON lines: objects of texts, `c0` for the first column. */
  staged: string;
  target: string;
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

async function writeFile(job: ParquetJob): Promise<void> {
  const connection = await openDuckDb([job.staged, job.target], dirname(job.target));
  const positions = [...job.columns.keys()];
  const staged = positions.map((position) => `c${position}: 'VARCHAR'`).join(", ");
  const selected = job.columns.map(({ name, type }, position) => `c${position}::${type} as ${quoteName(name)}`);
  await connection.run(`copy (
      select ${selected.join(", ")}
      from read_json(${quoteText(escapePattern(job.staged))}, format = 'newline_delimited', auto_detect = false,
        compression = 'uncompressed', maximum_object_size = ${Math.max(MIN_OBJECT_BYTES, job.maxLineBytes)},
        columns = {${staged}}))
    to ${quoteText(job.target)}
    (format parquet, compression ${job.codec}, row_group_size ${job.rowsPerGroup})`);
  connection.closeSync();
}

async function runJob(line: string): Promise<void> {
  let answer: ParquetAnswer;
  try {
    await writeFile(JSON.parse(line) as ParquetJob); // written by parquet-process.ts
    answer = { outcome: "written" };
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answer = message.includes("Out of Memory Error:") ? { outcome: "out_of_memory" } : { outcome: "failed", message };
  }
  writeSync(OUTPUT, `${JSON.stringify(answer)}\n`);
  process.exit(0);
}

const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
input.once("line", (line) => void runJob(line));
input.once("close", () => process.exit(1));
