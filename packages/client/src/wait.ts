/** Waiting for something that the service works on. */
import { RowmillApiError, RowmillTimeoutError } from "./errors.ts";
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
/**
 * A wait of hours outlives a restart of the service: the pauses between so many attempts, of which half is random, come to a minute at
 * least, but for one wait in a hundred.
 */
const MAX_RETRIES_OF_A_READING = 24;

/** The longest a request waits for an end. */
const MAX_WAIT_SECONDS = 30;
/** What a reading that waits may take beyond its wait. */
const READING_MARGIN_MS = 15_000;

/** How long each request of a wait waits in the service, in whole seconds. */
export const waitSecondsOf = (pollSeconds: number): number => Math.floor(Math.min(pollSeconds, MAX_WAIT_SECONDS));

/** A request that waits in the service for up to `waitSeconds`; with 0 it does not. */
export function waitingRequest<R extends RequestOptions>(
  transport: Transport,
  waitSeconds: number,
  request: R,
): R & { query: { waitSeconds: number | undefined } } {
  if (waitSeconds <= 0) return { ...request, query: { waitSeconds: undefined } };
  const timeoutMs = Math.max(request.timeoutMs ?? transport.timeoutMs, waitSeconds * 1000 + READING_MARGIN_MS);
  return { ...request, timeoutMs, query: { waitSeconds } };
}

/** `get` with a wait in the service; without one where the service is of a version in which this request cannot wait. */
export function waitingReader<T>(
  pollSeconds: number | undefined,
  get: (request: RequestOptions & { waitSeconds?: number }) => Promise<T>,
): (request: RequestOptions) => Promise<T> {
  let waitSeconds = waitSecondsOf(pollSeconds ?? WATCHED_POLL_SECONDS);
  return async (request) => {
    try {
      return await get({ ...request, waitSeconds });
    } catch (error) {
      const isUnknown = error instanceof RowmillApiError && error.status === 400 && error.param === "waitSeconds";
      if (!isUnknown || waitSeconds === 0) throw error;
      waitSeconds = 0;
      return get(request);
    }
  };
}

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
      // Also where nothing is left: the caller's `sleep` may end the wait.
      await transport.sleep(Math.max(0, restMs), watch.signal);
      intervalMs = Math.min(intervalMs * 2, pollSeconds * 1000);
    }
  } finally {
    watch.close();
  }
}
