/** The process that makes a Parquet file, seen from its parent: it ends when it is done, is canceled, or takes too much. */
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { startWatchedProcess } from "../../../platform/watched-process.ts";
import type { WatchedProcess } from "../../../platform/watched-process.ts";
import { ExportError } from "./format.ts";
import type { ParquetAnswer, ParquetFiles, ParquetJob } from "./parquet-child.ts";

/** It only hands statements to DuckDB. */
const MAX_HEAP_MEGABYTES = 256;
/** DuckDB's limit of 1 GB with what it takes beyond. */
const MAX_RESIDENT_BYTES = 2 * 1024 ** 3;
/** For its start, on a machine that is busy. */
const MIN_TIMEOUT_MS = 60_000;
/** A machine that is not stuck writes some twenty times as much. */
const MIN_BYTES_PER_MS = 1_000;

interface ParquetWriter {
  /** Makes the file, once the staged one is complete. */
  write(job: ParquetJob): Promise<void>;
  /** Ends the process, which may have ended. */
  stop(): Promise<void>;
}

/** Starting takes some tenths of a second, in which rows can be staged. */
export async function startParquetWriter(files: ParquetFiles, signal: AbortSignal): Promise<ParquetWriter> {
  const child = await startWatchedProcess({
    script: new URL("./parquet-child.ts", import.meta.url),
    job: files,
    workDirectory: dirname(files.target),
    reads: [files.staged],
    maxHeapMegabytes: MAX_HEAP_MEGABYTES,
    maxResidentBytes: MAX_RESIDENT_BYTES,
    describeTooLarge: rowsTooLarge,
    signal,
  });
  return { write: (job) => write(child, job, signal), stop: () => child.stop() };
}

async function write(child: WatchedProcess, job: ParquetJob, signal: AbortSignal): Promise<void> {
  child.send(job);
  const timeoutMs = MIN_TIMEOUT_MS + job.stagedBytes / MIN_BYTES_PER_MS;
  const timer = setTimeout(
    () => child.kill(new Error(`writing a Parquet file took more than ${Math.round(timeoutMs / 1000)} seconds`)),
    timeoutMs,
  );
  try {
    const said = await text(child.output);
    if (!said.endsWith("\n")) {
      const { killedBecause, what, errorOutput } = await child.explainEnd();
      const reason: unknown =
        killedBecause ?? new Error(`writing a Parquet file failed: ${what}. ${errorOutput}`.trim());
      throw reason;
    }
    const answer = JSON.parse(said) as ParquetAnswer; // written by parquet-child.ts: the same version of this program
    signal.throwIfAborted();
    if (answer.outcome === "out_of_memory") throw rowsTooLarge();
    if (answer.outcome === "failed") throw new Error(`writing a Parquet file failed: ${answer.message}`);
  } finally {
    clearTimeout(timer);
  }
}

const rowsTooLarge = (): ExportError =>
  new ExportError(
    "rows_too_large",
    "The rows are too large for a Parquet file: choose columns with `columns`, or export as jsonl.",
  );
