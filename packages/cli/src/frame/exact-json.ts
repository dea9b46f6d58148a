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

export interface ReadNumbers {
  /** The integers of its schemas are printed as they were written, and all other numbers are those of JavaScript. */
  value: unknown;
  /** An integer elsewhere that has become another one. */
  rounded: string | undefined;
}

/** The body of a request in a file, or `at` a place of one: the service keeps every digit of what a JSON Schema has. */
export function parseBody(text: string, at: readonly string[] = []): ReadNumbers {
  if (!MAY_BE_ROUNDED.test(text)) return { value: JSON.parse(text), rounded: undefined };
  let rounded: string | undefined;
  const read = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (isRawJSON(value)) {
      const written = (value as { rawJSON: string }).rawJSON; // as the language has it
      if (!isRounded(written)) return Number(written);
      if (isInSchema(path)) return value;
      rounded ??= written;
      return Number(written);
    }
    const holder = value as Record<string, unknown>;
    for (const [name, member] of Object.entries(holder)) holder[name] = read(member, [...path, name]);
    return holder;
  };
  return { value: read(parseExactly(text), at), rounded };
}

/** Where a job spec has its schemas. */
const SCHEMAS = [["inputSchema"], ["outputSchema"], ["processor", "outputSchema"]];

/** `path`: the names of members that lead from a job spec to a value. */
export const isInSchema = (path: readonly string[]): boolean =>
  SCHEMAS.some((names) => path.length > names.length && names.every((name, at) => path[at] === name));

/** Whether an integer, as it is written, would become another one. */
export const isRounded = (written: string): boolean =>
  /^[-+]?\d+$/.test(written) &&
  digitsOf(String(Number(written))) !== digitsOf(String(BigInt(written.replace("+", ""))));

/** Those before the zeros at the end, which may be printed as an exponent. */
const digitsOf = (number: string): string => number.replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/0+$/, "");

/** It looks like an object with a member `rawJSON`. */
export const isExactNumber = (value: unknown): boolean => isRawJSON(value);

/** A value that is printed so. */
export const exactInteger = (digits: bigint): unknown => rawJSON(String(digits));
