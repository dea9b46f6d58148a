/** The life of one reader process, seen from its parent: started without our environment, watched, and always ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { decodeFrames, type Frame } from "./frames.ts";
import { IntakeRejected } from "./intake-rejected.ts";
import type { DatasetFormat, ReaderJob } from "./reading.ts";

/** JSON.parse makes up to about 40 bytes of objects out of a byte, and rows are at most a few megabytes. */
const MAX_HEAP_MEGABYTES = 768;
/** Above either of the two that may grow: the heap, or DuckDB's limit of 1 GB with what it takes beyond. */
const MAX_RESIDENT_BYTES = 2 * 1024 ** 3;
/** A process grows by perhaps 100 MB between two looks. */
const WATCH_INTERVAL_MS = 100;
/** The process reports at least once a second while it moves on. */
const STALL_TIMEOUT_MS = 60_000;
/** Enough of stderr to know why a process died. */
const MAX_ERROR_OUTPUT_CHARACTERS = 4000;

/** Size of a memory page of /proc/<pid>/statm. */
const PAGE_BYTES = 4096;

export interface ReaderProcess {
  pid: number | undefined;
  /** What the process says, until its pipe closes. */
  frames(): AsyncGenerator<Frame>;
  /** Why the pipe closed without a last word. */
  explainDeath(): Promise<unknown>;
  /** Ends the process if it still lives, and waits for its end. */
  stop(): Promise<void>;
}

export function startReaderProcess(job: ReaderJob, signal: AbortSignal): ReaderProcess {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${MAX_HEAP_MEGABYTES}`, fileURLToPath(new URL("./reader-child.ts", import.meta.url))],
    // No environment: no setting or secret of the server's is within reach of what parses strangers' files.
    { stdio: ["pipe", "ignore", "pipe", "pipe"], env: {}, cwd: job.workDirectory, windowsHide: true },
  );
  const closed = once(child, "close");
  // Awaited in `stop` and `explainDeath`; until then a failure to start must not count as unhandled.
  closed.catch(() => {});
  const output = pipeOf(child, 3);
  // The end of stdin tells the process that its parent is gone; writing to one that died early is no error of ours.
  child.stdin?.on("error", () => {});
  child.stdin?.write(`${JSON.stringify(job)}\n`);
  const errorOutput = collectErrorOutput(child);

  let format: DatasetFormat | undefined;
  let endedBecause: unknown;
  let waitingSince: number | undefined;
  const end = (reason: unknown) => {
    endedBecause ??= reason;
    child.kill("SIGKILL");
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = setInterval(() => {
    if (waitingSince !== undefined && Date.now() - waitingSince > STALL_TIMEOUT_MS) {
      end(describeEnd(format, `nothing was read for ${STALL_TIMEOUT_MS / 1000} seconds`));
    }
    void readResidentBytes(child.pid).then((residentBytes) => {
      if (residentBytes > MAX_RESIDENT_BYTES) end(describeEnd(format, "it takes too much memory"));
    });
  }, WATCH_INTERVAL_MS);

  async function* frames(): AsyncGenerator<Frame> {
    waitingSince = Date.now();
    for await (const frame of decodeFrames(output)) {
      signal.throwIfAborted();
      waitingSince = undefined;
      if (frame.type === "opened") format = JSON.parse(frame.payload.toString()) as DatasetFormat;
      else yield frame;
      signal.throwIfAborted();
      waitingSince = Date.now();
    }
  }

  async function explainDeath(): Promise<unknown> {
    const [code, exitSignal] = (await closed) as [number | null, string | null];
    if (endedBecause !== undefined) return endedBecause;
    return describeEnd(format, `the process ended with ${exitSignal ?? `code ${code}`}`, errorOutput.text());
  }

  async function stop(): Promise<void> {
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    output.destroy();
    child.stdin?.destroy();
    await closed.catch(() => {});
  }

  return { pid: child.pid, frames, explainDeath, stop };
}

/** Parquet is read by native code: what makes that hang, swell or crash is the file. Elsewhere it is a fault of ours. */
function describeEnd(format: DatasetFormat | undefined, what: string, detail = ""): Error {
  if (format !== "parquet") return new Error(`reading a dataset failed: ${what}. ${detail}`.trim());
  const message = `The Parquet file cannot be read: ${what}.`;
  return new IntakeRejected("invalid_parquet", [{ line: 1, code: "invalid_parquet", message }]);
}

function pipeOf(child: ChildProcess, index: number): Readable {
  const stream = child.stdio[index];
  if (stream === null || stream === undefined || !("read" in stream)) throw new Error("the reader process has no pipe");
  return stream;
}

function collectErrorOutput(child: ChildProcess): { text(): string } {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-MAX_ERROR_OUTPUT_CHARACTERS);
  });
  return { text: () => text.trim() };
}

/** 0 where there is no /proc: there only the heap limit and DuckDB's own hold. */
async function readResidentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
}
