/** Threads that encode files of exports. One that has ended its file waits for the next: a start takes a tenth of a second. */
import { Worker } from "node:worker_threads";
import { childConditions } from "../../../platform/program-files.ts";

/** A thread that waits keeps some thirty megabytes. */
const IDLE_MS = 60_000;
/** More are rarely needed at once. */
const MOST_IDLE = 2;

export class EncodeThreads {
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  /** The caller has it alone, until it releases or ends it. */
  take(): Worker {
    const [worker] = this.#idle.keys();
    if (worker === undefined) return this.#start();
    this.#forget(worker);
    worker.ref();
    return worker;
  }

  /** A thread that has nothing left to do. */
  release(worker: Worker): void {
    if (this.#idle.size >= MOST_IDLE) {
      void worker.terminate();
      return;
    }
    // It does not keep the process from ending.
    worker.unref();
    const end = (): void => {
      this.#forget(worker);
      void worker.terminate();
    };
    this.#idle.set(worker, setTimeout(end, IDLE_MS).unref());
  }

  #start(): Worker {
    const worker = new Worker(new URL("./encode-thread.ts", import.meta.url), {
      // Nothing of the service's settings, arguments or secrets is needed there.
      env: {},
      argv: [],
      execArgv: [...childConditions],
    });
    // Its errors reach who uses it; one that waits is forgotten.
    worker.on("error", () => this.#forget(worker));
    worker.once("exit", () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
  }
}
