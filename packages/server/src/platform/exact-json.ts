/**
 * Rows as values without loss: a number that JavaScript would print differently (23-digit integers, `1.10`, `1e400`) is kept
 * as a `RawJSON`, which `JSON.stringify` prints as it stood in the row.
 */

/** Digits that may be too many, an exponent, a decimal point, a negative zero: whatever else is printed as it was read. */
const MAY_LOSE = /\d{16}|\d[eE]|\.\d|-0/;

/** Whether a number of the text may be printed differently than it was written. */
export const mayLose = (text: string): boolean => MAY_LOSE.test(text);

const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * The same, number by number: digits within texts may count, too. It takes less time than `parseExactJson`, and rows of measured
 * values and vectors, as most programs print them, lose nothing.
 */
export function loses(text: string): boolean {
  if (!mayLose(text)) return false;
  for (const [number] of text.matchAll(NUMBER)) if (mayLose(number) && String(Number(number)) !== number) return true;
  return false;
}

/** Fewer digits are exact as a double. */
const MANY_DIGITS = /\d{16}/;

/** Whether the text may have an integer that JavaScript reads as another one. */
export const mayHaveOtherIntegers = (text: string): boolean => MANY_DIGITS.test(text) && loses(text);

/** What JavaScript itself has printed keeps its digits, and `1e30` is as near as its writer could know. A finite integer has some 300 digits at most. */
const isAnotherInteger = (written: string): boolean =>
  /^-?\d+$/.test(written) &&
  Number.isFinite(Number(written)) &&
  digitsOf(String(Number(written))) !== digitsOf(written);

/** Those before the zeros at the end, which may be written as an exponent. */
const digitsOf = (number: string): string => number.replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/0+$/, "");

export function parseExactJson(text: string): unknown {
  if (!mayLose(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value,
  );
}

/** The same, for what reads its numbers as such: only integers that JavaScript reads as others are kept as `RawJSON`. */
export function parseExactIntegers(text: string): unknown {
  if (!mayHaveOtherIntegers(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && isAnotherInteger(source) ? JSON.rawJSON(source) : value,
  );
}
