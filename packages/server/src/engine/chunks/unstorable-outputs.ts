/**
 * Outputs that are not JSON, or too deep for those who read them. Processors make outputs from what strangers send and from
 * what customers' code returns; this is the last look at them before they are stored as they are, and passed on as they are.
 */
import { setImmediate as nextRound } from "node:timers/promises";
import { failureCodes } from "@rowmill/contract/failures";
import { storableText } from "../../platform/text.ts";
import type { Step } from "../../processors/processor.ts";
import type { ChunkResults, RecordedFailure, RecordedSuccess } from "./chunk-results.ts";

/** Parsers of databases, of Parquet writers and of clients are recursive: their stacks hold some thousand levels. */
const MAX_DEPTH = 2_000;
/** Characters that are parsed before others get the thread: a millisecond. */
const CHARACTERS_A_ROUND = 256 * 1024;

/**
 * The results of `step` with a failure for each output that cannot be stored. Outputs that `step` has parsed can be, and are not parsed
 * again.
 */
export const storableResults = async (
  step: Pick<Step, "outputsAreParsed">,
  results: ChunkResults,
): Promise<ChunkResults> => (step.outputsAreParsed === true ? results : rejectUnstorableOutputs(results));

/** The same rows, with a failure for each output that cannot be stored. */
export async function rejectUnstorableOutputs(results: ChunkResults): Promise<ChunkResults> {
  const refused = new Map<RecordedSuccess, string>();
  const respaced = new Map<RecordedSuccess, RecordedSuccess>();
  let parsed = 0;
  for (const row of results.successes) {
    const problem = findProblem(row.output);
    if (problem !== undefined) refused.set(row, problem);
    // White space between two tokens: within texts, JSON has no line breaks.
    else if (row.output.includes("\n")) respaced.set(row, { ...row, output: row.output.replaceAll("\n", " ") });
    parsed += row.output.length;
    if (parsed < CHARACTERS_A_ROUND) continue;
    parsed = 0;
    await nextRound();
  }
  if (refused.size === 0 && respaced.size === 0) return results;
  return {
    ...results,
    successes: results.successes.filter((row) => !refused.has(row)).map((row) => respaced.get(row) ?? row),
    failures: [...results.failures, ...[...refused].map(([row, problem]) => asFailure(row, problem))],
  };
}

function findProblem(output: string): string | undefined {
  try {
    JSON.parse(output);
  } catch (error) {
    // It quotes the output.
    return storableText(error instanceof Error ? error.message : String(error));
  }
  return isDeeper(output, MAX_DEPTH) ? `it is nested deeper than ${MAX_DEPTH} levels` : undefined;
}

/** Of text that is JSON. The code of a closing bracket is that of the opening one, plus 2. */
function isDeeper(text: string, maxDepth: number): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * maxDepth) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isInText = !isInText;
    else if (isInText) at += character === BACKSLASH ? 1 : 0;
    else if (character === BRACKET || character === BRACE) {
      if (++depth > maxDepth) return true;
    } else if (character === BRACKET + 2 || character === BRACE + 2) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b];

const asFailure = ({ index, attempts, durationMs, usage }: RecordedSuccess, problem: string): RecordedFailure => ({
  index,
  attempts,
  durationMs,
  usage,
  code: "output_not_json",
  retryable: failureCodes.output_not_json.retryable,
  failure: { message: `The output is not JSON that can be stored: ${problem}.`, details: null },
});
