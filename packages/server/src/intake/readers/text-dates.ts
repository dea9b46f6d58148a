/** Dates and timestamps as they stand in text: which texts are one, and which of two comes first. */

/** RFC 3339 sets no end to the fraction of a second; nobody's clock needs more. */
const MAX_TIMESTAMP_CHARACTERS = 64;

const ZERO = 48;
const NINE = 57;

/** `YYYY-MM-DD`, a day that exists. Such texts sort as they stand. */
export function isDate(text: string): boolean {
  return text.length === 10 && startsWithDate(text);
}

/** A point in time: whole seconds since 1970, and the digits behind the point. */
export interface Instant {
  seconds: number;
  fraction: string;
}

/**
 * The point in time that an RFC 3339 timestamp (section 5.6; a space may stand in place of the T) names; undefined for any
 * other text. Read by hand, since it is asked of every text in a table: a regular expression takes five times as long.
 */
export function parseTimestamp(text: string): Instant | undefined {
  if (text.length < 20 || text.length > MAX_TIMESTAMP_CHARACTERS || !startsWithDate(text)) return undefined;
  if (!"Tt ".includes(text.charAt(10)) || text.charAt(13) !== ":" || text.charAt(16) !== ":") return undefined;
  const hour = readDigits(text, 11, 13);
  const minute = readDigits(text, 14, 16);
  const second = readDigits(text, 17, 19);
  const fractionEnd = text.charAt(19) === "." ? skipDigits(text, 20) : 19;
  const offset = readOffset(text, fractionEnd);
  // A leap second is written as 60.
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return undefined;
  if (fractionEnd === 20 || offset === undefined) return undefined;
  const days = dayNumber(readDigits(text, 0, 4), readDigits(text, 5, 7), readDigits(text, 8, 10));
  return {
    seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset,
    fraction: trimZeros(text, 20, fractionEnd),
  };
}

/** Negative if `a` is earlier. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Digits behind a point sort as text once trailing zeros are gone.
  return a.fraction < b.fraction ? -1 : Number(a.fraction > b.fraction);
}

function startsWithDate(text: string): boolean {
  if (text.charAt(4) !== "-" || text.charAt(7) !== "-") return false;
  return dayExists(readDigits(text, 0, 4), readDigits(text, 5, 7), readDigits(text, 8, 10));
}

/** Seconds east of UTC, from the zone at the end of the text; undefined without one. */
function readOffset(text: string, start: number): number | undefined {
  const sign = text.charAt(start);
  if (sign === "Z" || sign === "z") return text.length === start + 1 ? 0 : undefined;
  if ((sign !== "+" && sign !== "-") || text.length !== start + 6 || text.charAt(start + 3) !== ":") return undefined;
  const hours = readDigits(text, start + 1, start + 3);
  const minutes = readDigits(text, start + 4, start + 6);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** -1 unless all of them are digits. */
function readDigits(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    // Behind the end of the text it is NaN.
    if (!(code >= ZERO && code <= NINE)) return -1;
    value = value * 10 + code - ZERO;
  }
  return value;
}

function skipDigits(text: string, start: number): number {
  let index = start;
  while (text.charCodeAt(index) >= ZERO && text.charCodeAt(index) <= NINE) index++;
  return index;
}

function trimZeros(text: string, start: number, end: number): string {
  let last = end;
  while (last > start && text.charCodeAt(last - 1) === ZERO) last--;
  return last > start ? text.slice(start, last) : "";
}

function dayExists(year: number, month: number, day: number): boolean {
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeapYear ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0));
}
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so that a leap day ends one. */
function dayNumber(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const daysBeforeMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + daysBeforeMonth + day - 719_469;
}
