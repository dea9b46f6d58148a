/** The settings that list when a failed delivery is tried again. */

/** More attempts than any receiver needs; each is kept with its delivery. */
const MAX_ATTEMPTS = 50;

/** A delivery older than its retention is gone, and so would be the attempt. */
const MAX_DELAY_SECONDS = 7 * 86_400;

/**
 * `0,5,300` as the seconds before the first, second, third attempt. Throws an Error that says what it must be.
 */
export function parseRetrySchedule(text: string): readonly number[] {
  const entries = text.split(",").map((entry) => entry.trim());
  const wrong = entries.find((entry) => !/^[0-9]{1,7}$/.test(entry) || Number(entry) > MAX_DELAY_SECONDS);
  if (wrong !== undefined) {
    throw new Error(
      `must be whole seconds from 0 to ${MAX_DELAY_SECONDS}, such as 0,5,300, not ${JSON.stringify(wrong)}`,
    );
  }
  if (entries.length > MAX_ATTEMPTS) {
    throw new Error(`must be at most ${MAX_ATTEMPTS} attempts, not ${entries.length}`);
  }
  return entries.map(Number);
}
