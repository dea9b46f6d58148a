/**
 * Evaluates conditions that customers wrote, in worker threads. The macros of CEL multiply (`a.all(x, a.all(y, …))`), so an
 * evaluation may take any time and memory: one that takes too much is ended with its thread and counts as an error. What was
 * evaluated before it stands, what comes after it goes on in a new thread until the time of the whole batch is used up.
 *
 * Batches of all users take turns, in the order in which they come, on as many threads as there are.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ConditionResult } from "./condition.ts";
import { PROGRESS_BYTES, progressSlots, resultCodes } from "./protocol.ts";
import type { ConditionAnswer, ConditionError, ConditionRequest } from "./protocol.ts";

/** Wall time of one evaluation. Most take microseconds; the rest is for a machine that has other things to do. */
const EVALUATION_LIMIT_MS = 1_000;

/** Of one batch, beyond which the rest of it is not evaluated: others wait. */
const BATCH_LIMIT_MS = 3_000;

/** Starting a thread and loading the library, on a busy machine. */
const START_LIMIT_MS = 30_000;

const WATCH_EVERY_MS = 50;

/** Four nested `map` over 40 items took a gigabyte; an honest condition needs no more than its input. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface Condition {
  source: string;
  /** The name by which the expression calls its input. */
  variable: "event" | "row";
}

export interface Evaluation {
  /** One for each input. */
  results: ConditionResult[];
  firstError: ConditionError | null;
  /** An evaluation was ended, or the rest of the batch not begun. */
  isTooExpensive: boolean;
}

export interface Conditions {
  /** So many batches are evaluated at once; further ones wait. */
  threads: number;
  /** Why the condition cannot be used, in words; undefined if it can. */
  check(condition: Condition): Promise<string | undefined>;
  /** `inputs`: JSON texts. A condition that cannot be used is an error for each. */
  evaluate(condition: Condition, inputs: readonly string[]): Promise<Evaluation>;
  close(): Promise<void>;
}

type TurnEnd = { outcome: "answered"; answer: ConditionAnswer } | { outcome: "ended"; reason: string };

/**
 * For conditions over whole datasets: a processor is left to the process itself. Each thread may take as much memory as its
 * limits say, and more than these are not fed as fast as they work.
 */
const MAX_THREADS = 4;
export const threadsForDatasets = (): number => Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));

/** A thread is started when there is work for it, and then kept. */
export function createConditions(threads = 1): Conditions {
  const all = Array.from({ length: threads }, () => new ConditionThread());
  // The one that was used last comes first: it has compiled what is asked again.
  const free = all.toReversed();
  const waiting: ((thread: ConditionThread) => void)[] = [];

  async function inTurn<T>(work: (thread: ConditionThread) => Promise<T>): Promise<T> {
    const thread = free.pop() ?? (await new Promise<ConditionThread>((take) => waiting.push(take)));
    try {
      return await work(thread);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(thread);
      else next(thread);
    }
  }

  return {
    threads,
    check: (condition) =>
      inTurn(async (thread) => {
        const end = await thread.runTurn({ type: "check", ...condition }, EVALUATION_LIMIT_MS);
        return end.outcome === "answered" ? (end.answer.problem ?? undefined) : "It takes too long to compile.";
      }),
    evaluate: (condition, inputs) => inTurn((thread) => evaluateBatch(thread, condition, inputs)),
    close: async () => void (await Promise.all(all.map((thread) => thread.close()))),
  };
}

async function evaluateBatch(
  thread: ConditionThread,
  condition: Condition,
  inputs: readonly string[],
): Promise<Evaluation> {
  const results = new SharedArrayBuffer(inputs.length);
  const codes = new Uint8Array(results);
  const startedAt = performance.now();
  let firstError: ConditionError | null = null;
  let isTooExpensive = false;
  for (let from = 0; from < inputs.length;) {
    if (performance.now() - startedAt >= BATCH_LIMIT_MS) {
      firstError ??= { at: from, message: "The expression takes too long." };
      codes.fill(resultCodes.indexOf("error") + 1, from);
      break;
    }
    const end = await thread.runTurn({ type: "evaluate", ...condition, inputs, from, results }, EVALUATION_LIMIT_MS);
    if (end.outcome === "answered") {
      if (end.answer.problem !== null) {
        codes.fill(resultCodes.indexOf("error") + 1, from);
        firstError ??= { at: from, message: end.answer.problem };
      }
      firstError ??= end.answer.firstError;
      break;
    }
    isTooExpensive = true;
    const at = codes.indexOf(0, from);
    codes[at] = resultCodes.indexOf("error") + 1;
    firstError ??= { at, message: end.reason };
    from = at + 1;
  }
  return { results: [...codes].map((code) => resultCodes[code - 1] ?? "error"), firstError, isTooExpensive };
}

/** One worker thread, started when it is needed and again after it was ended. */
class ConditionThread {
  #running: { worker: Worker; progress: Int32Array } | null = null;
  #end: ((end: TurnEnd) => void) | null = null;
  #isClosed = false;

  async runTurn(request: ConditionRequest, limitMs: number): Promise<TurnEnd> {
    if (this.#isClosed) throw new Error("conditions are closed");
    const { promise, resolve } = Promise.withResolvers<TurnEnd>();
    this.#end = resolve;
    const running = (this.#running ??= this.#start());
    running.worker.ref();
    running.worker.postMessage(request);
    let stepSeen = -1;
    let seenSince = performance.now();
    const watch = setInterval(() => {
      const step = Atomics.load(running.progress, progressSlots.step);
      if (step !== stepSeen) {
        stepSeen = step;
        seenSince = performance.now();
      }
      const isInHand = Atomics.load(running.progress, progressSlots.state) === 1;
      if (performance.now() - seenSince > (isInHand ? limitMs : START_LIMIT_MS))
        this.#stop("The expression takes too long.");
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
    this.#stop("The service is stopping.");
    await worker?.terminate();
  }

  #start(): { worker: Worker; progress: Int32Array } {
    const shared = new SharedArrayBuffer(PROGRESS_BYTES);
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: shared,
      // Nothing of the service's settings, arguments or secrets is needed there.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: THREAD_LIMITS,
    });
    const running = { worker, progress: new Int32Array(shared) };
    let failure = "The expression ended its thread.";
    worker.on("message", (answer: ConditionAnswer) => {
      if (this.#running === running) this.#finish({ outcome: "answered", answer });
    });
    worker.on("error", (error: Error) => {
      const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      failure = isMemory
        ? "The expression takes too much memory."
        : `The expression cannot be evaluated: ${error.message}`;
    });
    worker.on("exit", () => {
      if (this.#running === running) this.#stop(failure);
    });
    return running;
  }

  #stop(reason: string): void {
    void this.#running?.worker.terminate();
    this.#running = null;
    this.#finish({ outcome: "ended", reason });
  }

  #finish(end: TurnEnd): void {
    const finish = this.#end;
    this.#end = null;
    finish?.(end);
  }
}
