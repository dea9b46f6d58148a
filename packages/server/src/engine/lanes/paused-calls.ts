/**
 * Whether all calls of a turn wait for a provider that has paused them (after a 429, say). Then nothing can be done here before the pause is over,
 * and a lane whose place others want leaves it until then.
 */
import type { Wanted } from "../../platform/queue/queue.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import type { CallSlots } from "../rows/call-slots.ts";

/** To end the turn and to begin another one takes a second or two. */
const LEAST_PAUSE_MS = 5_000;
/** Before the run's deadline, at which the rows that have begun must be ended: a turn of the others may have to end first. */
const DEADLINE_LEAD_MS = 15_000;

interface PausedCallsParts {
  slots: () => Pick<CallSlots, "pausedUntil">;
  wanted: () => Wanted;
}

export class PausedCalls {
  readonly #parts: PausedCallsParts;
  #until = 0;

  constructor(parts: PausedCallsParts) {
    this.#parts = parts;
  }

  /** Once they do, until the pause is over: by then the calls that wait for it have ended their wait, and there is none to ask. */
  isWaiting({ deadlineAt }: Pick<RunRecord, "deadlineAt">): boolean {
    const now = Date.now();
    const paused = this.#parts.slots().pausedUntil();
    // The secret was replaced, say.
    if (paused !== undefined) this.#until = Math.min(this.#until, paused);
    const until = paused ?? 0;
    const isOverInTime = deadlineAt === null || until < deadlineAt.getTime() - DEADLINE_LEAD_MS;
    if (until - now >= LEAST_PAUSE_MS && isOverInTime && this.#parts.wanted() !== "by nobody") this.#until = until;
    return this.#until > now;
  }

  /** For how long, in whole seconds; undefined: the lane may go on at once. */
  get seconds(): number | undefined {
    const ms = this.#until - Date.now();
    return ms > 0 ? Math.ceil(ms / 1_000) : undefined;
  }
}
