/** What a worker does again and again: no job is queued for it. */
import { setTimeout as sleep } from "node:timers/promises";
import { runAs } from "./current-work.ts";
import { createFailureLog } from "./log-failures.ts";
import type { Log } from "./log.ts";

/** Longest that the first run of a task waits for that of the one before: on large tables one takes minutes. */
const FIRST_RUN_WAIT_MS = 100;

export interface Periodic {
  every(pauseMs: number, name: string, task: () => Promise<void>): void;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Runs each task at once and then again after its pause. Every worker runs them: each may run in several workers at once. The first runs
 * begin one after the other: all together, they would open as many connections as there may be, each for a statement or two.
 */
export function createPeriodic(log: Log): Periodic {
  const timers = new Set<NodeJS.Timeout>();
  const inFlight = new Set<Promise<void>>();
  let isStopping = false;
  let previous: Promise<unknown> = Promise.resolve();
  const logFailure = createFailureLog(log);
  return {
    every(pauseMs, name, task) {
      const run = (): Promise<void> => {
        if (isStopping) return Promise.resolve();
        const done = runAs({ name }, task)
          .catch((error: unknown) => logFailure(error, `periodic task failed: ${name}`))
          .finally(() => {
            inFlight.delete(done);
            if (isStopping) return;
            const timer = setTimeout(() => {
              timers.delete(timer);
              void run();
            }, pauseMs);
            timers.add(timer);
          });
        inFlight.add(done);
        return done;
      };
      previous = previous.then(() => Promise.race([run(), sleep(FIRST_RUN_WAIT_MS, undefined, { ref: false })]));
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(inFlight);
    },
  };
}
