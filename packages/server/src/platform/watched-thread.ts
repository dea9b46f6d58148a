/**
 * A slot for a worker thread that does work which may take any time and memory: expressions, patterns and schemas that
 * customers wrote. It takes one request at a time. A request that takes longer than its limit, or more than the thread's heap, ends
 * with its thread; the next request starts another one. The thread's side is `watched-thread-port.ts`.
 */
import { Worker } from "node:worker_threads";
import type { ResourceLimits } from "node:worker_threads";
import { PROGRESS_BYTES, progressSlots } from "./watched-thread-port.ts";

/** Starting a thread and loading its modules, on a busy machine. */
const START_LIMIT_MS = 30_000;
const WATCH_EVERY_MS = 50;

export type TurnEnd<Answer> =
  | { outcome: "answered"; answer: Answer }
  /** `at`: what the thread last named with `begin`; -1 before that. */
  | { outcome: "ended"; reason: "time" | "memory" | "closed"; at: number }
  | { outcome: "broke"; error: Error };

export interface WatchedThreadOptions {
  file: URL;
  resourceLimits: ResourceLimits;
}

interface Running {
  worker: Worker;
  progress: Int32Array;
}

export class WatchedThread<Request, Answer> {
  readonly #options: WatchedThreadOptions;
  #running: Running | null = null;
  #end: ((end: TurnEnd<Answer>) => void) | null = null;
  #isClosed = false;

  constructor(options: WatchedThreadOptions) {
    this.#options = options;
  }

  /** Rejects only when it was closed before. The thread must be idle. `limitMs` is for each step that the thread names, and for what comes before the first. */
  async runTurn(request: Request, limitMs: number): Promise<TurnEnd<Answer>> {
    if (this.#isClosed) throw new Error("the thread is closed");
    const { promise, resolve } = Promise.withResolvers<TurnEnd<Answer>>();
    this.#end = resolve;
    let running: Running;
    try {
      running = this.#running ??= this.#start();
      Atomics.store(running.progress, progressSlots.at, -1);
      running.worker.ref();
      running.worker.postMessage(request);
    } catch (error) {
      // The system has no thread left to give.
      this.#finish({ outcome: "broke", error: error instanceof Error ? error : new Error(String(error)) });
      return promise;
    }
    let stepSeen = -1;
    let seenSince = performance.now();
    const watch = setInterval(() => {
      const step = Atomics.load(running.progress, progressSlots.step);
      if (step !== stepSeen) {
        stepSeen = step;
        seenSince = performance.now();
        return;
      }
      const isAtWork = Atomics.load(running.progress, progressSlots.isAtWork) === 1;
      if (performance.now() - seenSince > (isAtWork ? limitMs : START_LIMIT_MS)) this.#stop("time");
    }, WATCH_EVERY_MS);
    try {
      return await promise;
    } finally {
      clearInterval(watch);
      // An idle thread does not keep the process from ending.
      this.#running?.worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#running?.worker;
    this.#stop("closed");
    await worker?.terminate();
  }

  #start(): Running {
    const shared = new SharedArrayBuffer(PROGRESS_BYTES);
    const worker = new Worker(this.#options.file, {
      workerData: shared,
      // Nothing of the service's settings, arguments or secrets is needed there.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: this.#options.resourceLimits,
    });
    const running = { worker, progress: new Int32Array(shared) };
    let failure: Error | null = null;
    worker.on("message", (answer: Answer) => {
      if (this.#running === running) this.#finish({ outcome: "answered", answer });
    });
    worker.on("error", (error: Error) => {
      failure = error;
    });
    worker.on("exit", (exitCode) => {
      if (this.#running !== running) return;
      if (failure !== null && "code" in failure && failure.code === "ERR_WORKER_OUT_OF_MEMORY") {
        this.#stop("memory");
        return;
      }
      this.#running = null;
      this.#finish({ outcome: "broke", error: failure ?? new Error(`a thread ended with code ${exitCode}`) });
    });
    return running;
  }

  #stop(reason: "time" | "memory" | "closed"): void {
    const running = this.#running;
    this.#running = null;
    void running?.worker.terminate();
    const at = running === null ? -1 : Atomics.load(running.progress, progressSlots.at);
    this.#finish({ outcome: "ended", reason, at });
  }

  #finish(end: TurnEnd<Answer>): void {
    const finish = this.#end;
    this.#end = null;
    finish?.(end);
  }
}
