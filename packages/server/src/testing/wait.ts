/** Waiting for what must come true, without guessing how long it takes. */
import { setTimeout as pause } from "node:timers/promises";

/** Long, since the machine may be busy with other work; what comes true sooner is seen sooner. Only what never does waits for it. */
const DEFAULT_TIMEOUT_MS = 240_000;
const POLL_MS = 10;
const LONGEST_POLL_MS = 200;

/**
 * Polls until `check` returns something other than undefined, null or false, and returns that. An exception of `check` (such as
 * a failed expectation) counts as not yet; the last one is thrown when time is up.
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  let pauseMs = POLL_MS;
  for (;;) {
    let lastError: unknown;
    try {
      const seen = await check();
      if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>; // narrowed just here
    } catch (error) {
      lastError = error;
    }
    if (Date.now() >= deadline) {
      throw lastError instanceof Error
        ? lastError
        : new Error(`waited in vain${options.what === undefined ? "" : ` until ${options.what}`}`);
    }
    await pause(pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_POLL_MS);
  }
}
