/**
 * Trials: a row at which a worker has died is tried while its process has no other row in flight, so that another death is
 * evidence against this row alone. While a trial waits or runs, nothing else is begun here; other processes go on.
 */
import { setTimeout as wait } from "node:timers/promises";

/**
 * Calls under way take a minute or two at most. A trial that never came about would keep its run from ending, so it then
 * takes place beside them.
 */
const LONGEST_WAIT_MS = 120_000;

/** The work on a chunk, from its claim to its end. */
export interface ChunkPlace {
  /** Does it when the process has nothing else in flight. */
  alone<T>(trial: () => Promise<T>, signal: AbortSignal): Promise<T>;
  leave(): void;
}

export interface Trials {
  /** False: a row is tried, and no other one may begin. */
  mayBegin(): boolean;
  enter(): ChunkPlace;
}

export function createTrials(longestWaitMs = LONGEST_WAIT_MS): Trials {
  let inFlight = 0;
  /** The trial that waits or runs. */
  let current: Promise<void> | undefined;
  /** Waits for its trial, and begins it. Returns what ends it. */
  async function beginTrial(): Promise<() => void> {
    for (;;) {
      if (current === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        current = promise;
        return () => {
          current = undefined;
          resolve();
        };
      }
      await current;
    }
  }
  let emptied = Promise.withResolvers<void>();
  const leave = (): void => {
    inFlight--;
    if (inFlight > 0) return;
    emptied.resolve();
    emptied = Promise.withResolvers();
  };
  async function waitUntilEmpty(signal: AbortSignal): Promise<void> {
    if (inFlight === 0) return;
    const ending = new AbortController();
    const limit = wait(longestWaitMs, undefined, { signal: AbortSignal.any([signal, ending.signal]), ref: false });
    await Promise.race([emptied.promise, limit.catch(() => undefined)]);
    ending.abort();
  }
  return {
    mayBegin: () => current === undefined,
    enter() {
      inFlight++;
      return {
        leave,
        async alone(trial, signal) {
          // What waits for its own trial has no row in flight, and keeps nobody from theirs.
          leave();
          try {
            const endTrial = await beginTrial();
            try {
              await waitUntilEmpty(signal);
              return await trial();
            } finally {
              endTrial();
            }
          } finally {
            inFlight++;
          }
        },
      };
    },
  };
}
