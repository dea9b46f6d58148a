/**
 * What every output must be, whatever processor made it: JSON text that the database takes and every later reader can read.
 * Syntax is left to the database, which parses each output anyway (see `engine/chunks/unstorable-outputs.ts`).
 */
import { Buffer } from "node:buffer";
import { hasForbiddenEscape, isDeeperThan } from "../../platform/json-text.ts";
import type { RowOutcome } from "../../processors/processor.ts";
import { present } from "../../platform/present.ts";

/** As large as a row may be; a page or a commit of larger ones would not fit the memory of a process. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** Twice that of rows, which a processor may wrap; several JSON libraries overflow their stack on much deeper text. */
const MAX_OUTPUT_DEPTH = 128;

/** The outcome itself, on one line; or the failure that its output is. */
export function checkOutput(outcome: RowOutcome): RowOutcome {
  if (!outcome.ok) return outcome;
  const problem = findProblem(outcome.output);
  if (problem !== undefined)
    return {
      ok: false,
      failure: { code: "output_not_json", message: problem },
      ...present({ usage: outcome.usage }),
    };
  // Between tokens a line break is white space, and inside a string there can be none.
  return outcome.output.includes("\n") ? { ...outcome, output: outcome.output.replaceAll("\n", " ") } : outcome;
}

function findProblem(text: string): string | undefined {
  if (text.trim() === "") return "The output is empty.";
  if (text.length > MAX_OUTPUT_BYTES / 3 && Buffer.byteLength(text) > MAX_OUTPUT_BYTES)
    return `The output is larger than ${MAX_OUTPUT_BYTES / 1024 / 1024} MiB.`;
  if (text.includes("\0") || !text.isWellFormed() || hasForbiddenEscape(text))
    return "The output has a NUL character or half a surrogate pair, which no JSON reader has to accept.";
  if (isDeeperThan(text, MAX_OUTPUT_DEPTH)) return `The output is nested deeper than ${MAX_OUTPUT_DEPTH} levels.`;
  return undefined;
}
