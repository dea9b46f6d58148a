/**
 * Which JSON texts are rows: one object, at most 64 levels deep, without U+0000, lone surrogates (PostgreSQL stores
 * neither) and without members called `__proto__` (a trap for every program that copies members).
 *
 * The text is kept as it is, so that integers of any length, 1e400 and the order of members survive. Duplicate members are
 * kept as well: RFC 8259 only says that names SHOULD be unique, and to drop one would be to alter the row; a reader that parses
 * the row sees the last one.
 */
import { cutText, storableText } from "../../platform/text.ts";

/** Deeper values make programs overflow their stack: JSON.stringify at 5 000, others much earlier. */
const MAX_DEPTH = 64;
/** Nested to the millions, a row of 8 MB parses to 500 MB; up to this size it does not matter. */
const MAX_UNSEEN_CHARACTERS = 64 << 10;
/** V8 quotes the text around an error. */
const MAX_MESSAGE_CHARACTERS = 160;

const TOO_DEEP = `The row is nested deeper than ${MAX_DEPTH} levels.`;

export type JsonObject = Record<string, unknown>;

/** The parsed object, or the sentence that says why the text is not a row. */
export function parseJsonRow(text: string): JsonObject | string {
  if (text.length > MAX_UNSEEN_CHARACTERS && isNestedTooDeep(text)) return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return `Not valid JSON: ${shortenMessage(error.message)}.`;
    throw error;
  }
  if (!isObject(value)) return "A row must be a JSON object.";
  // Most rows are flat and plain, and these searches cost a tenth of a walk through the values.
  const hasEscapes = text.includes("\\u");
  const isNested = text.includes("{", 1) || text.includes("[", 1);
  if (!hasEscapes && !isNested && !text.includes("__proto__")) return value;
  return findProblem(value, 1, hasEscapes) ?? value;
}

function findProblem(value: unknown, depth: number, hasEscapes: boolean): string | undefined {
  if (typeof value === "string") return hasEscapes ? findTextProblem(value) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    for (const element of value) {
      const problem = findProblem(element, depth + 1, hasEscapes);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return "A member may not be called __proto__.";
    const problem = (hasEscapes ? findTextProblem(name) : undefined) ?? findProblem(member, depth + 1, hasEscapes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Counts brackets outside strings; of a text that is not JSON it may say anything. */
function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === 0x5c) index++;
      else if (character === 0x22) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return false;
}

function findTextProblem(text: string): string | undefined {
  if (text.includes("\0")) return "The row contains the character U+0000 (\\u0000), which cannot be stored.";
  if (!text.isWellFormed()) return "The row contains half of a surrogate pair (\\ud800 to \\udfff alone).";
  return undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shortenMessage(message: string): string {
  // The row is one line of many: V8's own line number would mislead.
  const plain = message.replace(/ \(line \d+ column \d+\)$/, "").replace(/\.$/, "");
  // V8 itself cuts what it quotes, in the middle of a pair, too, and a NUL comes as it is.
  return storableText(plain.length > MAX_MESSAGE_CHARACTERS ? `${cutText(plain, MAX_MESSAGE_CHARACTERS)}…` : plain);
}
