/**
 * Checks values of several callers together. A message to a worker costs the main thread more than a small value costs the worker, and the
 * rows of a run end one by one, many of them in one round of the event loop.
 */
import type { Verdict } from "./schema-protocol.ts";

/** A verdict for each JSON text, undefined for one that fits. Rejects with the reason of the signal. */
export type SchemaCheck = (texts: readonly string[], signal?: AbortSignal) => Promise<(Verdict | undefined)[]>;

/** All wait for the last of them: as many as a worker checks within a moment. One caller may bring more. */
const MAX_TOGETHER_VALUES = 100;
const MAX_TOGETHER_CHARACTERS = 256 * 1024;

interface Caller {
  texts: readonly string[];
  settle: PromiseWithResolvers<(Verdict | undefined)[]>;
  /** Nobody waits for its verdicts any more. */
  leave: () => void;
}

/** `atOnce`: as many messages as there are workers. What comes while they are under way waits, and goes together. */
export function gatherChecks(check: SchemaCheck, atOnce: number): SchemaCheck {
  const gathered = new GatheredChecks(check, atOnce);
  return (texts, signal) => gathered.check(texts, signal);
}

class GatheredChecks {
  readonly #check: SchemaCheck;
  readonly #atOnce: number;
  readonly #waiting = new Set<Caller>();
  #running = 0;
  #isPlanned = false;

  constructor(check: SchemaCheck, atOnce: number) {
    this.#check = check;
    this.#atOnce = atOnce;
  }

  async check(texts: readonly string[], signal?: AbortSignal): Promise<(Verdict | undefined)[]> {
    signal?.throwIfAborted();
    const caller: Caller = {
      texts,
      settle: Promise.withResolvers<(Verdict | undefined)[]>(),
      leave: () => void this.#waiting.delete(caller),
    };
    const abandon = (): void => {
      caller.settle.reject(signal?.reason);
      caller.leave();
    };
    signal?.addEventListener("abort", abandon, { once: true });
    this.#waiting.add(caller);
    // After all that this round of the event loop has read.
    if (!this.#isPlanned) setImmediate(() => this.#begin());
    this.#isPlanned = true;
    try {
      return await caller.settle.promise;
    } finally {
      signal?.removeEventListener("abort", abandon);
    }
  }

  #begin(): void {
    this.#isPlanned = false;
    while (this.#running < this.#atOnce && this.#waiting.size > 0) {
      const share = Math.ceil(this.#waiting.size / (this.#atOnce - this.#running));
      void this.#checkTogether(this.#take(share));
    }
  }

  #take(most: number): Caller[] {
    const taken: Caller[] = [];
    let values = 0;
    let characters = 0;
    for (const caller of this.#waiting) {
      values += caller.texts.length;
      characters += caller.texts.reduce((sum, text) => sum + text.length, 0);
      const isTooMuch = values > MAX_TOGETHER_VALUES || characters > MAX_TOGETHER_CHARACTERS;
      if (taken.length >= most || (taken.length > 0 && isTooMuch)) break;
      this.#waiting.delete(caller);
      taken.push(caller);
    }
    return taken;
  }

  async #checkTogether(callers: readonly Caller[]): Promise<void> {
    this.#running += 1;
    const abort = new AbortController();
    let left = callers.length;
    for (const caller of callers)
      caller.leave = () => {
        left -= 1;
        if (left === 0) abort.abort();
      };
    try {
      const texts = callers.flatMap((caller) => caller.texts);
      const verdicts = await this.#check(texts, abort.signal);
      let from = 0;
      for (const caller of callers) {
        caller.settle.resolve(verdicts.slice(from, from + caller.texts.length));
        from += caller.texts.length;
      }
    } catch (error) {
      for (const { settle } of callers) settle.reject(error);
    } finally {
      this.#running -= 1;
      this.#begin();
    }
  }
}
