/**
 * Rows with every digit: a number that JavaScript would round (a long id, `1e400`) becomes a value that is printed as it was written.
 * Only for what is printed: to code it is an object.
 */

/** Not in the types yet. */
interface RawJson {
  rawJSON: (text: string) => unknown;
  isRawJSON: (value: unknown) => boolean;
}
const { rawJSON, isRawJSON } = JSON as unknown as RawJson; // of the Node that the command runs on

/** Of the text of a number that may be rounded. Most rows have none, and are read at full speed. */
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE]/;
/** Every decimal number with as many digits is that of a double. */
const EXACT_DIGITS = 15;

export function parseExactly(text: string): unknown {
  if (!MAY_BE_ROUNDED.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    const isExact = source.replaceAll(/\D/g, "").length <= EXACT_DIGITS && !/e/i.test(source);
    return isExact ? value : rawJSON(source);
  });
}

/** An integer of a JSON text that would become another one; undefined where there is none. */
export const findRounded = (text: string): string | undefined =>
  MAY_BE_ROUNDED.test(text) ? roundedIn(parseExactly(text), []) : undefined;

function roundedIn(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isRawJSON(value)) {
    const written = (value as { rawJSON: string }).rawJSON; // as the language has it
    return isRounded(path, written) ? written : undefined;
  }
  for (const [name, member] of Object.entries(value)) {
    const found = roundedIn(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Generators of schemas print the limits of 64-bit integers here, and the service takes them. */
const SCHEMA_BOUND = /^(?:exclusiveM|m)(?:ax|in)imum$/;

const isSchemaBound = (path: readonly string[]): boolean =>
  SCHEMA_BOUND.test(path.at(-1) ?? "") && path.slice(0, -1).some((name) => /[sS]chema$/.test(name));

/** Whether an integer, as it is written, would become another one. `path`: the names of members that lead to it. */
export const isRounded = (path: readonly string[], written: string): boolean =>
  /^[-+]?\d+$/.test(written) &&
  digitsOf(String(Number(written))) !== digitsOf(String(BigInt(written.replace("+", "")))) &&
  !isSchemaBound(path);

/** Those before the zeros at the end, which may be printed as an exponent. */
const digitsOf = (number: string): string => number.replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/0+$/, "");

/** It looks like an object with a member `rawJSON`. */
export const isExactNumber = (value: unknown): boolean => isRawJSON(value);
