import { pause } from "./pause.ts";

/** Waits until all have ended, or the time is over. Throws what one of them throws meanwhile. */
export async function settledWithin(ms: number, work: Iterable<Promise<void>>): Promise<void> {
  const timeUp = new AbortController();
  try {
    await Promise.race([Promise.all(work), pause(ms, timeUp.signal)]);
  } finally {
    timeUp.abort();
  }
}
