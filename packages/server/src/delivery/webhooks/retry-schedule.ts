/** When a delivery that failed is tried again. */

/** Seconds from the end of one attempt to the next: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
export const DEFAULT_RETRY_SCHEDULE: readonly number[] = [
  0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
];

/** Of the delay, up or down: receivers that failed together do not come back together. */
const JITTER = 0.1;

/** The longest that a receiver may put an attempt off, so that one odd header cannot park a delivery for ever. */
const MAX_RETRY_AFTER_SECONDS = 24 * 3_600;

export interface FailedAttempt {
  schedule: readonly number[];
  /** Attempts so far; 0 for a delivery that is new. */
  attemptsMade: number;
  /** What the receiver asked for; it may lengthen the delay, never shorten it. */
  retryAfterSeconds?: number | undefined;
  /** From 0 to 1, as of Math.random(). */
  random: number;
}

/**
 * Milliseconds from the end of the attempt to the next; undefined where the schedule has no further one. Not a time: the clock of the
 * database decides what is due, and that of this process may be wrong.
 */
export function nextDelayMs(attempt: FailedAttempt): number | undefined {
  const delaySeconds = attempt.schedule[attempt.attemptsMade];
  if (delaySeconds === undefined) return undefined;
  const jittered = delaySeconds * (1 + JITTER * (2 * attempt.random - 1));
  const asked = Math.min(attempt.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
  return Math.round(Math.max(jittered, asked) * 1_000);
}
