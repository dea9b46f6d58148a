/**
 * Rows with every digit: a number that JavaScript would round (a long id, `1e400`) keeps the text that it has in the response, and is
 * shown, copied and sent by it.
 */

/** Not in the types yet, and not in every browser: older ones show what JavaScript makes of the number. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/** A class, so that nothing takes it for an object of a row. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): unknown {
    return rawJSON?.(this.text) ?? Number(this.text);
  }
}

/** Of the text of a number that may be rounded. Most pages of rows have none, and are read at full speed. */
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE]/;
/** Every decimal number with as many digits is that of a double. */
const EXACT_DIGITS = 15;

/** For `parseJson` of the client, where rows are read. */
export function parseExactly(text: string): unknown {
  if (rawJSON === undefined || !MAY_BE_ROUNDED.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    const isExact = source.replaceAll(/\D/g, "").length <= EXACT_DIGITS && !/e/i.test(source);
    return isExact ? value : new ExactNumber(source);
  });
}

/** An object of JSON, with or without members: no list, and no number. */
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
