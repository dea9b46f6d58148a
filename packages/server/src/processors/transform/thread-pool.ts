/** The worker threads of the transform processor, started when first needed, and who may use them next. */
import { availableParallelism } from "node:os";
import { FairQueue } from "../../platform/fair-queue.ts";
import { CALL_BACKSTOP_MS, CANCEL_GRACE_MS, CHECK_BACKSTOP_MS } from "./limits.ts";
import { Thread, type TurnEnd, type TurnWork } from "./thread.ts";

export interface ThreadPoolOptions {
  /**
   * Default: one less than the processors, between 1 and 4. One processor is left to the main thread, which reads and
   * writes the rows; four threads compute more rows than one main thread can store.
   */
  threads?: number;
  /** A call that takes this long, or a quarter more, is ended with its thread. */
  callBackstopMs?: number;
}

interface Task {
  work: TurnWork;
  settle: PromiseWithResolvers<TurnEnd>;
  /** The thread that has it in hand. */
  thread: Thread | null;
  graceTimer: NodeJS.Timeout | undefined;
}

export class ThreadPool {
  readonly #threads: Thread[];
  readonly #queue = new FairQueue<Task>();
  readonly #backstopMs: number;
  /** Waiting or in hand. */
  readonly #tasks = new Set<Task>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    const threads = options.threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
    this.#backstopMs = options.callBackstopMs ?? CALL_BACKSTOP_MS;
    this.#threads = Array.from({ length: threads }, () => new Thread());
  }

  /** Waits for a thread and gives it one turn. Rejects with an AbortError at once when the signal says so. */
  runTurn(ownerId: string, work: TurnWork, signal: AbortSignal | null): Promise<TurnEnd> {
    if (this.#isClosed) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const task: Task = { work, settle: Promise.withResolvers<TurnEnd>(), thread: null, graceTimer: undefined };
    const onAbort = () => {
      task.settle.reject(abortError(signal));
      const { thread } = task;
      if (thread !== null) task.graceTimer = setTimeout(() => void thread.stop(), CANCEL_GRACE_MS);
      else if (this.#queue.remove(ownerId, task)) this.#tasks.delete(task);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#tasks.add(task);
    this.#queue.add(ownerId, task);
    this.#startTurns();
    return task.settle.promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Ends all threads. What is waiting or in hand is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#tasks) task.settle.reject(closedError());
    this.#tasks.clear();
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
    task.thread = thread;
    const end = await thread.runTurn(task.work, task.work.type === "check" ? CHECK_BACKSTOP_MS : this.#backstopMs);
    clearTimeout(task.graceTimer);
    this.#tasks.delete(task);
    this.#queue.finish(ownerId, performance.now() - startedAt, end.outcome === "died" && end.reason === "hung");
    task.settle.resolve(end);
    this.#startTurns();
  }
}

function abortError(signal: AbortSignal | null): DOMException {
  return new DOMException("the transform was canceled", { name: "AbortError", cause: signal?.reason });
}

function closedError(): Error {
  return new Error("the transform processor is closed");
}
