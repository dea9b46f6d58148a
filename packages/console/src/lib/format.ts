/** Numbers, money, times and values as people read them. */
import { serviceNow } from "./clock.ts";
import { isObject } from "./exact-numbers.ts";

const whole = new Intl.NumberFormat("en");
const oneDecimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const threeDigits = new Intl.NumberFormat("en", {
  maximumFractionDigits: 1,
  maximumSignificantDigits: 3,
  roundingPriority: "morePrecision",
});
const scientific = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 3 });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const count = (value: number): string => whole.format(value);
export const shortCount = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value));
/** At a glance: `0.0123`, `12.3`, `1,234.6`. What has too many zeros for that has an exponent. */
export const decimal = (value: number): string =>
  value !== 0 && (Math.abs(value) < SMALLEST_PLAIN || Math.abs(value) >= LARGEST_PLAIN)
    ? scientific.format(value)
    : Number.isInteger(value)
      ? whole.format(value)
      : threeDigits.format(value);
const SMALLEST_PLAIN = 1e-4;
/** Doubles have no more digits than that. */
const LARGEST_PLAIN = 1e15;
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
/** As people count rows, and as `rowmill` does: the first one is 1. Addresses of screens and the API count from 0. */
export const rowNumber = (index: number): string => count(index + 1);
export const percent = (value: number): string =>
  value > 0 && value < 0.1 ? "<0.1%" : value < 100 && value > 99.9 ? "99.9%" : `${oneDecimal.format(value)}%`;

/** Small sums keep the digits that matter: $0.00042 is not $0.00. */
export function usd(text: string | null | undefined): string {
  if (text === null || text === undefined) return "unknown";
  const value = Number(text);
  if (value === 0) return "$0";
  // Not by `toPrecision`, which writes the cost of one short call with an exponent.
  if (value < 0.01) return `$${value.toFixed(1 - Math.floor(Math.log10(value))).replace(/0+$/, "")}`;
  if (value < 10_000) return `$${value.toFixed(2)}`;
  return `$${whole.format(Math.round(value))}`;
}

/** As somebody writes it: without the zeros at its end. */
export const shortDecimal = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

const UNITS = ["B", "kB", "MB", "GB", "TB"];
export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${oneDecimal.format(value / 1000 ** power)} ${UNITS[power]}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? oneDecimal.format(seconds) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${minutes < 10 && seconds % 60 >= 1 ? ` ${Math.floor(seconds % 60)} s` : ""}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ""}`;
  return `${Math.floor(hours / 24)} days`;
}

export const exactTime = (text: string): string => dateAndTime.format(new Date(text));

/** From so many seconds on: how long one is, and what it is called. */
const SPANS: [from: number, seconds: number, unit: string][] = [
  [730 * 86_400, 31_557_600, "years"],
  [60 * 86_400, 2_629_800, "months"],
  [2 * 86_400, 86_400, "days"],
  [3_600, 3_600, "h"],
  [60, 60, "min"],
  [0, 1, "s"],
];
/** In the units of durations: `5 min ago`, `in 3 days`. What is past is not made older than it is. */
export function ago(text: string, now = serviceNow()): string {
  const seconds = (new Date(text).getTime() - now) / 1000;
  const distance = Math.abs(seconds);
  const [, length, unit] = SPANS.find(([from]) => distance >= from) ?? [0, 1, "s"];
  if (distance < 5) return "now";
  return seconds < 0 ? `${Math.floor(distance / length)} ${unit} ago` : `in ${Math.round(distance / length)} ${unit}`;
}

export const MINUTE_MS = 60_000;
/** A minute as `datetime-local` has it, in the time of the browser. */
export const localMinute = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, "2026-11-26T07:30".length);

/** `provider_rate_limited` → `Provider rate limited`. */
export const phrase = (code: string): string =>
  code.replaceAll("_", " ").replace(/\b(csv|http|id|json|tsv|url|utf)\b/g, (name) => name.toUpperCase());
/** At the beginning of a line. */
export const words = (code: string): string => {
  const text = phrase(code);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A sentence of the API without the marks of code. */
export const plain = (sentence: string): string => sentence.replaceAll("`", "");

/**
 * Characters that a person cannot see, or that turn the direction of text around: each is shown by its code. Joiners between the letters
 * of a script that needs them, such as Persian and Hindi, and within an emoji change what is seen, and stay.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<=^|[\p{Cc}\p{Cf}\p{P}\p{Z}\p{N}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d]/gu;
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** What a cell shows; a person who needs the whole value opens or copies it. */
const CELL_CHARACTERS = 160;
export function preview(value: unknown, limit = CELL_CHARACTERS): string {
  const text =
    typeof value === "string" ? value.slice(0, limit + 1) : textOf(shallow(value, limit)).slice(0, limit + 1);
  const oneLine = visible(text).replace(/\s*\n\s*/g, " ↵ ");
  // No half of a character that is two in a string.
  return text.length > limit ? `${oneLine.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…` : oneLine;
}

/** The value with its long texts and lists cut, so that a value of megabytes costs no more than what is shown of it. */
function shallow(value: unknown, limit: number): unknown {
  if (typeof value === "string") return value.slice(0, limit);
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => shallow(item, limit));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 20)
      .map(([name, item]) => [name, shallow(item, limit)]),
  );
}

export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : (JSON.stringify(value) ?? "");
export const prettyJson = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
