/**
 * `{{column}}` is short for `{{row.column}}`, and any name works: `{{Company name}}` becomes `{{row["Company name"]}}`, and `{{city}}`
 * `{{row[" city"]}}` where a header such as `name, city` has no other column of that name. A name that is no column is found here, before
 * anything is paid for.
 */
import { isExactNumber } from "../frame/exact-json.ts";
import { nearestTo } from "../frame/nearest.ts";

export interface UnknownColumn {
  name: string;
  /** The column that was probably meant. */
  nearest: string | undefined;
}

const TAG = /(\\?)\{\{\s*(.*?)\s*\}\}/gs;
const MEMBER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** `onUnknown` gets each name that is not among `columns`. */
export function completeTemplate(
  text: string,
  columns: readonly string[],
  onUnknown: (unknown: UnknownColumn) => void,
): string {
  return text.replace(TAG, (tag: string, escape: string, inner: string) => {
    if (escape !== "") return tag;
    const explicit =
      /^row\s*(?:\.\s*([\p{L}_$][\p{L}\p{N}_$-]*)|\[\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\])/u.exec(inner);
    if (explicit !== null && !columns.includes("row")) {
      const name = explicit[1] ?? (explicit[2] ?? explicit[3] ?? "").replace(/\\(.)/g, "$1");
      if (!columns.includes(name)) onUnknown({ name, nearest: nearestTo(name, columns) });
      return tag;
    }
    if (/^row\s*(\||$)/.test(inner) && !columns.includes("row")) return tag;
    if (/^connection\s*\./.test(inner) && !columns.includes("connection")) return tag;
    const column = columnAtStart(inner, columns);
    if (column === undefined) {
      const name = /^[^.[|]*/.exec(inner)?.[0].trim() ?? inner;
      onUnknown({ name, nearest: nearestTo(name, columns) });
      return tag;
    }
    return `{{row${memberOf(column.name)}${inner.slice(column.written.length)}}}`;
  });
}

/** Every string in a JSON value. */
export function completeTemplates(
  value: unknown,
  columns: readonly string[],
  onUnknown: (unknown: UnknownColumn) => void,
): unknown {
  if (typeof value === "string") return completeTemplate(value, columns, onUnknown);
  if (Array.isArray(value)) return value.map((element) => completeTemplates(element, columns, onUnknown));
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, completeTemplates(member, columns, onUnknown)]),
  );
}

export function memberOf(column: string): string {
  return MEMBER.test(column) ? `.${column}` : `[${JSON.stringify(column)}]`;
}

interface NamedColumn {
  name: string;
  /** As the tag has it. */
  written: string;
}

/** The longest column with which the tag begins, up to a member, a filter or its end: by its name, or by that without spaces around it. */
function columnAtStart(inner: string, columns: readonly string[]): NamedColumn | undefined {
  const exact = longestAtStart(
    inner,
    columns.map((name) => ({ name, written: name })),
  );
  if (exact.length > 0) return exact[0];
  const bare = longestAtStart(
    inner,
    columns.map((name) => ({ name, written: withoutSpacesAround(name) })).filter(({ written }) => written !== ""),
  );
  // Which of two is meant, nobody knows.
  return bare.length === 1 ? bare[0] : undefined;
}

/** Several where they are written in the same way. */
function longestAtStart(inner: string, columns: readonly NamedColumn[]): NamedColumn[] {
  const found = columns.filter(
    ({ written }) => inner.startsWith(written) && /^\s*($|[.[|])/.test(inner.slice(written.length)),
  );
  const longest = Math.max(...found.map(({ written }) => written.length));
  return found.filter(({ written }) => written.length === longest);
}

/** The same characters as in the Python client: the commands of both have the same keys. */
const withoutSpacesAround = (name: string): string => name.replace(/^[ \t\u00a0]+|[ \t\u00a0]+$/g, "");
