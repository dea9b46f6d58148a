/**
 * The time that a job spec gives a row, all attempts included. What a row waits for a slot (at the limiter of a connection,
 * for money of the budget, for a thread that computes it) is not counted: it says nothing about the row.
 */
import type { AttemptClock } from "../../processors/processor.ts";
import type { CallSlots } from "./call-slots.ts";

export interface RunningClock extends AttemptClock {
  /** Aborts when the run's signal does, or the time is up. */
  signal: AbortSignal;
  /** How long the clock stood still. */
  stoodStillMs(): number;
  stop(): void;
}

/**
 * `leftMs` undefined: there is no limit. `nothingBegins` undefined: the row was begun before, and may wait. `slots`: where it is noted that
 * the call waits for a provider.
 */
export function startClock(
  leftMs: number | undefined,
  signal: AbortSignal,
  nothingBegins: AbortSignal | undefined,
  slots?: Pick<CallSlots, "noteWait" | "notePause">,
): RunningClock {
  const call = {};
  let stoodStill = 0;
  let waiters = 0;
  let waitsSince = 0;
  let left = leftMs ?? Number.POSITIVE_INFINITY;
  let runsSince = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const time = leftMs === undefined ? undefined : new AbortController();
  const run = (): void => {
    runsSince = performance.now();
    if (time !== undefined) timer = setTimeout(() => time.abort(new Error("the row's time is up")), Math.max(1, left));
  };
  const halt = (): void => {
    clearTimeout(timer);
    left -= performance.now() - runsSince;
  };
  run();
  return {
    signal: time === undefined ? signal : AbortSignal.any([signal, time.signal]),
    ...(nothingBegins === undefined ? {} : { nothingBegins }),
    isTimeUp: () => time?.signal.aborted === true,
    stoodStillMs: () => stoodStill,
    stop: () => clearTimeout(timer),
    notePause: (ms) => slots?.notePause(call, performance.now() + ms),
    async offTheClock(wait) {
      if (waiters++ === 0) {
        halt();
        slots?.noteWait(call, true);
        waitsSince = performance.now();
      }
      try {
        return await wait();
      } finally {
        if (--waiters === 0) {
          stoodStill += performance.now() - waitsSince;
          slots?.noteWait(call, false);
          slots?.notePause(call, undefined);
          run();
        }
      }
    },
  };
}
