/**
 * Rows of a body as they stand in its text. JavaScript prints some numbers differently than they were written (integers of more than 15
 * digits, `1.10`), and a dataset keeps every digit. Only texts that have been parsed already come here.
 */
import { mayLose } from "../exact-json.ts";

const [QUOTE, BACKSLASH, COMMA] = ['"', "\\", ","];
const SPACE = " ";

/** The array on the path; undefined where there is no array, or an item of it is not an object. */
export function findRows(body: unknown, path: readonly string[]): Record<string, unknown>[] | undefined {
  let rows: unknown = body;
  for (const name of path) rows = isObject(rows) ? rows[name] : undefined;
  return Array.isArray(rows) && rows.every(isObject) ? rows : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of each row, one line each. `path` leads to an array of objects. */
export function exactLinesOf(text: string, path: readonly string[], rows: readonly object[]): string[] {
  const arrayAt = mayLose(text) ? valueAt(text, path) : undefined;
  if (arrayAt === undefined) return rows.map((row) => JSON.stringify(row));
  let at = skipSpace(text, arrayAt + 1);
  return rows.map((row) => {
    const end = endOfValue(text, at);
    const written = text.slice(at, end);
    // Behind it there is a comma, or the end of the array.
    at = skipSpace(text, skipSpace(text, end) + 1);
    return mayLose(written) ? withoutSpace(written) : JSON.stringify(row);
  });
}

/** Where the value on the path begins. Of members with the same name the last one counts, as for the parser. */
function valueAt(text: string, path: readonly string[]): number | undefined {
  let at: number | undefined = skipSpace(text, 0);
  for (const name of path) if (at !== undefined) at = memberAt(text, at, name);
  return at;
}

function memberAt(text: string, objectAt: number, name: string): number | undefined {
  let found: number | undefined;
  for (let at = skipSpace(text, objectAt + 1); text[at] === QUOTE;) {
    const nameEnd = endOfText(text, at);
    const isNamed = JSON.parse(text.slice(at, nameEnd)) === name;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    if (isNamed) found = start;
    at = skipSpace(text, endOfValue(text, start));
    if (text[at] === COMMA) at = skipSpace(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const character = text[at] ?? "";
    if (depth === 0 && at > start && (character <= SPACE || ",]}".includes(character))) return at;
    if (character === QUOTE) {
      at = endOfText(text, at);
    } else {
      if (character === "{" || character === "[") depth++;
      else if (character === "}" || character === "]") depth--;
      at++;
    }
    if (depth === 0 && '"}]'.includes(text[at - 1] ?? "")) return at;
  }
  return text.length;
}

/** Behind the closing quotation mark. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); ; end = text.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && (text[at] ?? "") <= SPACE) at++;
  return at;
}

/** A row is one line, and spaces within its texts stay. */
function withoutSpace(written: string): string {
  let line = "";
  let from = 0;
  for (let at = 0; at < written.length;) {
    const character = written[at] ?? "";
    if (character === QUOTE) {
      at = endOfText(written, at);
    } else if (character <= SPACE) {
      line += written.slice(from, at);
      from = at = skipSpace(written, at);
    } else at++;
  }
  return line + written.slice(from);
}
