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
  const { concurrency } = lane.run;
  if (concurrency === null) return calls;
  const rows = laneShare(lane.run, concurrency, lane.lane);
  return Math.max(1, Math.min(calls, Math.floor(rows / laneRowsPerCall(lane))));
}

export function laneRowsPerCall({ kind, lane, run, step }: LaneOfRun): number {
  if (kind === "waiting" || run.concurrency === null) return step.maxRowsPerCall;
  return Math.min(step.maxRowsPerCall, laneShare(run, run.concurrency, lane));
}
