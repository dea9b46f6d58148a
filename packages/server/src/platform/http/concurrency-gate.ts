/** What one organization (or one key) may have under way at once in this process; more is refused with 429, and does not wait. */
import { ApiError } from "./errors.ts";

interface GateOptions {
  /** For each organization or key. */
  atOnce: number;
  /** The sentence of the refusal; `count`: what is under way. */
  refusal: (count: number) => string;
  retryAfterSeconds: number;
}

export class ConcurrencyGate {
  readonly #options: GateOptions;
  readonly #underWay = new Map<string, number>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited`. Returns what releases the place; further calls of it do nothing. */
  enter(key: string): () => void {
    const { atOnce, refusal, retryAfterSeconds } = this.#options;
    const count = this.#underWay.get(key) ?? 0;
    if (count >= atOnce) throw new ApiError("rate_limited", refusal(count), { retryAfterSeconds });
    this.#underWay.set(key, count + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(key);
      else this.#underWay.set(key, left);
    };
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = this.enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
