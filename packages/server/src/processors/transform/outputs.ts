/** What comes of a row. Checks the lines that a sandbox returned: text that leaves it must be JSON that every later reader can take. */
import { Buffer } from "node:buffer";
import { hasForbiddenEscape, isDeeperThan } from "../../platform/json-text.ts";
import type { RowFailure } from "../processor.ts";
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH } from "./transform-limits.ts";
import { failureOf, parseThrown } from "./thrown.ts";

export type RowResult = { ok: true; output: string } | { ok: false; failure: RowFailure };

export function resultOfLine(line: string): RowResult {
  const failure = checkLine(line);
  return failure === null ? { ok: true, output: line } : { ok: false, failure };
}

/** The failure of a line, or null when it is an output. */
export function checkLine(line: string): RowFailure | null {
  if (line.startsWith("!")) return failureOf(parseThrown(line.slice(1)));
  if (line.length > MAX_OUTPUT_BYTES / 3 && Buffer.byteLength(line) > MAX_OUTPUT_BYTES) {
    return outputTooLarge();
  }
  // What is stored is passed on as it is, and an engine is not believed: its memory is in reach of the code that it runs.
  if (!isJson(line)) return { code: "output_not_json", message: "The output is not JSON." };
  if (hasForbiddenEscape(line)) return forbiddenCharacter();
  if (isDeeperThan(line, MAX_OUTPUT_DEPTH))
    return refusal(`The output is nested deeper than ${MAX_OUTPUT_DEPTH} levels.`);
  return null;
}

export const outputTooLarge = (): RowFailure =>
  failureOf({ kind: "too_large", name: "", message: "", stack: [], line: null, place: null });

export const forbiddenCharacter = (): RowFailure =>
  refusal("The output has a NUL character or half a surrogate pair, which no JSON reader has to accept.");

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function refusal(message: string): RowFailure {
  return { code: "transform_error", message };
}
