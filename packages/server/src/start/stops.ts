/** What a start has opened so far, to be closed backwards: at the stop of the service, and where the start fails halfway. */
import type { Log } from "../platform/log.ts";

export interface Stops {
  add(stop: () => Promise<void> | undefined): void;
  /** Closes all, the last opened first. A part that fails to close is logged, and the others are closed. */
  run(): Promise<void>;
}

export function createStops(log: Log): Stops {
  const stops: (() => Promise<void> | undefined)[] = [];
  return {
    add: (stop) => void stops.push(stop),
    async run() {
      for (let last = stops.pop(); last !== undefined; last = stops.pop()) {
        try {
          await last();
        } catch (error) {
          log.error({ err: error }, "a part did not stop cleanly");
        }
      }
    },
  };
}
