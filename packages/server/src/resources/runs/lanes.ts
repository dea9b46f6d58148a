/**
 * Lanes: a run's share of the workers. A lane is one queued job; in its turn it claims chunks of the run one after the
 * other, and then sends itself again, to the back of the line. So runs and organizations take turns, whatever their size,
 * and the queue holds a few jobs per run and none per row.
 */
import type { Transaction } from "../../platform/database/database.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { RunRecord } from "./runs.ts";

export const LANE_QUEUE = "run-lane";

/** Enough to use several machines for one run; few enough that runs beside it get their turn. */
const MAX_LANES = 4;

export interface LaneJob {
  organizationId: string;
  runId: string;
  generation: number;
}

type LanedRun = Pick<RunRecord, "organizationId" | "id" | "priority" | "laneGeneration">;

export const laneCount = (run: Pick<RunRecord, "chunkCount" | "concurrency">): number =>
  Math.max(1, Math.min(run.chunkCount, run.concurrency ?? MAX_LANES, MAX_LANES));

export async function enqueueLanes(
  tx: Transaction,
  queue: Queue,
  run: LanedRun & Pick<RunRecord, "chunkCount" | "concurrency">,
): Promise<void> {
  for (let lane = laneCount(run); lane > 0; lane--) await enqueueLane(tx, queue, run);
}

export async function enqueueLane(tx: Transaction, queue: Queue, run: LanedRun): Promise<void> {
  const job: LaneJob = { organizationId: run.organizationId, runId: run.id, generation: run.laneGeneration };
  await queue.enqueue(tx, LANE_QUEUE, job, { priority: run.priority });
}

/** Lanes of before end after their turn; the run's new ones carry the new number. */
export async function startLaneGeneration(tx: Transaction, run: RunRecord): Promise<RunRecord> {
  return tx
    .updateTable("runs")
    .set((eb) => ({ laneGeneration: eb("laneGeneration", "+", 1) }))
    .where("organizationId", "=", run.organizationId)
    .where("id", "=", run.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
