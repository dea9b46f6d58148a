/**
 * Outputs that the database refuses. Its parser has the last word on what is JSON, and it speaks when a chunk's results are
 * committed: one bad output fails the statement for all. Then each is tried alone, and the bad ones become failures.
 */
import { failureCodes } from "@rowmill/contract/failures";
import { pgCode } from "../../platform/database/database.ts";
import type { Statements } from "../../platform/database/database.ts";
import type { ChunkResults, RecordedFailure, RecordedSuccess } from "./chunk-claims.ts";

/** Data exceptions (class 22), and what is nested too deep for the parser's stack (54001) or otherwise too much (54000). */
export const isDataError = (error: unknown): boolean => /^(22|54)/.test(pgCode(error) ?? "");

/** The same rows, with a failure for each output that the database refuses. */
export async function siftOutputs(client: Statements, results: ChunkResults): Promise<ChunkResults> {
  const successes: RecordedSuccess[] = [];
  const failures: RecordedFailure[] = [...results.failures];
  for (const row of results.successes) {
    const refusal = await findRefusal(client, row.output);
    if (refusal === undefined) successes.push(row);
    else failures.push(asFailure(row, refusal));
  }
  return { ...results, successes, failures };
}

async function findRefusal(client: Statements, output: string): Promise<string | undefined> {
  try {
    await client.query({ name: "try_output", values: [output], text: "select $1::json is null as is_null" });
    return undefined;
  } catch (error) {
    if (!isDataError(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

const asFailure = ({ index, attempts, durationMs, usage }: RecordedSuccess, refusal: string): RecordedFailure => ({
  index,
  attempts,
  durationMs,
  usage,
  code: "output_not_json",
  retryable: failureCodes.output_not_json.retryable,
  failure: { message: `The output is not JSON that can be stored: ${refusal}.`, details: null },
});
