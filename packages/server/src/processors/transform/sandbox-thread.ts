/** A slot for a worker thread: starts one when it is needed, gives it one work item at a time, and ends it when it hangs. */
import { Buffer } from "node:buffer";
import { Worker } from "node:worker_threads";
import { PASSED_BYTES, passText, takeText } from "./passed-text.ts";
import {
  BACKSTOP_CHECKS,
  SANDBOXES_PER_THREAD,
  THREAD_OLD_SPACE_MB,
  THREAD_STACK_MB,
  THREAD_START_BACKSTOP_MS,
  THREAD_YOUNG_SPACE_MB,
} from "./transform-limits.ts";
import {
  PROGRESS_BYTES,
  progressSlots,
  type ThreadReady,
  type ThreadStart,
  type SandboxResponse,
  type SandboxRequest,
} from "./sandbox-protocol.ts";

export type WorkEnd =
  | { outcome: "responded"; response: SandboxResponse<string> }
  /** The thread ended before it responded, with these rows in flight (none: before it touched one). */
  | { outcome: "died"; reason: "hung" | "memory"; firstRow: number; rowsInCall: number }
  | { outcome: "broke"; error: Error };

interface Running {
  worker: Worker;
  /** It has started. Before that, it works on nothing. */
  isReady: boolean;
  progress: Int32Array;
  /** Shared with it: the texts of the work item that it has. */
  rows: Buffer;
  outputs: Buffer;
  /** Sandboxes it has loaded, the least recently used first. The thread unloads what it is asked to. */
  sandboxKeys: Set<string>;
}

interface Work {
  begin(): void;
  end(end: WorkEnd): void;
  watch: NodeJS.Timeout;
  callNumberSeen: number;
  /** Since when it is this call, in checks: while the process is stopped, there are none, and the call does nothing either. */
  checksSinceSeen: number;
}

export interface RowsWork {
  type: "rows";
  sandboxKey: string;
  code: string;
  text: string;
  rowCount: number;
  /** So many rows, from the first, in calls of their own. */
  oneByOne: number;
  capturesLogs: boolean;
}
export type SandboxWork = RowsWork | { type: "check"; code: string };

export class Thread {
  #running: Running | null = null;
  #work: Work | null = null;
  get isIdle(): boolean {
    return this.#work === null;
  }

  /** Whether the sandbox is loaded here already. */
  holds(sandboxKey: string): boolean {
    return this.#running?.sandboxKeys.has(sandboxKey) ?? false;
  }

  /**
   * Never rejects. The thread must be idle. A call that takes `backstopMs`, or a quarter more, ends with the thread. `begin` is called when
   * the thread works on it: at once, or when it has started.
   */
  perform(work: SandboxWork, backstopMs: number, begin: () => void): Promise<WorkEnd> {
    const { promise, resolve } = Promise.withResolvers<WorkEnd>();
    const watch = setInterval(() => this.#endIfHung(backstopMs), backstopMs / BACKSTOP_CHECKS);
    this.#work = { begin, end: resolve, watch, callNumberSeen: -1, checksSinceSeen: 0 };
    try {
      const running = (this.#running ??= this.#start());
      running.worker.ref();
      Atomics.store(running.progress, progressSlots.rowsInCall, 0);
      running.worker.postMessage(work.type === "check" ? work : requestFor(running, work));
      if (running.isReady) begin();
    } catch (error) {
      // The system has no thread left to give.
      this.#endWork({ outcome: "broke", error: error instanceof Error ? error : new Error(String(error)) });
    }
    return promise;
  }

  /** Ends the worker thread at once, and with it the work item in flight; the next one starts another. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    this.#endWork(diedWith(running, "hung"));
    await running.worker.terminate();
  }

  #start(): Running {
    const [progress, rows, outputs] = [PROGRESS_BYTES, PASSED_BYTES, PASSED_BYTES].map(
      (bytes) => new SharedArrayBuffer(bytes),
    ) as [SharedArrayBuffer, SharedArrayBuffer, SharedArrayBuffer];
    const workerData: ThreadStart = { progress, rows, outputs };
    const worker = new Worker(new URL("./sandbox-worker.ts", import.meta.url), {
      workerData,
      // Nothing of the service's settings, arguments or secrets is needed there.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: THREAD_OLD_SPACE_MB,
        maxYoungGenerationSizeMb: THREAD_YOUNG_SPACE_MB,
        stackSizeMb: THREAD_STACK_MB,
      },
    });
    const running: Running = {
      worker,
      isReady: false,
      progress: new Int32Array(progress),
      rows: Buffer.from(rows),
      outputs: Buffer.from(outputs),
      sandboxKeys: new Set(),
    };
    let failure: Error | null = null;
    worker.on("message", (response: SandboxResponse | ThreadReady) => {
      if (this.#running !== running) return;
      if (response.type === "ready") {
        running.isReady = true;
        this.#work?.begin();
        return;
      }
      if (response.retires) {
        this.#running = null;
        void worker.terminate();
      }
      this.#endWork({
        outcome: "responded",
        response:
          response.type === "check" ? response : { ...response, text: takeText(running.outputs, response.text) },
      });
    });
    worker.on("error", (error: Error) => {
      failure = error;
    });
    worker.on("exit", (exitCode) => {
      if (this.#running !== running) return;
      this.#running = null;
      this.#endWork(howItDied(running, failure ?? new Error(`a transform thread ended with code ${exitCode}`)));
    });
    return running;
  }

  #endWork(end: WorkEnd): void {
    const item = this.#work;
    if (item === null) return;
    clearInterval(item.watch);
    this.#work = null;
    // An idle thread does not keep the process from ending.
    this.#running?.worker.unref();
    item.end(end);
  }

  #endIfHung(backstopMs: number): void {
    const [running, item] = [this.#running, this.#work];
    if (running === null || item === null) return;
    const callNumber = Atomics.load(running.progress, progressSlots.callNumber);
    if (callNumber !== item.callNumberSeen) {
      item.callNumberSeen = callNumber;
      item.checksSinceSeen = 0;
      return;
    }
    item.checksSinceSeen++;
    // Only the time of the customer's code counts, not that of starting a thread on a busy machine.
    const isInCall = Atomics.load(running.progress, progressSlots.rowsInCall) > 0;
    const limitMs = isInCall ? backstopMs : Math.max(backstopMs, THREAD_START_BACKSTOP_MS);
    if ((item.checksSinceSeen * backstopMs) / BACKSTOP_CHECKS >= limitMs) void this.stop();
  }
}

function requestFor(running: Running, work: RowsWork): SandboxRequest {
  const { sandboxKey, code, text, ...rest } = work;
  const isKnown = running.sandboxKeys.delete(sandboxKey);
  running.sandboxKeys.add(sandboxKey);
  const [oldest] = running.sandboxKeys;
  const forget = running.sandboxKeys.size > SANDBOXES_PER_THREAD && oldest !== undefined ? oldest : null;
  if (forget !== null) running.sandboxKeys.delete(forget);
  return { ...rest, text: passText(running.rows, text), sandboxKey, code: isKnown ? null : code, forget };
}

function howItDied(running: Running, error: Error): WorkEnd {
  const isOutOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isOutOfMemory ? diedWith(running, "memory") : { outcome: "broke", error };
}

function diedWith(running: Running, reason: "hung" | "memory"): WorkEnd {
  return {
    outcome: "died",
    reason,
    firstRow: Atomics.load(running.progress, progressSlots.firstRow),
    rowsInCall: Atomics.load(running.progress, progressSlots.rowsInCall),
  };
}
