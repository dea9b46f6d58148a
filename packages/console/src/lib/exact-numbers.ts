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

/** Of requests whose responses are sent again, such as a job spec with the bounds of 64-bit integers in its schema. */
export const EXACT = { parseJson: parseExactly };

/** An object of JSON, with or without members: no list, and no number. */
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** A text with everything in quotes, or a number. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The first number in a text of JSON that JavaScript, and so the service, would keep as another one: with more digits than it has, or
 * out of range.
 */
export function roundedNumberIn(text: string): { number: string; from: number } | undefined {
  if (!MAY_BE_ROUNDED.test(text)) return undefined;
  for (const { 0: number, index } of text.matchAll(TEXT_OR_NUMBER))
    if (!number.startsWith('"') && decimalOf(number) !== decimalOf(String(Number(number))))
      return { number, from: index };
  return undefined;
}

/** Digits without zeros at their ends, and their power of ten: `1.50`, `15e-1` and `1.5` are equal. */
function decimalOf(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return number === "Infinity" ? number : "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const explainRounding = (number: string): string =>
  `The number ${number.length > SHOWN_DIGITS ? `${number.slice(0, SHOWN_DIGITS)}…` : number} would be rounded: write it with fewer digits, or as text, in quotes.`;
const SHOWN_DIGITS = 40;
