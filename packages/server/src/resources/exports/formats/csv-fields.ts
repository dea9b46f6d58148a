/**
 * Cells of a CSV file (RFC 4180). Strings are always quoted; numbers, `true` and `false` never; null is an empty cell. So a
 * reader that looks at quotes gets back what was there: the text "1" and the number 1, the empty text and no value. A delimiter that may
 * stand in a number, in `true` or in `false` is the exception: with it these are quoted, too.
 *
 * Spreadsheets run a cell as a formula by how it begins, quoted or not. Such a text gets a leading apostrophe, unless it is
 * a plain number: the formula guard.
 */
import type { ByteWriter } from "../../../platform/byte-writer.ts";
import { beginsNull, createBackslashFinder } from "../../../platform/json-bytes.ts";

/** The full-width forms are formula starts in spreadsheets set to East Asian languages. */
const FORMULA_STARTS = new Set(Array.from("=+-@\t\r\n＝＋－＠", (character) => character.charCodeAt(0)));
/** The first bytes of these characters: all other texts need no closer look. */
const MAY_START_FORMULA = new Set(Array.from(FORMULA_STARTS, (code) => Buffer.from(String.fromCharCode(code))[0] ?? 0));
const mayStartFormula = Uint8Array.from({ length: 256 }, (_unused, byte) => (MAY_START_FORMULA.has(byte) ? 1 : 0));
const PLAIN_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** From here on, a search in the engine and a copy by it take less than a loop over the bytes. */
const LONG_TEXT_BYTES = 64;

/** What numbers of JSON, `true` and `false` consist of. */
const IN_UNQUOTED = /[\d+\-.a-zE]/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Writes cells, and counts those that the formula guard changed. */
interface CellWriter {
  /** A text as a cell. */
  text(text: string): void;
  /** The JSON value that stands from `start` to `end` as a cell. */
  value(json: Buffer, start: number, end: number): void;
  /** Cells changed since the last call. */
  takeGuardedCount(): number;
}

export function createCellWriter(
  writer: ByteWriter,
  { formulaGuard, delimiter }: { formulaGuard: boolean; delimiter: string },
): CellWriter {
  const quotesAll = IN_UNQUOTED.test(delimiter);
  let guardedCount = 0;
  const write = (text: string): void => {
    const isGuarded = formulaGuard && FORMULA_STARTS.has(text.charCodeAt(0)) && !PLAIN_NUMBER.test(text);
    if (isGuarded) guardedCount += 1;
    const cell = isGuarded ? `'${text}` : text;
    writer.text(`"${cell.includes('"') ? cell.replaceAll('"', '""') : cell}"`);
  };
  const hasBackslash = createBackslashFinder();
  /** False where a backslash is among the bytes. */
  const copyPlain = (json: Buffer, start: number, end: number): boolean => {
    if (end - start < LONG_TEXT_BYTES) return writer.copyUnless(json, start, end, BACKSLASH);
    if (hasBackslash(json, start, end)) return false;
    writer.copy(json, start, end);
    return true;
  };
  return {
    text: write,
    value(json, start, end) {
      const first = json[start];
      if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        writer.byte(QUOTE);
        writer.copyMarked(json, start, end, QUOTE, QUOTE);
        writer.byte(QUOTE);
      } else if (first === QUOTE) {
        // JSON text without a backslash has no quote inside either: with its own two quotes it is the cell already.
        const mayBeFormula = formulaGuard && mayStartFormula[json[start + 1] ?? 0] === 1;
        if (mayBeFormula || !copyPlain(json, start, end))
          write(JSON.parse(json.toString("utf8", start, end)) as string); // a JSON string
      } else if (!beginsNull(json, start)) {
        if (quotesAll) writer.byte(QUOTE);
        writer.copy(json, start, end);
        if (quotesAll) writer.byte(QUOTE);
      }
    },
    takeGuardedCount() {
      const count = guardedCount;
      guardedCount = 0;
      return count;
    },
  };
}
