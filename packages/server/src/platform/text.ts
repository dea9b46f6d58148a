/**
 * Text as PostgreSQL and JSON accept it: without U+0000, and without half of a surrogate pair. Messages of parsers, of
 * providers and of customers' code can hold both; they pass through here before they are stored or sent.
 */
import { hasForbiddenEscape } from "./json-text.ts";

/** The beginning of the text, at most `maxCharacters` UTF-16 code units; a surrogate pair is kept whole or left out. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const isPairCut =
    isHighSurrogate(text.charCodeAt(maxCharacters - 1)) && isLowSurrogate(text.charCodeAt(maxCharacters));
  return text.slice(0, isPairCut ? maxCharacters - 1 : maxCharacters);
}

/** U+FFFD stands in place of what cannot be stored. */
export const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

/** Every text in the value, names of members included. */
export function storable<T>(value: T): T {
  return storableValue(value) as T; // texts are replaced by texts, and nothing else changes
}

/** JSON text of the value for a `jsonb` column, or for a response. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // What cannot be stored is an escape in the text, and rare: to go through every member costs more than to print it.
  return hasForbiddenEscape(text) ? JSON.stringify(storable(value)) : text;
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storableValue(member)]));
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc_00 && unit <= 0xdf_ff;
