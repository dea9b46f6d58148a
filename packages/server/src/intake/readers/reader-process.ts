/** The life of one reader process, seen from its parent: watched for memory and for silence, and always ended. */
import { dirname, resolve } from "node:path";
import { startWatchedProcess } from "../../platform/watched-process.ts";
import type { WatchedProcess } from "../../platform/watched-process.ts";
import { decodeFrames, type Frame } from "./frames.ts";
import type { WholeFile } from "./growing-file.ts";
import { IntakeRejected } from "./intake-rejected.ts";
import { readerProcessOptions } from "./reader-process-options.ts";
import type { DatasetFormat, ReaderJob } from "./reader-types.ts";
import type { SpareReader } from "./spare-reader.ts";

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

/** With a spare reader it has begun before, and reads the file by another name. */
export async function startReaderProcess(
  job: ReaderJob,
  codeCacheDirectory: string | undefined,
  spare: SpareReader | undefined,
  signal: AbortSignal,
): Promise<ReaderProcess> {
  let format: DatasetFormat | undefined;
  const describeTooLarge = () => describeEnd(format, "it takes too much memory");
  const child = await begin(job, codeCacheDirectory, spare, { describeTooLarge, signal });

  let waitingSince: number | undefined;
  const watch = setInterval(() => {
    if (waitingSince !== undefined && performance.now() - waitingSince > STALL_TIMEOUT_MS) {
      child.kill(describeEnd(format, `nothing was read for ${STALL_TIMEOUT_MS / 1000} seconds`));
    }
  }, STALL_CHECK_MS);

  async function* frames(): AsyncGenerator<Frame> {
    waitingSince = performance.now();
    for await (const frame of decodeFrames(child.output)) {
      signal.throwIfAborted();
      waitingSince = undefined;
      if (frame.type === "opened") format = JSON.parse(frame.payload.toString()) as DatasetFormat;
      else yield frame;
      signal.throwIfAborted();
      waitingSince = performance.now();
    }
  }

  async function explainDeath(): Promise<unknown> {
    const { killedBecause, what, errorOutput } = await child.explainEnd();
    return killedBecause ?? describeEnd(format, what, errorOutput);
  }

  async function stop(): Promise<void> {
    clearInterval(watch);
    await child.stop();
    await spare?.remove();
  }

  function endGrowth(whole: WholeFile): void {
    if (spare === undefined) return child.send(whole);
    spare.linkWhole(whole.path).then(
      (path) => child.send({ ...whole, path }),
      (error: unknown) => child.kill(error),
    );
  }

  return { pid: child.pid, frames, endGrowth, explainDeath, stop };
}

async function begin(
  job: ReaderJob,
  codeCacheDirectory: string | undefined,
  spare: SpareReader | undefined,
  watched: { describeTooLarge: () => unknown; signal: AbortSignal },
): Promise<WatchedProcess> {
  if (spare !== undefined) {
    const { path, workDirectory } = spare;
    return spare.process.begin({ job: { ...job, path, workDirectory }, ...watched });
  }
  // A growing file gets another name in the same store when it is whole.
  const reads = job.isGrowing ? dirname(dirname(resolve(job.path))) : job.path;
  const options = readerProcessOptions({ directory: job.workDirectory, reads, codeCacheDirectory });
  return startWatchedProcess({ ...options, job, ...watched });
}

/** Parquet is read by native code: what makes that hang, swell or crash is the file. Elsewhere it is a fault of ours. */
function describeEnd(format: DatasetFormat | undefined, what: string, detail = ""): Error {
  if (format !== "parquet") return new Error(`reading a dataset failed: ${what}. ${detail}`.trim());
  const message = `The Parquet file cannot be read: ${what}.`;
  return new IntakeRejected("invalid_parquet", [{ line: 1, code: "invalid_parquet", message }]);
}
