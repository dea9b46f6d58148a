/**
 * Cells of a CSV file (RFC 4180). Strings are always quoted; numbers, `true` and `false` never; null is an empty cell. So a
 * reader that looks at quotes gets back what was there: the text "1" and the number 1, the empty text and no value.
 *
 * Spreadsheets run a cell as a formula by how it begins, quoted or not. Such a text gets a leading apostrophe, unless it is
 * a plain number: the formula guard.
 */

/** The full-width forms are formula starts in spreadsheets set to East Asian languages. */
const FORMULA_STARTS = new Set(Array.from("=+-@\t\r\n＝＋－＠", (character) => character.charCodeAt(0)));
const PLAIN_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const QUOTE = 0x22;
const NULL_START = 0x6e;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Writes cells, and counts those that the formula guard changed. */
export interface CellWriter {
  /** A text as a cell. */
  text(text: string): string;
  /** The JSON value that stands from `start` to `end` as a cell. */
  value(json: string, start: number, end: number): string;
  /** Cells changed since the last call. */
  takeGuardedCount(): number;
}

export function createCellWriter(formulaGuard: boolean): CellWriter {
  let guardedCount = 0;
  const write = (text: string): string => {
    const isGuarded = formulaGuard && FORMULA_STARTS.has(text.charCodeAt(0)) && !PLAIN_NUMBER.test(text);
    if (isGuarded) guardedCount += 1;
    return quoted(isGuarded ? `'${text}` : text);
  };
  return {
    text: write,
    value(json, start, end) {
      const first = json.charCodeAt(start);
      const value = json.slice(start, end);
      if (first === OPEN_BRACE || first === OPEN_BRACKET) return quoted(value);
      if (first !== QUOTE) return first === NULL_START ? "" : value;
      // JSON text without a backslash has no quote inside either: with its own two quotes it is the cell already.
      if (!value.includes("\\") && !(formulaGuard && FORMULA_STARTS.has(value.charCodeAt(1)))) return value;
      return write(JSON.parse(value) as string); // a JSON string
    },
    takeGuardedCount() {
      const count = guardedCount;
      guardedCount = 0;
      return count;
    },
  };
}

const quoted = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
