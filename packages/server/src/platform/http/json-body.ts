/** Request bodies: JSON that the rest of the program, and PostgreSQL, can hold. */
import { ApiError } from "./errors.ts";
import { pointerTo } from "./json-pointer.ts";
import { cutText } from "../text.ts";

/** `JSON.stringify` and validators recurse: far below their limits, far above what people nest. */
const MAX_DEPTH = 64;
/** The message of the parser quotes the body. */
const MAX_MESSAGE_CHARACTERS = 200;
/** Only with these can a text hold what PostgreSQL cannot store, or a name that could change an object's prototype. */
const SUSPICIOUS = /\\u|__proto__/;

/** Only with these can a number be too large for a double: a long exponent, or very many digits. */
const MAYBE_INFINITE = /[eE]\+?\d{3}|\d{200}/;

export interface JsonBody {
  text: string;
  value: unknown;
  /** JSON pointer of a number that JavaScript reads as infinite: the body cannot be accepted. */
  infiniteAt: string | undefined;
}

export function parseJsonBody(bytes: Buffer): JsonBody {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid("The body is not valid UTF-8.");
  }
  const problem = findDepthProblem(text);
  if (problem) throw invalid(problem);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(
      `The body is not valid JSON: ${error instanceof Error ? cutText(error.message, MAX_MESSAGE_CHARACTERS) : "syntax error"}.`,
    );
  }
  if (text.includes("\u0000") || SUSPICIOUS.test(text)) {
    const found = findUnacceptable(value);
    if (found) throw invalid(found);
  }
  return { text, value, infiniteAt: MAYBE_INFINITE.test(text) ? findInfinite(value, "") : undefined };
}

/** A number where any JSON may stand, such as in a row. */
export function numberOutOfRange(pointer: string): ApiError {
  const param = pointer.slice(1).replaceAll("/", ".");
  const message = `\`${param}\` must be a number from -${Number.MAX_VALUE} to ${Number.MAX_VALUE}. Send it as text to keep its digits.`;
  return new ApiError("invalid_request", message, {
    param,
    details: [{ path: pointer, code: "number_out_of_range", message }],
  });
}

/** An integer where any JSON may stand, but for rows. */
export function tooManyDigits(pointer: string): ApiError {
  const param = pointer.slice(1).replaceAll("/", ".");
  const message =
    `\`${param}\` has more digits than a number keeps here, and would become another number. Send it as text; ` +
    "the `body` of an `http` processor keeps every digit where it is a text as a whole.";
  return new ApiError("invalid_request", message, {
    param,
    details: [{ path: pointer, code: "number_out_of_range", message }],
  });
}

const invalid = (message: string): ApiError => new ApiError("invalid_json", message);

/** Without parsing: brackets outside strings. */
function findDepthProblem(text: string): string | undefined {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels.`;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return undefined;
}

function findInfinite(value: unknown, at: string): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : at;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = findInfinite(member, pointerTo(at, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findUnacceptable(value: unknown): string | undefined {
  if (typeof value === "string") {
    if (value.includes("\u0000")) return "A string of the body contains the character U+0000, which cannot be stored.";
    return value.isWellFormed() ? undefined : "A string of the body contains half of a surrogate pair.";
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") return "The body has a member named __proto__.";
    const found = findUnacceptable(key) ?? findUnacceptable(member);
    if (found) return found;
  }
  return undefined;
}
