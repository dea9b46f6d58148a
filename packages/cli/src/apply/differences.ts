/** What a file changes about a thing: only members that the file names are compared. */
import { isExactNumber } from "../frame/exact-json.ts";
import { isObject } from "./read-spec.ts";

export interface Difference {
  /** Members with dots, such as `processor.model`. */
  path: string;
  before: unknown;
  after: unknown;
}

/** Of endpoints and of alert rules. */
const RECEIVER_URLS: ReadonlySet<string> = new Set(["url", "destination.url"]);

export function differencesOf(before: unknown, after: unknown, path = ""): Difference[] {
  if (isExactNumber(before) || isExactNumber(after))
    return formatValue(before) === formatValue(after) ? [] : [{ path, before, after }];
  // What is not there yet is shown member by member, too: below a name stands what a person looks for.
  if (isObject(after) && (isObject(before) || (before === undefined && Object.keys(after).length > 0)))
    return Object.keys(after).flatMap((name) =>
      differencesOf(before?.[name], after[name], path === "" ? name : `${path}.${name}`),
    );
  // A member that is null and one that is not there mean the same.
  if (isEqual(before ?? null, after ?? null)) return [];
  // Differences are printed, also into logs of CI: what the service hides stays hidden.
  return [{ path, before, after: RECEIVER_URLS.has(path) && typeof after === "string" ? hiddenUrl(after) : after }];
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

/** Of a URL that may carry a secret, the service shows the origin and the end: a change between them is not seen. */
const isShownPart = (shown: unknown, wanted: unknown): boolean =>
  typeof shown === "string" && shown.includes(HIDDEN) && typeof wanted === "string" && hiddenUrl(wanted) === shown;

const HIDDEN = "/…";

/** As the service shows it: `https://hooks.example.com/…/abcd`. */
const SHOWN_CHARACTERS = 4;
/** Of a shorter path and query the service shows nothing. */
const MIN_CHARACTERS = 8;

function hiddenUrl(text: string): string {
  // The service refuses it, and the person reads it in the file.
  if (!URL.canParse(text)) return HIDDEN;
  const { origin, pathname, search } = new URL(text);
  const secret = pathname.slice(1) + search;
  if (secret === "") return `${origin}/`;
  return `${origin}${HIDDEN}${secret.length < MIN_CHARACTERS ? "" : `/${secret.slice(-SHOWN_CHARACTERS)}`}`;
}

/** A long value is cut: the whole one stands in the file. */
const MAX_CHARACTERS = 80;

export function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}
