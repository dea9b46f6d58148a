/**
 * A process of this program's own for work that may hang, swell or crash, most of it native code on strangers' bytes. It is
 * started without our environment and with Node's permission model (no files but those it needs, no processes, no threads), its memory is
 * watched, and it always ends: by itself, when its parent wants it to, when it takes too much, and when its parent is gone (the entry of
 * such a process ends when its stdin does).
 *
 * Its job is the first line of its stdin, as JSON, and further messages the next ones; what it has to say goes to file descriptor 3.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ProcessNotStartedError, START_PAUSES_MS } from "./process-not-started.ts";
import { childConditions, programFiles } from "./program-files.ts";
import { readResidentBytes } from "./resident-bytes.ts";

/** A process grows by perhaps 100 MB between two looks. */
const WATCH_INTERVAL_MS = 100;
/** Enough of stderr to know why a process died. */
const MAX_ERROR_OUTPUT_CHARACTERS = 4000;

export interface IdleProcessOptions {
  /** The module that is its entry. */
  script: URL;
  /** Its working directory; whatever it writes belongs there. */
  workDirectory: string;
  /** Files and directories that it may read, beside its working directory and the program. */
  reads: readonly string[];
  /** A private directory for its compiled code, with which the next one starts in half the time; made if it is missing. */
  codeCacheDirectory?: string;
  maxHeapMegabytes: number;
  /** Above it the process is killed, because of what `describeTooLarge` gives. */
  maxResidentBytes: number;
}

export interface WatchedJob {
  job: unknown;
  describeTooLarge: () => unknown;
  /** Kills it, because of the signal's reason. */
  signal: AbortSignal;
}

export interface WatchedProcessOptions extends IdleProcessOptions, WatchedJob {}

/** One that has been started, and waits for its job. */
export interface IdleProcess {
  isAlive(): boolean;
  /** Once. */
  begin(job: WatchedJob): WatchedProcess;
  /** Where it gets no job: kills it, and waits for its end. */
  stop(): Promise<void>;
}

export interface WatchedProcess {
  pid: number | undefined;
  /** What the process says, until its pipe closes. */
  output: Readable;
  /** One line more. */
  send(message: unknown): void;
  /** Kills it; the first reason counts. */
  kill(reason: unknown): void;
  /** Waits for its end. `killedBecause`: the reason, if it was killed by us; `what`: how it ended otherwise. */
  explainEnd(): Promise<{ killedBecause: unknown; what: string; errorOutput: string }>;
  /** Kills the process if it still lives, and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Tries again where the system has no room for a process at the moment, and then rejects with a `ProcessNotStartedError`; with the
 * reason of the signal where that comes first.
 */
export async function startWatchedProcess(options: WatchedProcessOptions): Promise<WatchedProcess> {
  const { signal } = options;
  for (const pauseMs of START_PAUSES_MS) {
    signal.throwIfAborted();
    try {
      return watch(options, await spawnChild(options));
    } catch (error) {
      if (!(error instanceof ProcessNotStartedError && error.isPassing)) throw error;
    }
    // An abort is thrown above.
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
  signal.throwIfAborted();
  return watch(options, await spawnChild(options));
}

/** Rejects with a `ProcessNotStartedError` where the system has no room for it: nobody waits for it yet. */
export async function startIdleProcess(options: IdleProcessOptions): Promise<IdleProcess> {
  const child = await spawnChild(options);
  const closed = once(child, "close");
  closed.catch(() => {});
  return {
    isAlive: () => hasNotEnded(child),
    begin: (job) => watch({ ...options, ...job }, child, closed),
    async stop() {
      if (hasNotEnded(child)) child.kill("SIGKILL");
      for (const pipe of child.stdio) pipe?.destroy();
      await closed.catch(() => {});
    },
  };
}

const hasNotEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

async function spawnChild(options: IdleProcessOptions): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${options.maxHeapMegabytes}`,
      ...permissionsOf(options),
      ...childConditions,
      fileURLToPath(options.script),
    ],
    {
      stdio: ["pipe", "ignore", "pipe", "pipe"],
      env: environmentOf(options),
      cwd: options.workDirectory,
      windowsHide: true,
    },
  );
  if (child.pid !== undefined) return child;
  // It comes within this round of the event loop.
  const error = await new Promise((resolve) => child.once("error", resolve));
  for (const pipe of child.stdio ?? []) pipe?.destroy();
  throw new ProcessNotStartedError("a process", error);
}

/** `closed`: from when the process was started, since it may have ended by now. */
function watch(
  options: WatchedProcessOptions,
  child: ChildProcess,
  closed: Promise<unknown[]> = once(child, "close"),
): WatchedProcess {
  const { signal } = options;
  // Awaited in `stop` and `explainEnd`; until then a failure to start must not count as unhandled.
  closed.catch(() => {});
  const output = pipeOf(child, 3);
  // The end of stdin shows the process that its parent has ended; writing to one that died early is not our error.
  child.stdin?.on("error", () => {});
  const send = (message: unknown) => void child.stdin?.write(`${JSON.stringify(message)}\n`);
  send(options.job);
  const errorOutput = collectErrorOutput(child);

  let killedBecause: unknown;
  const kill = (reason: unknown) => {
    killedBecause ??= reason;
    child.kill("SIGKILL");
  };
  const onAbort = () => kill(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const memoryWatch = setInterval(() => {
    void readResidentBytes(child.pid).then((residentBytes) => {
      if (residentBytes > options.maxResidentBytes) kill(options.describeTooLarge());
    });
  }, WATCH_INTERVAL_MS);

  return {
    pid: child.pid,
    output,
    send,
    kill,
    async explainEnd() {
      const [code, exitSignal] = (await closed) as [number | null, string | null]; // what `close` brings
      const what = `the process ended with ${exitSignal ?? `code ${code}`}`;
      return { killedBecause, what, errorOutput: errorOutput.text() };
    },
    async stop() {
      clearInterval(memoryWatch);
      signal.removeEventListener("abort", onAbort);
      if (hasNotEnded(child)) child.kill("SIGKILL");
      output.destroy();
      child.stdin?.destroy();
      await closed.catch(() => {});
    },
  };
}

/**
 * Native code (DuckDB) is not bounded by these; it has limits of its own (`duckdb.ts`). Everything else that reads strangers' bytes
 * can open nothing else, start nothing and load no other code.
 */
function permissionsOf({ reads, workDirectory, codeCacheDirectory }: IdleProcessOptions): string[] {
  const written = [workDirectory, ...(codeCacheDirectory === undefined ? [] : [codeCacheDirectory])];
  return [
    "--permission",
    "--allow-addons",
    // Of addons, at every start: it would stand before the reason for which a process died.
    "--disable-warning=PERM0001",
    ...[...programFiles, ...reads, ...written].map((path) => `--allow-fs-read=${resolve(path)}`),
    ...written.map((path) => `--allow-fs-write=${resolve(path)}`),
  ];
}

/** Not our own: no setting or secret of the server's is within reach of what works on strangers' bytes. */
function environmentOf({ codeCacheDirectory }: IdleProcessOptions): Record<string, string> {
  return codeCacheDirectory === undefined ? {} : { NODE_COMPILE_CACHE: codeCacheDirectory };
}

function pipeOf(child: ChildProcess, index: number): Readable {
  const stream = child.stdio[index];
  if (stream === null || stream === undefined || !("read" in stream)) throw new Error("the process has no pipe");
  return stream;
}

function collectErrorOutput(child: ChildProcess): { text(): string } {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-MAX_ERROR_OUTPUT_CHARACTERS);
  });
  return { text: () => text.trim() };
}
