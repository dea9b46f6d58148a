/**
 * Holds a run at so many rows a second, whatever else the machine does: the rows in flight are raised where it is slower and lowered
 * where it is faster. The rate is that of the service, read from the run, and not what was asked for.
 */
import type { Rowmill } from "@rowmill/client";

export const PACE_DELAY_MS = 200;
const LOOK_EVERY_MS = 5_000;
/** The most that a run may have in flight. */
const MAX_IN_FLIGHT = 1_000;
/** One step changes it by so much at most: the rate follows with a delay. */
const MAX_STEP = 1.5;

export interface Pace {
  /** Rows that have ended so far. */
  ended(): Promise<number>;
  stop(): Promise<void>;
}

export function holdPace(rowmill: Rowmill, runId: string, rowsPerSecond: number): Pace {
  const stopping = new AbortController();
  const read = async (): Promise<number> => {
    const { rows } = await rowmill.runs.get(runId);
    return rows.succeeded + rows.failed;
  };
  async function steer(): Promise<void> {
    let inFlight = startingConcurrency(rowsPerSecond);
    let before = { at: performance.now(), ended: await read() };
    for (;;) {
      await pause(LOOK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      const now = { at: performance.now(), ended: await read() };
      const rate = ((now.ended - before.ended) / (now.at - before.at)) * 1_000;
      before = now;
      const factor = Math.min(MAX_STEP, Math.max(1 / MAX_STEP, rowsPerSecond / Math.max(1, rate)));
      const next = Math.min(MAX_IN_FLIGHT, Math.max(1, Math.round(inFlight * factor)));
      if (next === inFlight) continue;
      inFlight = next;
      await rowmill.runs.update(runId, { concurrency: inFlight });
    }
  }
  const steering = steer();
  return {
    ended: read,
    async stop() {
      stopping.abort();
      await steering;
    },
  };
}

/** As many as end at this rate where a row takes its delay and nothing else. */
export const startingConcurrency = (rowsPerSecond: number): number =>
  Math.min(MAX_IN_FLIGHT, Math.ceil((rowsPerSecond * PACE_DELAY_MS) / 1_000));

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
