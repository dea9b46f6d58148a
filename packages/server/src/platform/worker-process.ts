/**
 * A slot for a process that does work which may take any time and memory: expressions, patterns and schemas that customers
 * wrote. It takes one request at a time. A request that takes longer than its limit, or more memory than the process may have, ends
 * with its process; the next request starts another one. The process's side is `worker-process-port.ts`.
 *
 * It is a process and not a thread, since V8 ends the whole process where the heap limit of a thread is passed in one step, such as
 * the growth of one array (nodejs/node#47224).
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ProcessNotStartedError, START_PAUSES_MS } from "./process-not-started.ts";
import { childConditions, programFiles } from "./program-files.ts";
import { isOverdue, readProcessorMs } from "./step-time.ts";
import { readResidentBytes } from "./resident-bytes.ts";
import { ALWAYS_REPORTED, PROGRESS_RECORD_BYTES } from "./worker-process-port.ts";
import type { Envelope } from "./worker-process-port.ts";

const WATCH_EVERY_MS = 50;
/** A process keeps some fifty megabytes, and one that is needed again starts within a moment. */
const IDLE_MS = 60_000;
/** What a process has beside its heap: code, buffers, and the memory of compiled patterns. */
const BESIDE_HEAP_BYTES = 512 << 20;
/** Enough of stderr to know why a process died. */
const MAX_ERROR_CHARACTERS = 2_000;

interface Progress {
  /** What the process last named with `begin`; -1 before that. */
  at: number;
  /** The results that it reported with `begin`, by the step they belong to. */
  results: ReadonlyMap<number, number>;
}

/** `workedMs`: from the moment at which the process had the request. */
export type WorkEnd<Response> = { workedMs: number } & (
  | { outcome: "responded"; response: Response }
  | ({ outcome: "ended"; reason: "time" | "memory" } & Progress)
  /**
   * It died by itself twice, the second time at this step. Somebody else may have killed it: before the step is blamed, it is to
   * be tried alone.
   */
  | ({ outcome: "broke"; error: Error } & Progress)
);

/** How one attempt ended. */
type TryEnd<Response> =
  | { outcome: "responded"; response: Response }
  | { outcome: "ended"; reason: "time" | "memory" | "closed" }
  | { outcome: "broke"; error: Error };

export interface WorkerProcessOptions {
  /** The module that is its entry. */
  script: URL;
  maxHeapMegabytes: number;
  /** On a busy machine a step may take so many times its limit before it is ended, if it gets too little of the processors (1). */
  maxStretch?: number;
  /** For callers that wait for work when the slot is closed: it is not done, and nothing is known about it. */
  closedError: () => Error;
}

interface Running {
  child: ChildProcess;
  errorOutput: string;
}

interface Work<Response> {
  no: number;
  finish: (end: TryEnd<Response>) => void;
  fail: (error: Error) => void;
  reports: number;
  at: number;
  results: Map<number, number>;
  begunAt: number | undefined;
  seenAt: number;
  isOverdue: boolean;
  /** What the process had used when the step of this number of reports was first seen. */
  before: { reports: number; processorMs: number | undefined };
}

/** One attempt, and what was reported in it. */
interface Tried<Response> {
  end: TryEnd<Response>;
  work: Work<Response>;
  workedMs: number;
}

export class WorkerProcess<Request, Response> {
  readonly #options: WorkerProcessOptions;
  #running: Running | null = null;
  #work: Work<Response> | null = null;
  #works = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
  }

  /**
   * Rejects when the slot is or gets closed, with `closedError`; when the process cannot be started, or dies before it has the request,
   * or does not have it in time, with a `ProcessNotStartedError`; and when the request cannot be sent: nothing of that says anything about
   * the request's work. The process must be idle. `limitMs` is for each step that the process names, and for what comes before the first.
   * A request is tried once more, step by step, where it is not certain which step was too much, and where the process died by itself.
   */
  async perform(request: Request, limitMs: number): Promise<WorkEnd<Response>> {
    const first = await this.#tryPatiently({ request, isCareful: false }, limitMs);
    const isCertain = first.work.reports <= ALWAYS_REPORTED;
    const isFinal = first.end.outcome === "responded" || (first.end.outcome === "ended" && isCertain);
    const last = isFinal ? first : await this.#tryPatiently({ request, isCareful: true }, limitMs);
    return this.#toWorkEnd(last);
  }

  /** The next request has a new process. */
  async restart(): Promise<void> {
    const child = this.#running?.child;
    this.#stop("closed");
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await once(child, "close");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.restart();
  }

  /** The system may have no room for another process at the moment. */
  async #tryPatiently(work: Omit<Envelope<Request>, "work">, limitMs: number): Promise<Tried<Response>> {
    for (const pauseMs of START_PAUSES_MS) {
      try {
        return await this.#try(work, limitMs);
      } catch (error) {
        if (!(error instanceof ProcessNotStartedError && error.isPassing)) throw error;
      }
      await sleep(pauseMs);
    }
    return this.#try(work, limitMs);
  }

  async #try(work: Omit<Envelope<Request>, "work">, limitMs: number): Promise<Tried<Response>> {
    if (this.#isClosed) throw this.#options.closedError();
    clearTimeout(this.#idle);
    const running = (this.#running ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<TryEnd<Response>>();
    const item: Work<Response> = {
      no: ++this.#works,
      finish: resolve,
      fail: reject,
      reports: 0,
      at: -1,
      results: new Map(),
      begunAt: undefined,
      seenAt: performance.now(),
      isOverdue: false,
      before: { reports: -1, processorMs: undefined },
    };
    this.#work = item;
    const watch = setInterval(() => void this.#watch(running, item, limitMs), WATCH_EVERY_MS);
    try {
      this.#send(running, { ...work, work: item.no });
      const end = await promise;
      if (end.outcome === "ended" && end.reason === "closed") throw this.#options.closedError();
      return { end, work: item, workedMs: item.begunAt === undefined ? 0 : performance.now() - item.begunAt };
    } finally {
      clearInterval(watch);
      if (this.#work === item) this.#work = null;
      this.#rest();
    }
  }

  #send({ child }: Running, envelope: Envelope<Request>): void {
    // One that could not be started has no channel; its error comes within this round of the event loop.
    if (child.pid === undefined) return;
    child.ref();
    child.channel?.ref();
    child.send(envelope, (error) => {
      // Its end is seen by its exit, and says more.
      if (error !== null && this.#running?.child === child) child.kill("SIGKILL");
    });
  }

  async #watch(running: Running, item: Work<Response>, limitMs: number): Promise<void> {
    const processorMs = await readProcessorMs(running.child.pid);
    if (item.before.reports !== item.reports) item.before = { reports: item.reports, processorMs };
    const wasOverdue = item.isOverdue;
    item.isOverdue = isOverdue(item, processorMs, limitMs, this.#options.maxStretch ?? 1);
    if (item.isOverdue) {
      // Twice: when this process itself stood still, what the other one has reported is read between the two looks.
      if (wasOverdue && this.#work === item) this.#stop("time");
      return;
    }
    const bytes = await readResidentBytes(running.child.pid);
    const most = this.#options.maxHeapMegabytes * 1024 * 1024 + BESIDE_HEAP_BYTES;
    if (bytes > most && this.#work === item && this.#running === running) this.#stop("memory");
  }

  /** An idle process does not keep this one from ending, and ends after a while. */
  #rest(): void {
    const running = this.#running;
    if (running === null) return;
    running.child.unref();
    running.child.channel?.unref();
    this.#idle = setTimeout(() => {
      if (this.#work === null && this.#running === running) this.#stop("closed");
    }, IDLE_MS).unref();
  }

  #start(): Running {
    const { script, maxHeapMegabytes } = this.#options;
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${maxHeapMegabytes}`,
        // As deep as schemas and expressions may be nested, within what systems give a process.
        "--stack-size=3900",
        // It reads the program, and can write, start and load nothing else.
        "--permission",
        // For the one thread that ends it with its parent. No code of customers is run there.
        "--allow-worker",
        // Of the flag above, at every start: it would stand before the reason for which a process died.
        "--disable-warning=PERM0006",
        ...programFiles.map((path) => `--allow-fs-read=${path}`),
        ...childConditions,
        fileURLToPath(script),
      ],
      {
        stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"],
        serialization: "advanced",
        // Nothing of the service's settings or secrets is needed there.
        env: {},
        cwd: tmpdir(),
        windowsHide: true,
      },
    );
    const running: Running = { child, errorOutput: "" };
    let failure: Error | undefined;
    // Before all else: an error event to which nobody listens would end this process.
    child.on("error", (error) => {
      failure = error;
      // A process that could not be started has no end of its own.
      if (child.pid === undefined) this.#noteNotStarted(running, error);
    });
    // Where no more files can be opened, it has not even pipes.
    if (child.pid === undefined) return running;
    child.on("message", (response) => {
      // What the script's `answerRequests` sends.
      if (this.#running === running) this.#finish({ outcome: "responded", response: response as Response });
    });
    this.#readProgress(running);
    child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      running.errorOutput = (running.errorOutput + part).slice(-MAX_ERROR_CHARACTERS);
    });
    unrefPipe(child.stderr);
    child.on("close", (code, signal) => {
      if (isOutOfMemory(code, signal, running.errorOutput) && this.#running === running) this.#stop("memory");
      else this.#noteEnd(running, failure ?? new Error(describeEnd(code, signal, running.errorOutput)));
    });
    return running;
  }

  #readProgress({ child }: Running): void {
    const progress = child.stdio[3];
    if (progress === null || progress === undefined || !("read" in progress))
      throw new Error("the process has no pipe");
    let rest: Buffer = Buffer.alloc(0);
    unrefPipe(progress);
    progress.on("data", (bytes: Buffer) => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const whole = rest.length - (rest.length % PROGRESS_RECORD_BYTES);
      for (let from = 0; from < whole; from += PROGRESS_RECORD_BYTES)
        this.#noteStep(rest.readUInt32LE(from), rest.readInt32LE(from + 4), rest.readUInt8(from + 8));
      rest = rest.subarray(whole);
    });
  }

  /**
   * Pipe and channel are read in any order: steps of an earlier work item may be read when the next one has begun, in another process even.
   */
  #noteStep(workNo: number, at: number, resultBefore: number): void {
    const item = this.#work;
    if (item === null || item.no !== workNo) return;
    if (item.at >= 0 && at > item.at) item.results.set(item.at, resultBefore);
    item.at = at;
    item.reports += 1;
    item.seenAt = performance.now();
    item.begunAt ??= item.seenAt;
  }

  #noteEnd(running: Running, error: Error): void {
    if (this.#running !== running) return;
    this.#running = null;
    this.#finish({ outcome: "broke", error });
  }

  #noteNotStarted(running: Running, error: Error): void {
    if (this.#running !== running) return;
    this.#running = null;
    const item = this.#work;
    this.#work = null;
    item?.fail(new ProcessNotStartedError("a worker process", error));
  }

  #stop(reason: "time" | "memory" | "closed"): void {
    const running = this.#running;
    this.#running = null;
    running?.child.kill("SIGKILL");
    this.#finish({ outcome: "ended", reason });
  }

  #toWorkEnd({ end, work: item, workedMs }: Tried<Response>): WorkEnd<Response> {
    const { at, results, reports } = item;
    if (end.outcome === "responded") return { ...end, workedMs };
    if (end.outcome === "broke") {
      // As if it had not been started.
      if (reports === 0) throw new ProcessNotStartedError("a worker process", end.error);
      return { ...end, at, results, workedMs };
    }
    if (end.reason === "closed") throw this.#options.closedError();
    if (reports === 0 && end.reason === "time")
      throw new ProcessNotStartedError("a worker process", new Error("it did not begin in time"));
    return { outcome: "ended", reason: end.reason, at, results, workedMs };
  }

  #finish(end: TryEnd<Response>): void {
    const item = this.#work;
    this.#work = null;
    item?.finish(end);
  }
}

/** A pipe must not keep this process from ending while the other one is idle. */
function unrefPipe(pipe: unknown): void {
  if (pipe instanceof Socket) pipe.unref();
}

/** V8 aborts the process, and reports it on stderr. */
const isOutOfMemory = (code: number | null, signal: NodeJS.Signals | null, errorOutput: string): boolean =>
  (signal === "SIGABRT" || code === 134) && /heap out of memory|Allocation failed/.test(errorOutput);

const describeEnd = (code: number | null, signal: NodeJS.Signals | null, errorOutput: string): string =>
  `a worker process ended with ${signal ?? `code ${code}`}${errorOutput === "" ? "" : `: ${errorOutput.trim()}`}`;
