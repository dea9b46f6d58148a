/** Waits, or ends the wait early when the signal aborts; the caller looks at the signal. */
import { setTimeout as wait } from "node:timers/promises";

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(Math.max(0, ms), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
