/**
 * Whether all calls of a turn wait. Where they wait for a provider that has paused them (after a 429, say), nothing can be done here before the
 * pause is over, and a lane whose place others want releases its rows and leaves it until then. Rows for which something was called already
 * keep their wait, for the slot of a repair or of a fallback: what was called is known to this process only. Once no other row may begin, the
 * lane waits for them without its place.
 */
import type { Job, Wanted } from "../../platform/queue/queue.ts";
import type { CallSlots } from "../rows/call-slots.ts";
import type { DrainReason } from "../rows/run-control.ts";

/** To end the turn and to begin another one takes a second or two. */
const LEAST_PAUSE_MS = 5_000;
/** Before the run's deadline, at which the rows that have begun must be ended: a turn of the others may have to end first. */
const DEADLINE_LEAD_MS = 15_000;

/** So long before the place is left: calls that begin a moment later have no need of it. */
const LEAST_WAIT_MS = 1_000;

interface PausedCallsParts {
  slots: () => Pick<CallSlots, "pausedUntil" | "areWaiting">;
  wanted: () => Wanted;
}

export class PausedCalls {
  readonly #parts: PausedCallsParts;
  #until = Number.NEGATIVE_INFINITY;
  #waitSince: number | undefined;
  #hasLeftPlace = false;

  constructor(parts: PausedCallsParts) {
    this.#parts = parts;
  }

  /** Once they do, until the pause is over: by then the calls that wait for it have ended their wait, and there is none to ask. */
  isWaiting(leftMs: number): boolean {
    const now = performance.now();
    const paused = this.#parts.slots().pausedUntil();
    // The secret was replaced, say.
    if (paused !== undefined) this.#until = Math.min(this.#until, paused);
    const until = paused ?? Number.NEGATIVE_INFINITY;
    const isOverInTime = until - now < leftMs - DEADLINE_LEAD_MS;
    if (until - now >= LEAST_PAUSE_MS && isOverInTime && this.#parts.wanted() !== "by nobody") this.#until = until;
    return this.#until > now;
  }

  /** Where it does, no row may begin in this turn any more. */
  get hasLeftPlace(): boolean {
    return this.#hasLeftPlace;
  }

  /** Called each time that a row asks whether it may begin, and may not. Returns why not. */
  endsRows(reason: DrainReason, job: Pick<Job<unknown>, "leavePlace">): DrainReason {
    if (this.#hasLeftPlace) return reason;
    const now = performance.now();
    this.#waitSince = this.#parts.slots().areWaiting() ? (this.#waitSince ?? now) : undefined;
    if (this.#waitSince !== undefined && now - this.#waitSince >= LEAST_WAIT_MS) this.#hasLeftPlace = job.leavePlace();
    return reason;
  }

  /** For how long, in whole seconds; undefined: the lane may go on at once. */
  get seconds(): number | undefined {
    const ms = this.#until - performance.now();
    return ms > 0 ? Math.ceil(ms / 1_000) : undefined;
  }
}
