/** Times of results, which are kept in microseconds and shown in milliseconds. */

export const millisecondsOf = (us: number): number => Math.floor(us / 1_000);

/** Rows of one commit have the same time, and often took as long: it is written once. */
let last = { us: Number.NaN, text: "" };
let lastStart = { ms: Number.NaN, text: "" };

export function timeText(us: number): string {
  if (us !== last.us) last = { us, text: new Date(millisecondsOf(us)).toISOString() };
  return last.text;
}

/** The same of the time at which a row began. */
export function startText(ms: number): string {
  if (ms !== lastStart.ms) lastStart = { ms, text: new Date(ms).toISOString() };
  return lastStart.text;
}
