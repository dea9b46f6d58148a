/** What one more row of a run may cost: a budget that does not cover it stops the run, whatever of it is left. */
import { RowmillError } from "@rowmill/client";
import type { Rowmill, Run } from "@rowmill/client";

/**
 * In US dollars, with repairs and further attempts, of a row as large as the mean. Those that the run has paid are mostly in the cache, and
 * would cost nothing. Undefined where it is not known, or not the reason.
 */
export async function highestRowPrice(rowmill: Rowmill, run: Run, signal: AbortSignal): Promise<number | undefined> {
  if (run.stateReason !== "budget_exhausted") return undefined;
  const { datasetId, jobSpecId, jobSpecVersion, scope } = run;
  try {
    const { rows, estimate } = await rowmill.runs.estimate({ datasetId, jobSpecId, jobSpecVersion, scope }, { signal });
    const { cachedSampledRows = 0, costUsd, failingSampledRows, sampledRows } = estimate;
    const called = (rows * (sampledRows - failingSampledRows - cachedSampledRows)) / sampledRows;
    return costUsd === null || !(called > 0) ? undefined : Number(costUsd.high) / called;
  } catch (error) {
    // The run is reported without it.
    if (error instanceof RowmillError) return undefined;
    throw error;
  }
}
