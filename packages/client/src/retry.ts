/** When a request is sent again, and when. Pure: the transport does the sending and the waiting. */
import { RowmillApiError, RowmillConnectionError, RowmillTimeoutError } from "./errors.ts";

/** Before the first repetition, at most; a hiccup is over by then. */
const INITIAL_DELAY_MS = 500;
/** The longest wait between two attempts unless the service asks for more; a service that restarts is back by then. */
const MAX_DELAY_MS = 8_000;
/** A longer `Retry-After` is the caller's decision, not a silent sleep: the error is thrown at once. */
const MAX_RETRY_AFTER_MS = 120_000;
/**
 * - `yes`: doing it twice is as good as once (reads, PUT, DELETE, and POST with its idempotency key).
 * - `if_refused`: only when it was not done: the service responds so, or nothing listens at its address (PATCH).
 * - `no`: its body can be read only once.
 */
export type Repeatable = "yes" | "if_refused" | "no";

export function isWorthRepeating(error: unknown, repeatable: Repeatable): boolean {
  if (repeatable === "no") return false;
  if (error instanceof RowmillApiError && (error.status === 429 || error.status === 503)) return true;
  if (repeatable === "if_refused") return error instanceof RowmillConnectionError && error.isUnsent;
  return isAmbiguous(error) || (error instanceof RowmillApiError && error.code === "idempotency_in_progress");
}

/** Whether the service may have done what was asked although no successful response came. */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof RowmillConnectionError || error instanceof RowmillTimeoutError) return true;
  return error instanceof RowmillApiError && [408, 500, 502, 503, 504].includes(error.status);
}

/** Exponential, of which half is random: with all of it, an outage of seconds could outlast all attempts. `attempt` counts from 0. */
export const backoffMs = (attempt: number, random: number): number => ((1 + random) / 2) * longestDelayMs(attempt);

const longestDelayMs = (attempt: number): number => Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** attempt);

/** The backoff, or what `Retry-After` says; undefined when that is too long to wait for. */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number | undefined {
  if (retryAfterMs === undefined) return backoffMs(attempt, random);
  // All calls that were refused get the same moment: they are spread, and further after each refusal.
  return retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : retryAfterMs + random * longestDelayMs(attempt);
}

/** `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. Undefined when absent or neither. */
export function parseRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
