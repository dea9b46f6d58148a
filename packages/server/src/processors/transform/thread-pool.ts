/** The worker threads of the transform processor, started when first needed, and who may use them next. */
import { serviceStopping } from "../../platform/http/errors.ts";
import { availableParallelism } from "node:os";
import { FairShare } from "../../platform/fair-share.ts";
import type { Party } from "../../platform/fair-share.ts";
import type { AttemptClock } from "../processor.ts";
import { usableMemoryBytes } from "../../platform/usable-memory.ts";
import {
  CALL_BACKSTOP_MS,
  CANCEL_GRACE_MS,
  CHECK_BACKSTOP_MS,
  RELIEF_AFTER_MS,
  RELIEF_KEPT_MS,
} from "./transform-limits.ts";
import { Thread, type WorkEnd, type SandboxWork } from "./sandbox-thread.ts";

export interface ThreadPoolOptions {
  /** Default: by the processors, `threadsFor`. */
  threads?: number;
  /** A call that takes this long, or a quarter more, is ended with its thread. */
  callBackstopMs?: number;
  /** The same for a check of a definition. */
  checkBackstopMs?: number;
  /** Default: `RELIEF_KEPT_MS`. */
  reliefKeptMs?: number;
}

/** What somebody waits for at a screen (the check of a definition, the test of a job spec), or rows of a run. */
export type Urgency = "interactive" | "run";

/** Who waits at a screen has a thread apart, and never waits for runs; started when it is needed. */
const INTERACTIVE_THREADS = 1;

interface Lane {
  threads: Thread[];
  queue: FairShare<Task>;
  /** When one of its threads was given a work item last. */
  givenAt: number;
  /** While something waits, until the relief thread may take it. */
  reliefTimer: NodeJS.Timeout | undefined;
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
  /**
   * For work of an organization that has no thread, while those of others keep all of them and give none back: theirs may hang. Started when
   * it is needed.
   */
  readonly #relief = new Thread();
  readonly #reliefKeptMs: number;
  #reliefEnd: NodeJS.Timeout | undefined;
  readonly #backstopMs: Record<SandboxWork["type"], number>;
  readonly threadsOfRuns: number;
  /** Waiting or in flight. */
  readonly #tasks = new Set<Task>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.threadsOfRuns = options.threads ?? threadsFor(availableParallelism(), usableMemoryBytes());
    const callMs = options.callBackstopMs ?? CALL_BACKSTOP_MS;
    this.#backstopMs = { rows: callMs, check: options.checkBackstopMs ?? CHECK_BACKSTOP_MS };
    this.#reliefKeptMs = options.reliefKeptMs ?? RELIEF_KEPT_MS;
    const laneOf = (length: number): Lane => ({
      threads: Array.from({ length }, () => new Thread()),
      queue: new FairShare(),
      givenAt: Number.NEGATIVE_INFINITY,
      reliefTimer: undefined,
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
    const lanes = Object.values(this.#lanes);
    for (const lane of lanes) clearTimeout(lane.reliefTimer);
    clearTimeout(this.#reliefEnd);
    const threads = [...lanes.flatMap((lane) => lane.threads), this.#relief];
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
    while (!this.#isClosed) {
      const idle = lane.threads.filter((thread) => thread.isIdle);
      if (idle.length === 0 && (!this.#relief.isIdle || msToRelief(lane) > 0)) return this.#watchForRelief(lane);
      const next = lane.queue.take(idle.length);
      if (next === null) return;
      const { work } = next.task;
      const loaded = idle.find((candidate) => work.type === "rows" && candidate.holds(work.sandboxKey));
      void this.#perform(lane, loaded ?? idle[0] ?? this.#relief, next.party, next.task);
    }
  }

  /** One timer, however many tasks wait and however fast they get a thread. */
  #watchForRelief(lane: Lane): void {
    const ms = msToRelief(lane);
    if (lane.reliefTimer !== undefined || ms <= 0 || !lane.queue.hasWaiting) return;
    lane.reliefTimer = setTimeout(() => {
      lane.reliefTimer = undefined;
      this.#startWork(lane);
    }, ms).unref();
  }

  async #perform(lane: Lane, thread: Thread, party: Party, task: Task): Promise<void> {
    const startedAt = performance.now();
    task.thread = thread;
    if (thread === this.#relief) clearTimeout(this.#reliefEnd);
    else lane.givenAt = startedAt;
    const end = await thread.perform(task.work, this.#backstopMs[task.work.type], () => {
      task.hasBegun = true;
      task.begun.resolve();
    });
    clearTimeout(task.graceTimer);
    this.#tasks.delete(task);
    const hasHung = end.outcome === "died" && end.reason === "hung";
    const workedMs = performance.now() - startedAt;
    lane.queue.finish(party, workedMs, hasHung);
    task.settle.resolve({ end, workedMs });
    // Work of any lane may have waited for the relief thread.
    for (const waiting of thread === this.#relief ? Object.values(this.#lanes) : [lane]) this.#startWork(waiting);
    if (thread === this.#relief && thread.isIdle && !this.#isClosed)
      this.#reliefEnd = setTimeout(() => void thread.stop(), this.#reliefKeptMs).unref();
  }
}

/** How long it is until the lane may have the relief thread, if none of its own becomes idle. */
const msToRelief = (lane: Lane): number => lane.givenAt + RELIEF_AFTER_MS - performance.now();

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
