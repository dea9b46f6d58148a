import { isDistributed } from "../../platform/database/distribution-marks.ts";

/**
 * SQL, beside a chunk's run and number: true for each chunk. Where the statistics do not know the run, the planner takes its chunks for
 * one, and would as soon read all of them in the index of their rows. That index can check only a part of this comparison, which makes it
 * a little more expensive (decision 0020).
 */
export const alwaysByNumber = (runId: string): string => `and (run_id, chunk_no) >= (${runId}, 0)`;

/** On a cluster, a statement that names its server twice is planned each time. */
export const byNumber = (client: object, runId: string): string => (isDistributed(client) ? "" : alwaysByNumber(runId));
