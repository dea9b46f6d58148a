/** The worker threads of the transform processor, started when first needed, and who may use them next. */
import { availableParallelism } from "node:os";
import { FairQueue } from "./fair-queue.ts";
import { CALL_BACKSTOP_MS, CANCEL_GRACE_MS } from "./limits.ts";
import { Thread, type TurnEnd, type TurnWork } from "./thread.ts";

export interface ThreadPoolOptions {
  /**
   * Default: one less than the processors, between 1 and 4. One processor is left to the main thread, which reads and
   * writes the rows; four threads compute more rows than one main thread can store.
   */
  threads?: number;
  /** A call that takes this long, up to twice, is ended with its thread. */
  callBackstopMs?: number;
}

interface Task {
  work: TurnWork;
  settle: PromiseWithResolvers<TurnEnd>;
  signal: AbortSignal | null;
  onAbort: () => void;
}

export class ThreadPool {
  readonly #threads: Thread[];
  readonly #queue = new FairQueue<Task>();
  #isClosed = false;
  readonly #waiting = new Set<Task>();

  constructor(options: ThreadPoolOptions) {
    const threads = options.threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
    const backstopMs = options.callBackstopMs ?? CALL_BACKSTOP_MS;
    this.#threads = Array.from({ length: threads }, () => new Thread(backstopMs));
  }

  /** Waits for a thread and gives it one turn. Rejects with an AbortError at once when the signal says so. */
  runTurn(ownerId: string, work: TurnWork, signal: AbortSignal | null): Promise<TurnEnd> {
    if (this.#isClosed) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const task: Task = {
      work,
      settle: Promise.withResolvers<TurnEnd>(),
      signal,
      onAbort: () => {
        if (signal === null) return;
        if (this.#queue.remove(ownerId, task)) this.#waiting.delete(task);
        task.settle.reject(abortError(signal));
      },
    };
    signal?.addEventListener("abort", task.onAbort, { once: true });
    this.#waiting.add(task);
    this.#queue.add(ownerId, task);
    this.#startTurns();
    return task.settle.promise.finally(() => signal?.removeEventListener("abort", task.onAbort));
  }

  /** Ends all threads. What is waiting or in hand is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#waiting) task.settle.reject(closedError());
    this.#waiting.clear();
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  #startTurns(): void {
    for (;;) {
      const idle = this.#threads.filter((thread) => thread.isIdle);
      const next = idle.length === 0 || this.#isClosed ? null : this.#queue.take();
      if (next === null) return;
      const { work } = next.task;
      const thread = idle.find((candidate) => work.type === "rows" && candidate.holds(work.sandboxKey)) ?? idle[0];
      if (thread !== undefined) void this.#runTurn(thread, next.ownerId, next.task);
    }
  }

  async #runTurn(thread: Thread, ownerId: string, task: Task): Promise<void> {
    const startedAt = performance.now();
    let graceTimer: NodeJS.Timeout | undefined;
    const endSoon = () => {
      graceTimer = setTimeout(() => void thread.stop(), CANCEL_GRACE_MS);
    };
    task.signal?.addEventListener("abort", endSoon, { once: true });
    const end = await thread.runTurn(task.work);
    clearTimeout(graceTimer);
    task.signal?.removeEventListener("abort", endSoon);
    this.#waiting.delete(task);
    this.#queue.finish(ownerId, performance.now() - startedAt, end.outcome === "died" && end.reason === "hung");
    if (this.#isClosed) task.settle.reject(closedError());
    else task.settle.resolve(end);
    this.#startTurns();
  }
}

function abortError(signal: AbortSignal): DOMException {
  return new DOMException("the transform was canceled", { name: "AbortError", cause: signal.reason });
}

function closedError(): Error {
  return new Error("the transform processor is closed");
}
