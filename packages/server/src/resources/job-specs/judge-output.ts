/**
 * What every output must be, whatever processor made it: JSON text that the database takes and every later reader can read.
 * Syntax is left to the database, which parses each output anyway (see `runs/sift-outputs.ts`).
 */
import { Buffer } from "node:buffer";
import type { RowOutcome } from "../../processors/processor.ts";

/** As large as a row may be; a page or a commit of larger ones would not fit the memory of a process. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** Twice that of rows, which a processor may wrap; several JSON libraries overflow their stack on much deeper text. */
const MAX_OUTPUT_DEPTH = 128;
const ESCAPES = /\\(?:u([0-9a-fA-F]{4})|.)/gs;

/** The outcome itself, on one line; or the failure that its output is. */
export function judgeOutput(outcome: RowOutcome): RowOutcome {
  if (!outcome.ok) return outcome;
  const problem = findProblem(outcome.output);
  if (problem !== undefined)
    return {
      ok: false,
      failure: { code: "output_not_json", message: problem },
      ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
    };
  // Between tokens a line break is white space, and inside a string there can be none.
  return outcome.output.includes("\n") ? { ...outcome, output: outcome.output.replaceAll("\n", " ") } : outcome;
}

function findProblem(text: string): string | undefined {
  if (text.trim() === "") return "The output is empty.";
  if (text.length > MAX_OUTPUT_BYTES / 3 && Buffer.byteLength(text) > MAX_OUTPUT_BYTES)
    return `The output is larger than ${MAX_OUTPUT_BYTES / 1024 / 1024} MiB.`;
  if (text.includes("\0") || !text.isWellFormed() || (text.includes("\\u") && hasForbiddenEscape(text)))
    return "The output has a NUL character or half a surrogate pair, which no JSON reader has to accept.";
  if (isDeeperThan(text, MAX_OUTPUT_DEPTH)) return `The output is nested deeper than ${MAX_OUTPUT_DEPTH} levels.`;
  return undefined;
}

/** `\u0000`, or an escaped half of a surrogate pair whose other half is not the next escape. */
function hasForbiddenEscape(text: string): boolean {
  let highEndsAt = -1;
  for (const match of text.matchAll(ESCAPES)) {
    const unit = match[1] === undefined ? undefined : Number.parseInt(match[1], 16);
    const isLow = unit !== undefined && unit >= 0xdc_00 && unit <= 0xdf_ff;
    if (isLow !== (highEndsAt === match.index)) return true;
    if (unit === 0) return true;
    highEndsAt = unit !== undefined && unit >= 0xd8_00 && unit <= 0xdb_ff ? match.index + match[0].length : -1;
    if (highEndsAt !== -1 && text[highEndsAt] !== "\\") return true;
  }
  return false;
}

/** Text nested that deep has that many closing brackets; most outputs have few and need no scan. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  let brackets = 0;
  for (const bracket of ["}", "]"])
    for (let at = text.indexOf(bracket); at !== -1 && brackets <= maxDepth; at = text.indexOf(bracket, at + 1))
      brackets++;
  if (brackets <= maxDepth) return false;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
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
