/** How often a server was lost of late, and whether it still makes sense to take it back. */

/**
 * Failed starts are repeated for this long: in it a full disk may have room again, and memory be free. What lasts longer needs a person,
 * who is notified by the end of the process. The recovery of a server that has started is not a failure, and has its own time.
 */
export const TAKE_BACK_MS = 120_000;

/** A server that was ours for this long works: what comes later is another trouble. */
export const STEADY_MS = 60_000;

/** Fewer in a row may be chance, also where each recovery takes minutes. */
export const MANY_LOSSES = 5;

export class Losses {
  /** Milliseconds of a clock that never goes back. */
  readonly #now: () => number;
  #ownedAt: number;
  #firstLostAt = 0;
  #lostAt = 0;
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#ownedAt = now();
  }

  owned(): void {
    this.#ownedAt = this.#now();
  }

  lost(): void {
    this.#lostAt = this.#now();
    if (this.#count > 0 && this.#lostAt - this.#ownedAt < STEADY_MS) {
      this.#count += 1;
      return;
    }
    this.#firstLostAt = this.#lostAt;
    this.#count = 1;
  }

  /** In a row, without a steady time in between. */
  get count(): number {
    return this.#count;
  }

  /** Since the first of these losses. */
  get elapsedMs(): number {
    return this.#now() - this.#firstLostAt;
  }

  /** The server comes back, and is lost again and again. */
  get areEndless(): boolean {
    return this.#count >= MANY_LOSSES && this.elapsedMs > TAKE_BACK_MS;
  }

  /** The server does not come back. */
  get isOver(): boolean {
    return this.areEndless || this.#now() - this.#lostAt > TAKE_BACK_MS;
  }
}
