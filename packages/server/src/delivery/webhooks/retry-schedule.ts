/** When a delivery that failed is tried again. */

/** Seconds from the end of one attempt to the next: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
export const DEFAULT_RETRY_SCHEDULE: readonly number[] = [
  0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
];

/** More attempts than any receiver needs; each is kept with its delivery. */
const MAX_ATTEMPTS = 50;

/** A delivery older than its retention is gone, and so would be the attempt. */
const MAX_DELAY_SECONDS = 7 * 86_400;

/** Of the delay, up or down: receivers that failed together do not come back together. */
const JITTER = 0.1;

/** The longest that a receiver may put an attempt off, so that one odd header cannot park a delivery for ever. */
const MAX_RETRY_AFTER_SECONDS = 24 * 3_600;

/**
 * `0,5,300` as the seconds before the first, second, third attempt. Throws an Error that says what is wrong.
 */
export function parseRetrySchedule(text: string): readonly number[] {
  const entries = text.split(",").map((entry) => entry.trim());
  const wrong = entries.find((entry) => !/^[0-9]{1,7}$/.test(entry) || Number(entry) > MAX_DELAY_SECONDS);
  if (wrong !== undefined) {
    throw new Error(
      `A retry schedule is a list of whole seconds from 0 to ${MAX_DELAY_SECONDS}, such as 0,5,300; ${JSON.stringify(wrong)} is not one.`,
    );
  }
  if (entries.length > MAX_ATTEMPTS) {
    throw new Error(`A retry schedule has at most ${MAX_ATTEMPTS} attempts, not ${entries.length}.`);
  }
  return entries.map(Number);
}

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
