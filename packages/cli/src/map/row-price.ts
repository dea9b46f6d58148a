/** What one more row of a run may cost: a budget that does not cover it stops the run, whatever of it is left. */
import { RowmillError } from "@rowmill/client";
import type { Rowmill, Run } from "@rowmill/client";

/** In US dollars, with repairs and further attempts, of the first row of the dataset. Undefined where it is not known, or not the reason. */
export async function highestRowPrice(rowmill: Rowmill, run: Run, signal: AbortSignal): Promise<number | undefined> {
  if (run.stateReason !== "budget_exhausted") return undefined;
  const { datasetId, jobSpecId, jobSpecVersion } = run;
  const scope = { type: "limit", count: 1 } as const;
  try {
    const { estimate } = await rowmill.runs.estimate({ datasetId, jobSpecId, jobSpecVersion, scope }, { signal });
    return estimate.costUsd === null ? undefined : Number(estimate.costUsd.high);
  } catch (error) {
    // The run is reported without it.
    if (error instanceof RowmillError) return undefined;
    throw error;
  }
}
