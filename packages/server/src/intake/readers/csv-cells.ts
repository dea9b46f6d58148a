/**
 * What a cell of a delimited file may be, decided on its bytes. A cell is a JSON number only if printing the number gives
 * the cell back, so that no digit and no zero is lost:
 *
 *     integer    -?(0|[1-9]\d*) but not -0, up to 2^53 - 1
 *     number     what String(Number(cell)) returns: 0.5 and 1e-7, not 1.10, 0.0000001, 1e5 or 1e400
 *     decimal    -?(0|[1-9]\d*)(\.\d+)? of any length, 1.10 and -0 included; not 007
 *     boolean    true or false
 *     date, timestamp   see text-dates.ts
 */
import { type Instant, isDate, parseTimestamp } from "./text-dates.ts";

export const INTEGER = 1;
export const NUMBER = 2;
export const DECIMAL = 4;
export const BOOLEAN = 8;
export const DATE = 16;
export const TIMESTAMP = 32;
export const ANY_KIND = 63;

/** The longest double written out (1e-308 with 17 digits) fits; longer rows of digits are text, not quantities. */
const MAX_NUMERAL_BYTES = 400;
/** Any decimal of up to 15 significant digits comes back from a double unchanged (IEEE 754). */
const SAFE_DIGITS = 15;
/** JavaScript prints 0.000001 as it is, and 0.0000001 as 1e-7. */
const MAX_ZEROS_BEHIND_POINT = 5;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** One cell's findings; the same object is filled again and again, since cells come by the hundred million. */
export interface CellFindings {
  /** Sum of the kinds that the cell may be; 0: only text. */
  kinds: number;
  /** For numerals: its value, rounded to a double. */
  value: number;
  /** Whether the rounding may have lost digits, so that equal values may be different cells. */
  isRounded: boolean;
  instant: Instant | undefined;
}

export function classifyCell(bytes: Buffer, start: number, end: number, findings: CellFindings): void {
  findings.kinds = 0;
  findings.isRounded = false;
  findings.instant = undefined;
  const first = bytes[start] ?? 0;
  if (isDigit(first) || first === MINUS) {
    if (end - start >= 10 && bytes[start + 4] === MINUS) classifyDate(bytes.toString("latin1", start, end), findings);
    else if (end - start <= MAX_NUMERAL_BYTES) classifyNumeral(bytes, start, end, findings);
    return;
  }
  const length = end - start;
  if ((length === 4 || length === 5) && (first === 0x74 || first === 0x66)) {
    const text = bytes.toString("latin1", start, end);
    if (text === "true" || text === "false") findings.kinds = BOOLEAN;
  }
}

function classifyDate(text: string, findings: CellFindings): void {
  if (isDate(text)) {
    findings.kinds = DATE;
    return;
  }
  findings.instant = parseTimestamp(text);
  if (findings.instant !== undefined) findings.kinds = TIMESTAMP;
}

function classifyNumeral(bytes: Buffer, start: number, end: number, findings: CellFindings): void {
  const isNegative = bytes[start] === MINUS;
  let position = isNegative ? start + 1 : start;
  const wholeStart = position;
  let mantissa = 0;
  for (let byte = bytes[position] ?? 0; position < end && isDigit(byte); byte = bytes[++position] ?? 0) {
    mantissa = mantissa * 10 + (byte - ZERO);
  }
  const wholeDigits = position - wholeStart;
  const hasLeadingZero = bytes[wholeStart] === ZERO;
  if (wholeDigits === 0 || (hasLeadingZero && wholeDigits > 1)) return;
  const isFraction = position < end && bytes[position] === POINT;
  const fractionStart = isFraction ? position + 1 : end;
  let zerosBehindPoint = 0;
  if (isFraction) {
    position++;
    for (let byte = bytes[position] ?? 0; position < end && isDigit(byte); byte = bytes[++position] ?? 0) {
      mantissa = mantissa * 10 + (byte - ZERO);
      if (mantissa === 0) zerosBehindPoint++;
    }
    if (position === fractionStart) return;
  }
  if (position < end) {
    classifyExponent(bytes.toString("latin1", start, end), findings);
    return;
  }
  const fractionDigits = isFraction ? end - fractionStart : 0;
  const significantDigits =
    mantissa === 0 ? 1 : wholeDigits + fractionDigits - (hasLeadingZero ? 1 + zerosBehindPoint : 0);
  // Exact: both are integers that a double holds, and 10^22 is the last power of ten that it does.
  const isShort = significantDigits <= SAFE_DIGITS && fractionDigits <= 22;
  findings.isRounded = !isShort;
  const text = isShort ? "" : bytes.toString("latin1", start, end);
  const size = isShort ? mantissa / 10 ** fractionDigits : Math.abs(Number(text));
  findings.value = isNegative ? -size : size;
  findings.kinds = DECIMAL;
  if (!isFraction) {
    const isExact = Number.isSafeInteger(findings.value) && !(isNegative && size === 0);
    if (isExact) findings.kinds = INTEGER | NUMBER | DECIMAL;
    return;
  }
  const isPrintedPlain = bytes[end - 1] !== ZERO && (!hasLeadingZero || zerosBehindPoint <= MAX_ZEROS_BEHIND_POINT);
  if (isPrintedPlain && (isShort || String(findings.value) === text)) findings.kinds = NUMBER | DECIMAL;
}

function classifyExponent(text: string, findings: CellFindings): void {
  const value = Number(text);
  if (!Number.isFinite(value) || String(value) !== text) return;
  findings.kinds = NUMBER;
  findings.value = value;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
