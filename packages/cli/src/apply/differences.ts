/** What a file changes about a thing: only members that the file names are compared. */
import { isObject } from "./read-spec.ts";

export interface Difference {
  /** Members with dots, such as `processor.model`. */
  path: string;
  before: unknown;
  after: unknown;
}

export function differencesOf(before: unknown, after: unknown, path = ""): Difference[] {
  if (isObject(before) && isObject(after))
    return Object.keys(after).flatMap((name) =>
      differencesOf(before[name], after[name], path === "" ? name : `${path}.${name}`),
    );
  // A member that is null and one that is not there mean the same.
  return isEqual(before ?? null, after ?? null) ? [] : [{ path, before, after }];
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isEqual(one[name] ?? null, other[name] ?? null));
  }
  return one === other || isShownPart(one, other);
}

/** Of a URL that may carry a secret, the service shows the beginning: a change behind it is not seen. */
const isShownPart = (shown: unknown, wanted: unknown): boolean =>
  typeof shown === "string" &&
  typeof wanted === "string" &&
  shown.endsWith("/…") &&
  wanted.startsWith(shown.slice(0, -1));

/** A long value is cut: the whole one stands in the file. */
const MAX_CHARACTERS = 80;

export function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}
