/** Dates and timestamps as they stand in text: which texts are one, and which of two comes first. */

/** RFC 3339 sets no end to the fraction of a second; nobody's clock needs more. */
const MAX_TIMESTAMP_CHARACTERS = 64;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
/** RFC 3339 section 5.6; a space may stand in place of the T. */
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** `YYYY-MM-DD`, a day that exists. Such texts sort as they stand. */
export function isDate(text: string): boolean {
  const parts = text.length === 10 ? DATE.exec(text) : null;
  return parts !== null && dayExists(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

/** A point in time: whole seconds since 1970, and the digits behind the point. */
export interface Instant {
  seconds: number;
  fraction: string;
}

/** The point in time that an RFC 3339 timestamp names; undefined for any other text. */
export function parseTimestamp(text: string): Instant | undefined {
  if (text.length < 20 || text.length > MAX_TIMESTAMP_CHARACTERS) return undefined;
  const parts = TIMESTAMP.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHours = Number(parts[9] ?? 0);
  const offsetMinutes = Number(parts[10] ?? 0);
  // A leap second is written as 60.
  const isTime = hour <= 23 && minute <= 59 && second <= 60 && offsetHours <= 23 && offsetMinutes <= 59;
  if (!isTime || !dayExists(year, month, day)) return undefined;
  const offset = (parts[8] === "-" ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
  return {
    seconds: dayNumber(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset,
    fraction: (parts[7] ?? "").replace(/0+$/, ""),
  };
}

/** Negative if `a` is earlier. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Digits behind a point sort as text once trailing zeros are gone.
  return a.fraction < b.fraction ? -1 : Number(a.fraction > b.fraction);
}

function dayExists(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= length;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar; Date.UTC takes the years 0 to 99 for 1900 to 1999. */
function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}
