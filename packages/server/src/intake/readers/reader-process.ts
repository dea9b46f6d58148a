/** The life of one reader process, seen from its parent: watched for memory and for silence, and always ended. */
import { dirname, resolve } from "node:path";
import { startWatchedProcess } from "../../platform/watched-process.ts";
import { decodeFrames, type Frame } from "./frames.ts";
import type { WholeFile } from "./growing-file.ts";
import { IntakeRejected } from "./intake-rejected.ts";
import type { DatasetFormat, ReaderJob } from "./reader-types.ts";
import { present } from "../../platform/present.ts";

/** JSON.parse makes up to about 40 bytes of objects out of a byte, and rows are at most a few megabytes. */
const MAX_HEAP_MEGABYTES = 768;
/** Above either of the two that may grow: the heap, or DuckDB's limit of 1 GB with what it takes beyond. */
const MAX_RESIDENT_BYTES = 2 * 1024 ** 3;
/** The process reports at least once a second while it moves on. */
const STALL_TIMEOUT_MS = 60_000;
/** How often it is seen whether it is silent. */
const STALL_CHECK_MS = 1_000;

export interface ReaderProcess {
  pid: number | undefined;
  /** What the process says, until its pipe closes. */
  frames(): AsyncGenerator<Frame>;
  /** The file of a job that said that it is growing. */
  endGrowth(whole: WholeFile): void;
  /** Why the pipe closed without a last word. */
  explainDeath(): Promise<unknown>;
  /** Ends the process if it still lives, and waits for its end. */
  stop(): Promise<void>;
}

export async function startReaderProcess(
  job: ReaderJob,
  codeCacheDirectory: string | undefined,
  signal: AbortSignal,
): Promise<ReaderProcess> {
  let format: DatasetFormat | undefined;
  const child = await startWatchedProcess({
    script: new URL("./reader-child.ts", import.meta.url),
    job,
    workDirectory: job.workDirectory,
    // A growing file gets another name in the same store when it is whole.
    reads: [job.isGrowing ? dirname(dirname(resolve(job.path))) : job.path],
    ...present({ codeCacheDirectory }),
    maxHeapMegabytes: MAX_HEAP_MEGABYTES,
    maxResidentBytes: MAX_RESIDENT_BYTES,
    describeTooLarge: () => describeEnd(format, "it takes too much memory"),
    signal,
  });

  let waitingSince: number | undefined;
  const watch = setInterval(() => {
    if (waitingSince !== undefined && Date.now() - waitingSince > STALL_TIMEOUT_MS) {
      child.kill(describeEnd(format, `nothing was read for ${STALL_TIMEOUT_MS / 1000} seconds`));
    }
  }, STALL_CHECK_MS);

  async function* frames(): AsyncGenerator<Frame> {
    waitingSince = Date.now();
    for await (const frame of decodeFrames(child.output)) {
      signal.throwIfAborted();
      waitingSince = undefined;
      if (frame.type === "opened") format = JSON.parse(frame.payload.toString()) as DatasetFormat;
      else yield frame;
      signal.throwIfAborted();
      waitingSince = Date.now();
    }
  }

  async function explainDeath(): Promise<unknown> {
    const { killedBecause, what, errorOutput } = await child.explainEnd();
    return killedBecause ?? describeEnd(format, what, errorOutput);
  }

  async function stop(): Promise<void> {
    clearInterval(watch);
    await child.stop();
  }

  return { pid: child.pid, frames, endGrowth: (whole) => child.send(whole), explainDeath, stop };
}

/** Parquet is read by native code: what makes that hang, swell or crash is the file. Elsewhere it is a fault of ours. */
function describeEnd(format: DatasetFormat | undefined, what: string, detail = ""): Error {
  if (format !== "parquet") return new Error(`reading a dataset failed: ${what}. ${detail}`.trim());
  const message = `The Parquet file cannot be read: ${what}.`;
  return new IntakeRejected("invalid_parquet", [{ line: 1, code: "invalid_parquet", message }]);
}
