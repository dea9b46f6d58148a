/** Judges the lines that a sandbox answered: text that leaves it must be JSON that every later reader can take. */
import { Buffer } from "node:buffer";
import type { RowFailure } from "../processor.ts";
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH } from "./limits.ts";
import { failureOf, parseThrown } from "./thrown.ts";

/** The escapes that a JSON writer makes of NUL and of half a surrogate pair: PostgreSQL refuses both. */
const FORBIDDEN_ESCAPE = /\\u(?:0000|d[89a-f])/;
const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g;

/** The failure of a line, or null when it is an output. */
export function judgeLine(line: string): RowFailure | null {
  if (line.startsWith("!")) return failureOf(parseThrown(line.slice(1)));
  if (line.length > MAX_OUTPUT_BYTES / 3 && Buffer.byteLength(line) > MAX_OUTPUT_BYTES) {
    return failureOf({ kind: "too_large", name: "", message: "", stack: [], line: null });
  }
  if (line.includes("\\u") && hasForbiddenEscape(line)) {
    return refusal("The output has a NUL character or half a surrogate pair, which no JSON reader has to accept.");
  }
  if (isDeeperThan(line, MAX_OUTPUT_DEPTH))
    return refusal(`The output is nested deeper than ${MAX_OUTPUT_DEPTH} levels.`);
  return null;
}

function refusal(message: string): RowFailure {
  return { code: "transform_error", message };
}

function hasForbiddenEscape(line: string): boolean {
  // `\\u0000` is an escaped backslash and five letters, hence escape by escape.
  return FORBIDDEN_ESCAPE.test(line) && (line.match(ESCAPES) ?? []).some((escape) => FORBIDDEN_ESCAPE.test(escape));
}

/** Text nested that deep has that many closing brackets; most lines have few and need no scan. */
function isDeeperThan(line: string, maxDepth: number): boolean {
  let brackets = 0;
  for (const bracket of ["}", "]"]) {
    for (let at = line.indexOf(bracket); at !== -1 && brackets <= maxDepth; at = line.indexOf(bracket, at + 1))
      brackets++;
  }
  if (brackets <= maxDepth) return false;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (isInString) {
      if (character === "\\") i++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") {
      if (++depth > maxDepth) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}
