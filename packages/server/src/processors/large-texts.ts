/**
 * Responses and rows of megabytes, read in processes of their own: to parse one can take seconds of the thread that serves everybody. What
 * needs more time or memory than there is for one is ended with its process, and becomes a failure of its row.
 *
 * Organizations share the processes by the time that they use, and so do the runs within each of them. Tests of job specs, for which a
 * person waits, have a process of their own. A run one of whose texts took too long has one process at a time.
 */
import { FairShare } from "../platform/fair-share.ts";
import type { Party } from "../platform/fair-share.ts";
import { workersClosed } from "../platform/http/errors.ts";
import { hasMoreValuesThan } from "../platform/json-text.ts";
import { ProcessNotStartedError } from "../platform/process-not-started.ts";
import { WorkerProcess } from "../platform/worker-process.ts";
import type { WorkEnd } from "../platform/worker-process.ts";
import type { LargeTextRequest, LargeTextTask, LargeTextTasks } from "./large-text-protocol.ts";
import type { RowFailure, RunContext } from "./processor.ts";

/** A response of this size is read within some milliseconds, at worst 25; a message to a process and back takes one. */
export const LARGE_TEXT_CHARACTERS = 64 * 1024;

/** Parsed with all their digits, so many values take some 30 milliseconds, whatever the text is made of. */
export const MANY_VALUES = 20_000;

/** The largest text takes a few seconds of a processor; a busy machine gives it less than one. */
const LIMIT_MS = 20_000;
const MAX_STRETCH = 6;
/** Eight megabytes of numbers, each kept with its digits, take half of it. */
const MAX_HEAP_MEGABYTES = 1_024;
const RUN_PROCESSES = 2;

/** For texts of rows, most of which are documents: whether parsing this one belongs into a process. */
export const hasManyValues = (text: string): boolean =>
  text.length > LARGE_TEXT_CHARACTERS && hasMoreValuesThan(text, MANY_VALUES);

/** What was to be read takes too long or too much memory. The message goes on with what to do. */
export class LargeTextError extends Error {}

/** The row's failure where a response was received, and no process could be started to read or check it: it was paid for, and counts. */
export function failureOfReader(error: unknown): RowFailure {
  if (!(error instanceof ProcessNotStartedError)) throw error;
  return {
    code: "internal_error",
    message: "The response could not be read: no process could be started for it.",
  };
}

export type LargeTextUser = Pick<RunContext, "organizationId" | "runId" | "isInteractive">;

export interface LargeTexts {
  /** Rejects with a `LargeTextError`, with the reason of the signal, and when the service stops. */
  perform<T extends LargeTextTask>(
    user: LargeTextUser,
    request: { task: T } & LargeTextTasks[T]["request"],
    signal?: AbortSignal,
  ): Promise<LargeTextTasks[T]["result"]>;
  close(): Promise<void>;
}

/** `limits` are those of tests. */
export function createLargeTexts(limits: { maxHeapMegabytes?: number; limitMs?: number } = {}): LargeTexts {
  const { maxHeapMegabytes = MAX_HEAP_MEGABYTES, limitMs = LIMIT_MS } = limits;
  const run = new Pool(RUN_PROCESSES, maxHeapMegabytes, limitMs);
  const interactive = new Pool(1, maxHeapMegabytes, limitMs);
  return {
    async perform(user, request, signal) {
      const pool = user.isInteractive === true ? interactive : run;
      const party = { organizationId: user.organizationId, ownerId: user.runId };
      // The process gives the result that belongs to the task.
      return (await pool.perform(party, request as LargeTextRequest, signal)) as never;
    },
    close: async () => void (await Promise.all([run.close(), interactive.close()])),
  };
}

interface Task {
  request: LargeTextRequest;
  settle: PromiseWithResolvers<unknown>;
}

type Worker = WorkerProcess<LargeTextRequest, { result: unknown }>;

class Pool {
  readonly #queue = new FairShare<Task>();
  readonly #workers: Worker[];
  readonly #idle: Worker[];
  readonly #limitMs: number;

  constructor(processes: number, maxHeapMegabytes: number, limitMs: number) {
    this.#limitMs = limitMs;
    this.#workers = Array.from(
      { length: processes },
      () =>
        new WorkerProcess({
          script: new URL("./large-text-worker.ts", import.meta.url),
          maxHeapMegabytes,
          maxStretch: MAX_STRETCH,
          closedError: workersClosed,
        }),
    );
    this.#idle = this.#workers.toReversed();
  }

  async perform(party: Party, request: LargeTextRequest, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const task: Task = { request, settle: Promise.withResolvers() };
    const abandon = (): void => {
      this.#queue.remove(party, task);
      task.settle.reject(signal?.reason);
    };
    signal?.addEventListener("abort", abandon, { once: true });
    this.#queue.add(party, task);
    this.#startWork();
    try {
      return await task.settle.promise;
    } finally {
      signal?.removeEventListener("abort", abandon);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #startWork(): void {
    for (;;) {
      const worker = this.#idle.at(-1);
      const taken = worker === undefined ? null : this.#queue.take();
      if (worker === undefined || taken === null) return;
      this.#idle.pop();
      void this.#work(worker, taken.party, taken.task);
    }
  }

  async #work(worker: Worker, party: Party, { request, settle }: Task): Promise<void> {
    const startedAt = performance.now();
    let hasHung = false;
    try {
      const end = await worker.perform(request, this.#limitMs);
      hasHung = end.outcome === "ended" && end.reason === "time";
      settle.resolve(resultOf(end));
    } catch (error) {
      settle.reject(error);
    }
    this.#queue.finish(party, performance.now() - startedAt, hasHung);
    this.#idle.push(worker);
    this.#startWork();
  }
}

function resultOf(end: WorkEnd<{ result: unknown }>): unknown {
  if (end.outcome === "responded") return end.response.result;
  if (end.outcome === "broke") throw new LargeTextError("ended the process that was to read it", { cause: end.error });
  throw new LargeTextError(end.reason === "memory" ? "takes too much memory to read" : "takes too long to read");
}
