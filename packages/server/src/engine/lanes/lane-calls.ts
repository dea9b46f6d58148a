/** How many calls, of how many rows each, a lane of a run may have under way at once. */
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { Step } from "../../processors/processor.ts";
import { laneShare } from "../../resources/runs/lanes.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";

export interface LaneOfRun {
  kind: LaneKind;
  /** From 0 up to the number of the run's lanes. */
  lane: number;
  run: Pick<RunRecord, "chunkCount" | "concurrency">;
  step: Pick<Step, "callsAtOnce" | "maxRowsPerCall">;
  /** Lanes of the run that have their turn in this process, this one included. */
  turns: number;
  /** While it is a number, at most so many rows are taken, and then evaluated. */
  probeRows: number | undefined;
}

/** Rows that wait are calls of their own. Those that compute are several to a call, and a broken run is found out with one. */
export function laneCallsAtOnce(lane: LaneOfRun): number {
  if (lane.kind === "computing") return lane.probeRows === undefined ? callsThatCompute(lane) : 1;
  const share = laneShare(lane.run, lane.run.concurrency ?? lane.step.callsAtOnce, lane.lane);
  return Math.min(share, lane.probeRows ?? Number.POSITIVE_INFINITY);
}

/** A share of the process's threads for each lane there, so that slow rows use all of them, those of a run's last chunk as well. */
function callsThatCompute(lane: LaneOfRun): number {
  const calls = Math.ceil(lane.step.callsAtOnce / lane.turns);
  const rows = rowsAtOnce(lane);
  // Fast rows, of which a call may have as many as the run may have under way, would only come in more calls.
  return rows <= lane.step.maxRowsPerCall ? 1 : Math.min(calls, rows);
}

/** Of rows that compute. A call computes one after the other, so the rows that a run may have under way are divided among its calls. */
export function laneRowsPerCall(lane: LaneOfRun): number {
  const { kind, step } = lane;
  if (kind === "waiting" || lane.run.concurrency === null) return step.maxRowsPerCall;
  return Math.min(step.maxRowsPerCall, Math.max(1, Math.floor(rowsAtOnce(lane) / callsThatCompute(lane))));
}

function rowsAtOnce({ run, lane }: LaneOfRun): number {
  return run.concurrency === null ? Number.POSITIVE_INFINITY : laneShare(run, run.concurrency, lane);
}
