/** Waiting for something that the service works on. */
import { RowmillTimeoutError } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { RequestOptions } from "./types.ts";
import { Watch } from "./watch.ts";

export interface WaitOptions<T> {
  /** Called with every reading, the last included. */
  onProgress?: ((reading: T) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Longest wait in all, after which a RowmillTimeoutError is thrown; without end if absent. */
  timeoutMs?: number | undefined;
  /** Time between two readings: a second with `onProgress`. */
  pollSeconds?: number | undefined;
}

/** The default between two readings when somebody watches. */
export const WATCHED_POLL_SECONDS = 1;
/** Before the second reading; small things are done by then. The time doubles up to `pollSeconds`. */
const FIRST_POLL_MS = 100;
/** Readings of a wait are tried for about a minute: a wait of hours outlives a restart of the service. */
const MAX_RETRIES_OF_A_READING = 12;

/** Reads until `isOver`. `read` may itself wait for up to `pollSeconds`; what it leaves of them is slept. */
export async function waitUntil<T>(
  transport: Transport,
  what: string,
  read: (request: RequestOptions) => Promise<T>,
  isOver: (reading: T) => boolean,
  { onProgress, signal, timeoutMs = Infinity, pollSeconds = WATCHED_POLL_SECONDS }: WaitOptions<T>,
): Promise<T> {
  const late = (): Error => new RowmillTimeoutError(`${what} did not end within ${timeoutMs} ms`);
  const watch = new Watch(timeoutMs, signal, late);
  const maxRetries = transport.maxRetries === 0 ? 0 : Math.max(transport.maxRetries, MAX_RETRIES_OF_A_READING);
  let intervalMs = Math.min(FIRST_POLL_MS, pollSeconds * 1000);
  try {
    for (;;) {
      const startedAt = performance.now();
      const reading = await read({ signal: watch.signal, maxRetries });
      onProgress?.(reading);
      if (isOver(reading)) return reading;
      const restMs = intervalMs - (performance.now() - startedAt);
      if (restMs > 0) await transport.sleep(restMs, watch.signal);
      intervalMs = Math.min(intervalMs * 2, pollSeconds * 1000);
    }
  } finally {
    watch.close();
  }
}
