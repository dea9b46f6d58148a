/** Times of results, which are kept in microseconds and shown in milliseconds. */

export const millisecondsOf = (us: number): number => Math.floor(us / 1_000);

/** Rows of one commit have the same time: it is written once. */
let last = { us: Number.NaN, text: "" };

export function timeText(us: number): string {
  if (us !== last.us) last = { us, text: new Date(millisecondsOf(us)).toISOString() };
  return last.text;
}
