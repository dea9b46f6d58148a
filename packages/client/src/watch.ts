import { RowmillTimeoutError } from "./errors.ts";

/**
 * The end of one piece of work: by the caller's signal, or because nothing has happened for `timeoutMs`. Its own signal is
 * what the work obeys. Close it when the work is over: it holds a timer and a listener.
 */
export class Watch {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onOuterAbort = (): void => this.#controller.abort(this.#outer?.reason);
  readonly #late: () => Error;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, outer: AbortSignal | undefined, late?: () => Error) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#late = late ?? (() => new RowmillTimeoutError(`nothing came from the service for ${timeoutMs} ms`));
    if (outer?.aborted === true) this.#onOuterAbort();
    else outer?.addEventListener("abort", this.#onOuterAbort, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something happened: the time counts from the beginning. */
  restart(): void {
    this.pause();
    if (this.#timeoutMs === Infinity || this.signal.aborted) return;
    this.#timer = setTimeout(() => this.#controller.abort(this.#late()), Math.min(this.#timeoutMs, MAX_TIMER_MS));
  }

  /** What we wait for now is not the service. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Closes, and ends whatever still goes on. */
  cut(): void {
    this.close();
    this.#controller.abort(new DOMException("the request is over", "AbortError"));
  }

  close(): void {
    this.pause();
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
  }
}

/** A longer timer fires at once, in Node and in browsers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits, or throws the signal's reason. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      // The reason is whatever the caller aborted with; it is theirs to recognize.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
