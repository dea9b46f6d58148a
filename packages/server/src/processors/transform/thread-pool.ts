/** The worker threads of the transform processor, started when first needed, and who may use them next. */
import { serviceStopping } from "../../platform/http/errors.ts";
import { availableParallelism } from "node:os";
import { FairShare } from "../../platform/fair-share.ts";
import type { Party } from "../../platform/fair-share.ts";
import type { AttemptClock } from "../processor.ts";
import { usableMemoryBytes } from "../../platform/usable-memory.ts";
import { CALL_BACKSTOP_MS, CANCEL_GRACE_MS, CHECK_BACKSTOP_MS } from "./transform-limits.ts";
import { Thread, type WorkEnd, type SandboxWork } from "./sandbox-thread.ts";

export interface ThreadPoolOptions {
  /** Default: by the processors, `threadsFor`. */
  threads?: number;
  /** A call that takes this long, or a quarter more, is ended with its thread. */
  callBackstopMs?: number;
}

/** What somebody waits for at a screen (the check of a definition, the test of a job spec), or rows of a run. */
export type Urgency = "interactive" | "run";

/** Who waits at a screen has a thread apart, and never waits for runs; started when it is needed. */
const INTERACTIVE_THREADS = 1;

interface Lane {
  threads: Thread[];
  queue: FairShare<Task>;
}

/** How a work item has ended, and how long a thread had it. */
export interface Worked {
  end: WorkEnd;
  workedMs: number;
}

/** Of a row: it stands still while the row waits for a thread, and may end the wait. */
export type WaitClock = Pick<AttemptClock, "offTheClock" | "nothingBegins">;

interface Task {
  work: SandboxWork;
  begun: PromiseWithResolvers<void>;
  /** A thread that has started works on it. */
  hasBegun: boolean;
  settle: PromiseWithResolvers<Worked>;
  /** The thread that works on it. */
  thread: Thread | null;
  graceTimer: NodeJS.Timeout | undefined;
}

/** So many are there whatever the memory: fast rows need no more, since one main thread stores what they compute. */
const FEW_THREADS = 4;
/** Threads that nothing needs are never started; with slow rows, the main thread and the database serve so many with ease. */
const MAX_THREADS = 16;
/** A thread takes about 25 MiB, and keeps sandboxes of up to 384 MiB together (`SANDBOXES_PER_THREAD`, `MEMORY_KEPT_BYTES`). */
const MEMORY_OF_THREAD_BYTES = 512 * 1024 * 1024;

/**
 * A row costs a sandbox two to three times what it costs the main thread and the database together. So one processor is left to
 * them; but of two, half of that one would stay idle. `memoryBytes`: what the process may use.
 */
export function threadsFor(processors: number, memoryBytes: number): number {
  const fitting = Math.max(FEW_THREADS, Math.floor(memoryBytes / MEMORY_OF_THREAD_BYTES));
  return processors <= 2 ? processors : Math.min(processors - 1, fitting, MAX_THREADS);
}

export class ThreadPool {
  readonly #lanes: Record<Urgency, Lane>;
  readonly #backstopMs: number;
  readonly threadsOfRuns: number;
  /** Waiting or in flight. */
  readonly #tasks = new Set<Task>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.threadsOfRuns = options.threads ?? threadsFor(availableParallelism(), usableMemoryBytes());
    this.#backstopMs = options.callBackstopMs ?? CALL_BACKSTOP_MS;
    const laneOf = (length: number): Lane => ({
      threads: Array.from({ length }, () => new Thread()),
      queue: new FairShare(),
    });
    this.#lanes = { run: laneOf(this.threadsOfRuns), interactive: laneOf(INTERACTIVE_THREADS) };
  }

  /**
   * Waits for a thread, off the clock, and gives it one work item. Rejects with an AbortError at once when the signal is aborted; with the
   * reason of `nothingBegins` when that is aborted while the work item waits for a thread.
   */
  async perform(
    party: Party,
    urgency: Urgency,
    work: SandboxWork,
    signal: AbortSignal | null,
    clock?: WaitClock,
  ): Promise<Worked> {
    if (this.#isClosed) throw closedError();
    if (signal?.aborted) throw abortError(signal);
    const lane = this.#lanes[urgency];
    const task = newTask(work);
    const onAbort = () => {
      const { thread } = task;
      if (thread !== null) task.graceTimer = setTimeout(() => void thread.stop(), CANCEL_GRACE_MS);
      else if (lane.queue.remove(party, task)) this.#tasks.delete(task);
      task.settle.reject(abortError(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#tasks.add(task);
    lane.queue.add(party, task);
    this.#startWork(lane);
    try {
      if (!task.hasBegun) await this.#untilBegun(lane, party, task, clock);
      return await task.settle.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all threads. What is waiting or in flight is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#tasks) task.settle.reject(closedError());
    this.#tasks.clear();
    const threads = Object.values(this.#lanes).flatMap((lane) => lane.threads);
    await Promise.all(threads.map((thread) => thread.stop()));
  }

  /** Rejects where the task is ended, or postponed, before. */
  async #untilBegun(lane: Lane, party: Party, task: Task, clock: WaitClock | undefined): Promise<void> {
    if (clock === undefined) return;
    const { nothingBegins } = clock;
    const postpone = () => {
      if (task.thread !== null || !lane.queue.remove(party, task)) return;
      this.#tasks.delete(task);
      task.settle.reject(nothingBegins?.reason);
    };
    if (nothingBegins?.aborted === true) postpone();
    nothingBegins?.addEventListener("abort", postpone, { once: true });
    await clock
      .offTheClock(() => Promise.race([task.begun.promise, task.settle.promise]))
      .finally(() => nothingBegins?.removeEventListener("abort", postpone));
  }

  #startWork(lane: Lane): void {
    for (;;) {
      const idle = lane.threads.filter((thread) => thread.isIdle);
      const next = idle.length === 0 || this.#isClosed ? null : lane.queue.take(idle.length);
      if (next === null) return;
      const { work } = next.task;
      const thread = idle.find((candidate) => work.type === "rows" && candidate.holds(work.sandboxKey)) ?? idle[0];
      if (thread !== undefined) void this.#perform(lane, thread, next.party, next.task);
    }
  }

  async #perform(lane: Lane, thread: Thread, party: Party, task: Task): Promise<void> {
    const startedAt = performance.now();
    task.thread = thread;
    const backstopMs = task.work.type === "check" ? CHECK_BACKSTOP_MS : this.#backstopMs;
    const end = await thread.perform(task.work, backstopMs, () => {
      task.hasBegun = true;
      task.begun.resolve();
    });
    clearTimeout(task.graceTimer);
    this.#tasks.delete(task);
    const hasHung = end.outcome === "died" && end.reason === "hung";
    const workedMs = performance.now() - startedAt;
    lane.queue.finish(party, workedMs, hasHung);
    task.settle.resolve({ end, workedMs });
    this.#startWork(lane);
  }
}

const newTask = (work: SandboxWork): Task => ({
  work,
  begun: Promise.withResolvers<void>(),
  hasBegun: false,
  settle: Promise.withResolvers<Worked>(),
  thread: null,
  graceTimer: undefined,
});

function abortError(signal: AbortSignal | null): DOMException {
  return new DOMException("the transform was canceled", { name: "AbortError", cause: signal?.reason });
}

const closedError = (): Error => serviceStopping("the transform processor is closed");
