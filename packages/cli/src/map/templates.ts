/**
 * `{{column}}` is short for `{{row.column}}`, and any name works: `{{Company name}}` becomes `{{row["Company name"]}}`. A name that
 * is no column is found here, before anything is paid for.
 */
export interface UnknownColumn {
  name: string;
  /** The column that was probably meant. */
  nearest: string | undefined;
}

const TAG = /(\\?)\{\{\s*(.*?)\s*\}\}/gs;
const MEMBER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
/** A name may differ by a third of its letters from the one that was meant. */
const NEAR_PART = 3;

/** `onUnknown` is told each name that is not among `columns`. */
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
    return `{{row${memberOf(column)}${inner.slice(column.length)}}}`;
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
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, completeTemplates(member, columns, onUnknown)]),
  );
}

export function memberOf(column: string): string {
  return MEMBER.test(column) ? `.${column}` : `[${JSON.stringify(column)}]`;
}

/** The longest column with which the tag begins, up to a member, a filter or its end. */
function columnAtStart(inner: string, columns: readonly string[]): string | undefined {
  return columns
    .filter((column) => inner.startsWith(column) && /^\s*($|[.[|])/.test(inner.slice(column.length)))
    .toSorted((one, other) => other.length - one.length)[0];
}

export function nearestTo(name: string, names: readonly string[]): string | undefined {
  const same = names.find((other) => other.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return same;
  const [best] = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= Math.max(name.length, other.length) / NEAR_PART)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.other;
}

/** Levenshtein's, in one line of memory. */
function editDistance(from: string, to: string): number {
  let line = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, character] of Array.from(from).entries()) {
    const next = [row + 1];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (line[at - 1] ?? 0) + (to[at - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (line[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    line = next;
  }
  return line[to.length] ?? 0;
}
