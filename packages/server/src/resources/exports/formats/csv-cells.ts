/**
 * Cells of a CSV file (RFC 4180). Strings are always quoted; numbers, `true` and `false` never; null is an empty cell. So a
 * reader that looks at quotes gets back what was there: the text "1" and the number 1, the empty text and no value.
 *
 * Spreadsheets run a cell as a formula by how it begins, quoted or not. Such a text gets a leading apostrophe, unless it is
 * a plain number: the formula guard.
 */

/** The full-width forms are formula starts in spreadsheets set to East Asian languages. */
const FORMULA_STARTS = new Set(Array.from("=+-@\t\r＝＋－＠", (character) => character.charCodeAt(0)));
const PLAIN_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const QUOTE = 0x22;
const NULL_START = 0x6e;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** A text as a cell. */
export function textCell(text: string, formulaGuard: boolean): string {
  const guarded =
    formulaGuard && FORMULA_STARTS.has(text.charCodeAt(0)) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return `"${guarded.includes('"') ? guarded.replaceAll('"', '""') : guarded}"`;
}

/** The JSON value that stands from `start` to `end` as a cell. */
export function valueCell(json: string, start: number, end: number, formulaGuard: boolean): string {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return stringCell(json.slice(start, end), formulaGuard);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return textCell(json.slice(start, end), false);
  return first === NULL_START ? "" : json.slice(start, end);
}

/** JSON text without a backslash has no quote inside either: with its own two quotes it is the cell already. */
function stringCell(quoted: string, formulaGuard: boolean): string {
  if (!quoted.includes("\\") && !(formulaGuard && FORMULA_STARTS.has(quoted.charCodeAt(1)))) return quoted;
  return textCell(JSON.parse(quoted) as string, formulaGuard); // a JSON string
}
