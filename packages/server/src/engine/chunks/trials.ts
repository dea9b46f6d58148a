/**
 * Trials: a row at which a worker has died is tried while its process has no other row in flight, so that another death is
 * evidence against this row. While a trial waits, or runs for up to a minute, nothing else is begun here; other processes go on. A row that takes
 * longer may be blamed for a death which one of those beside it has caused: were such deaths not counted, one that kills its worker after a
 * minute would do so for ever.
 *
 *   other rows ──a trial waits──▶ none begins ──none in flight──▶ the row is tried ──ended, or a minute──▶ other rows, as long as none began
 */
import { setTimeout as wait } from "node:timers/promises";

/**
 * Calls under way take a minute or two at most. A trial that never came about would keep its run from ending, so it then
 * takes place beside them, and a death is no evidence against it.
 */
const LONGEST_WAIT_MS = 120_000;
/** What ends its worker mostly does it within seconds. A row that has had this long goes on beside others: its call may get no response for an hour. */
const LONGEST_TRIAL_MS = 60_000;
/** Lanes that were sent away come back after a second: in less time none of them could begin. */
const LEAST_REST_MS = 1_000;

/** `isAlone`: it begins while the process has nothing else in flight. A death is evidence then. */
export type Trial<T> = (isAlone: boolean) => Promise<T>;

/** The work on a chunk, from its claim to its end. */
export interface ChunkPlace {
  /** Does it when the process has nothing else in flight, or has waited for that long enough. */
  alone<T>(trial: Trial<T>, signal: AbortSignal): Promise<T>;
  leave(): void;
}

export interface Trials {
  /** False: a row is tried, and no other one may begin. */
  mayBegin(): boolean;
  enter(): ChunkPlace;
}

/** One trial after the other, and a rest between two. */
function createTrialSlot() {
  /** The trial that waits or runs. */
  let current: Promise<void> | undefined;
  let restsUntil = 0;
  function begin(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    current = promise;
    const begunAt = performance.now();
    return () => {
      if (current !== promise) return;
      current = undefined;
      const keptMs = performance.now() - begunAt;
      restsUntil = performance.now() + (keptMs < LEAST_REST_MS ? 0 : keptMs);
      resolve();
    };
  }
  return {
    isTaken: () => current !== undefined,
    /** Waits for it. Returns what releases it. */
    async take(signal: AbortSignal): Promise<() => void> {
      for (;;) {
        const restMs = signal.aborted ? 0 : restsUntil - performance.now();
        if (current !== undefined) await current;
        else if (restMs > 0) await wait(restMs, undefined, { signal, ref: false }).catch(() => undefined);
        else return begin();
      }
    },
  };
}

function countInFlight(longestWaitMs: number) {
  let count = 0;
  let emptied = Promise.withResolvers<void>();
  return {
    enter: () => void count++,
    leave(this: void): void {
      count--;
      if (count > 0) return;
      emptied.resolve();
      emptied = Promise.withResolvers();
    },
    /** False: there are still some. */
    async untilNone(signal: AbortSignal): Promise<boolean> {
      if (count === 0) return true;
      const ending = new AbortController();
      const limit = wait(longestWaitMs, undefined, { signal: AbortSignal.any([signal, ending.signal]), ref: false });
      await Promise.race([emptied.promise, limit.catch(() => undefined)]);
      ending.abort();
      return count === 0;
    },
  };
}

export function createTrials({
  longestWaitMs = LONGEST_WAIT_MS,
  longestTrialMs = LONGEST_TRIAL_MS,
}: { longestWaitMs?: number; longestTrialMs?: number } = {}): Trials {
  const slot = createTrialSlot();
  const rows = countInFlight(longestWaitMs);
  /** `comeBack`: from then on the row counts as one in flight, beside which others may begin. */
  async function performTrial<T>(trial: Trial<T>, signal: AbortSignal, comeBack: () => void): Promise<T> {
    const endTrial = await slot.take(signal);
    let timer: NodeJS.Timeout | undefined;
    try {
      const isAlone = await rows.untilNone(signal);
      timer = setTimeout(() => {
        comeBack();
        endTrial();
      }, longestTrialMs).unref();
      return await trial(isAlone);
    } finally {
      clearTimeout(timer);
      endTrial();
    }
  }
  return {
    mayBegin: () => !slot.isTaken(),
    enter() {
      rows.enter();
      return {
        leave: rows.leave,
        async alone(trial, signal) {
          // What waits for its own trial has no row in flight, and keeps nobody from theirs.
          rows.leave();
          let isAway = true;
          const comeBack = (): void => {
            if (isAway) rows.enter();
            isAway = false;
          };
          try {
            return await performTrial(trial, signal, comeBack);
          } finally {
            comeBack();
          }
        },
      };
    },
  };
}
