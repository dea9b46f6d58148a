/** Reads the header with which a server asks to be left alone for a while (RFC 9110, section 10.2.3). */

/** An HTTP date in the one form that is still sent. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds from `now`, at least 0; undefined where the header is missing or cannot be read. */
export function parseRetryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  if (!HTTP_DATE.test(value)) return undefined;
  const seconds = Math.ceil((Date.parse(value) - now.getTime()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
