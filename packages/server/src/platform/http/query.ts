/** Query strings: `limit`, `cursor`, filters and an operation's own parameters, each parsed by its description. */
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_METADATA_FILTERS, MAX_ROW_INDEX } from "@rowmill/contract/pagination";
import type { Filter } from "@rowmill/contract/pagination";
import type { Operation } from "@rowmill/contract/operation";
import { MAX_INTEGER } from "@rowmill/contract/schemas";
import type { TSchema } from "typebox";
import { idPrefixes } from "@rowmill/contract/schemas";
import { parseId, parseRowId, sayOneOf, wrongKind } from "../ids.ts";
import { didYouMean } from "../nearest-name.ts";
import { ApiError } from "./errors.ts";
import { cutText } from "../text.ts";

export type FilterValues = Record<string, string | string[] | boolean | number | Date | Record<string, string>>;

export interface ParsedQuery {
  limit: number;
  cursor: string | undefined;
  filters: FilterValues;
  query: Record<string, unknown>;
}

/** As the contract limits the values of `metadata`. */
const MAX_METADATA_VALUE_LENGTH = 500;
/** Of a value that is refused. */
const MAX_SHOWN_LENGTH = 100;
/** Nothing here is older than the clock of computers. */
const DATE = /^(19[7-9]|[2-9]\d\d)\d-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** `search`: undefined without a query. */
export function parseQuery(o: Operation, search: URLSearchParams | undefined): ParsedQuery {
  const parsed: ParsedQuery = { limit: DEFAULT_LIMIT, cursor: undefined, filters: {}, query: {} };
  if (search === undefined) return parsed;
  const own = (o.query?.properties ?? {}) as Record<
    string,
    TSchema & { type?: unknown; minimum?: number; maximum?: number; maxLength?: number }
  >;
  const metadata: [string, string][] = [];
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const value = values[0] ?? "";
    if (values.length > 1) throw bad(name, `\`${name}\` may be given once; separate several values by commas.`);
    if (value.includes("\u0000")) throw bad(name, `\`${name}\` contains the character U+0000.`);
    const filter = o.filters !== undefined && Object.hasOwn(o.filters, name) ? o.filters[name] : undefined;
    const parameter = Object.hasOwn(own, name) ? own[name] : undefined;
    if (o.filters && name === "limit") parsed.limit = parseLimit(value);
    else if (o.filters && name === "cursor") parsed.cursor = value;
    else if (filter && filter.kind !== "metadata") parsed.filters[name] = parseFilter(name, value, filter);
    else if (o.filters?.["metadata"]?.kind === "metadata" && name.startsWith("metadata"))
      metadata.push([parseMetadataName(name), parseMetadataValue(name, value)]);
    else if (parameter) parsed.query[name] = parseOwn(name, value, parameter);
    else throw bad(name, describeUnknown(name, o, Object.keys(own)));
  }
  if (metadata.length > MAX_METADATA_FILTERS)
    throw bad("metadata", `A list can be filtered by ${MAX_METADATA_FILTERS} pairs of metadata at once.`);
  // In one order, since the cursor belongs to the filters and not to how they were written.
  if (metadata.length > 0)
    parsed.filters["metadata"] = Object.fromEntries(metadata.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return parsed;
}

function parseMetadataName(name: string): string {
  const key = /^metadata\[(.{1,40})\]$/su.exec(name)?.[1];
  if (key === undefined)
    throw bad(name, "Write the filter as `metadata[key]=value`, with a key of 1 to 40 characters.");
  return key;
}

function parseMetadataValue(name: string, value: string): string {
  if (value.length > MAX_METADATA_VALUE_LENGTH)
    throw bad(name, `A value of metadata has up to ${MAX_METADATA_VALUE_LENGTH} characters.`);
  return value;
}

const bad = (param: string, message: string): ApiError => new ApiError("invalid_parameter", message, { param });

const notOneOf = (name: string, value: string, values: readonly string[]): string =>
  `\`${name}\` takes ${values.join(", ")}; not "${cutText(value, MAX_SHOWN_LENGTH)}".${didYouMean(value, values)}`;

function describeUnknown(name: string, o: Operation, own: string[]): string {
  const known = [...Object.keys(o.filters ?? {}), ...own, ...(o.filters ? ["limit", "cursor"] : [])];
  return `There is no query parameter \`${cutText(name, MAX_SHOWN_LENGTH)}\` here.${didYouMean(name, known)} ${known.length === 0 ? "It takes none." : `There are: ${known.join(", ")}.`}`;
}

function parseLimit(value: string): number {
  const limit = Number(value);
  if (!/^\d{1,9}$/.test(value) || limit < 1 || limit > MAX_LIMIT)
    throw new ApiError("invalid_limit", `\`limit\` must be an integer from 1 to ${MAX_LIMIT}.`, { param: "limit" });
  return limit;
}

function parseFilter(
  name: string,
  value: string,
  filter: Exclude<Filter, { kind: "metadata" }>,
): string | string[] | boolean | number | Date {
  switch (filter.kind) {
    case "enum": {
      const parts = value.split(",").map((part) => part.trim());
      const unknown = parts.find((part) => !filter.values.includes(part));
      if (unknown !== undefined)
        throw bad(name, `${notOneOf(name, unknown, filter.values)} Several are separated by commas.`);
      // In one order, as those of metadata.
      return filter.values.filter((known) => parts.includes(known));
    }
    case "choice":
      if (!filter.values.includes(value)) throw bad(name, notOneOf(name, value, filter.values));
      return value;
    case "date":
      if (!DATE.test(value) || !isInCalendar(value))
        throw bad(name, `\`${name}\` must be a date such as 2026-11-20, from 1970 on.`);
      return value;
    case "id": {
      const id = filter.of === "row" ? (parseRowId(value) ? value : undefined) : parseId(filter.of, value);
      if (id === undefined)
        throw bad(
          name,
          wrongKind(value, filter.of, `\`${name}\``) ??
            `\`${name}\` is not the id of ${sayOneOf(filter.of)} (${idPrefixes[filter.of]}_…).`,
        );
      return id;
    }
    case "boolean":
      return parseBoolean(name, value);
    case "index":
      return parseInteger(name, value, 0, MAX_ROW_INDEX);
    case "timestamp":
      return parseTimestamp(name, value);
    case "text":
      if (value.length > 200) throw bad(name, `\`${name}\` may have 200 characters.`);
      return value;
  }
}

function parseBoolean(name: string, value: string): boolean {
  if (value !== "true" && value !== "false") throw bad(name, `\`${name}\` must be true or false.`);
  return value === "true";
}

function parseTimestamp(name: string, value: string): Date {
  if (isTimestamp(value)) return new Date(value);
  // In a query, a plus sign stands for a space.
  const isPlusLost = isTimestamp(value.replace(" ", "+"));
  const hint = isPlusLost ? " In a query, `+` stands for a space: write `%2B`." : "";
  throw bad(name, `\`${name}\` must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z.${hint}`);
}

/** RFC 3339, and a time that a Date and PostgreSQL can hold. */
export const isTimestamp = (text: string): boolean =>
  TIMESTAMP.test(text) && !Number.isNaN(new Date(text).getTime()) && isInCalendar(text.slice(0, 10));

/** A Date of 30 February is one of March: the day must be in the calendar. */
function isInCalendar(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** Own parameters are booleans, texts and whole numbers so far; another kind is added here when an operation needs it. */
function parseOwn(
  name: string,
  value: string,
  schema: { type?: unknown; minimum?: number; maximum?: number; maxLength?: number },
): number | boolean | string {
  if (schema.type === "boolean") return parseBoolean(name, value);
  if (schema.type === "string") {
    if (value.length > (schema.maxLength ?? 0)) throw bad(name, `\`${name}\` may have ${schema.maxLength} characters.`);
    return value;
  }
  return parseInteger(name, value, schema.minimum ?? 0, schema.maximum ?? MAX_INTEGER);
}

function parseInteger(name: string, value: string, minimum: number, maximum: number): number {
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < minimum || number > maximum)
    throw bad(name, `\`${name}\` must be an integer from ${minimum} to ${maximum}.`);
  return number;
}
