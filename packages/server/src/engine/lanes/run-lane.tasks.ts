/** A lane as a queued job: it takes its turn where its organization may have a place, and goes to the back of the line. */
import { isUnavailable } from "../../platform/database/database.ts";
import { forOrganization } from "../../platform/database/tenants.ts";
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { Job, Wanted } from "../../platform/queue/queue.ts";
import { laneQueues } from "../../resources/runs/lanes.ts";
import type { LaneJob } from "../../resources/runs/lanes.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import type { Trials } from "../chunks/trials.ts";
import { createResultMeter } from "../policies/storage-policy.ts";
import { beginTurn, endTurn, failUnprepared, findLeftClaims, releaseLeftClaims, stepAside } from "./lane-turns.ts";
import type { WorkEnd } from "./lane-turns.ts";
import { isExtraLane, mayHaveExtraLanes, othersWillClaim } from "./extra-lanes.ts";
import type { LaneLoad } from "./extra-lanes.ts";
import { openBatches } from "./open-batches.ts";
import { createPreparedRuns } from "./prepared-runs.ts";
import type { LaneParts, PreparedRun, WithTasks } from "./prepared-runs.ts";
import { SharedSteps } from "./shared-steps.ts";
import { Turn } from "./turn.ts";

export interface LaneWorkerOptions {
  /** Of the whole process. */
  trials: Trials;
  kind: LaneKind;
  /** Of this process and kind. */
  load: LaneLoad;
}

export function createLaneWorker(allParts: WithTasks<LaneParts>, { kind, trials, load }: LaneWorkerOptions) {
  const prepared = createPreparedRuns();
  const meter = createResultMeter();
  const steps = new SharedSteps<RunRecord>();
  const wanted = (): Wanted => allParts.queue.wanted(laneQueues[kind]);

  /** An extra lane of the run has no place here. */
  const isUnwanted = (run: RunRecord): boolean =>
    !mayHaveExtraLanes(run) || load.isFull() || allParts.queue.isWaitedFor(laneQueues[kind]);

  return async function takeTurn(job: Job<LaneJob>): Promise<void> {
    const { organizationId } = job.data;
    const parts = forOrganization(allParts, organizationId);
    const end = (how: WorkEnd, pauseSeconds?: number): Promise<void> =>
      how === "ended"
        ? steps.end(job.data.runId, () => endTurn(parts, job, how))
        : endTurn(parts, job, how, pauseSeconds);
    const left = await findLeftClaims(parts, job);
    // Who has the job now goes on with the lane.
    if (left === undefined) return;
    if (!trials.mayBegin() || !job.isWithinShare) return stepAside(parts, job, left);
    const run = await beginTurn(parts, job.data, steps);
    if (run === undefined) {
      await releaseLeftClaims(parts, job, left);
      await end("ended");
      return;
    }
    let ready: PreparedRun;
    try {
      ready = await prepared.of(parts, run);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await failUnprepared(parts, run, error);
      return;
    }
    await openBatches(parts, run, ready.definition);
    const turn = new Turn(parts, job, run, ready, { left, kind, trials, meter, wanted });
    ready.turns++;
    const leave = load.enter();
    const how = await turn.take().finally(() => {
      ready.turns--;
      leave();
    });
    if (how === "taken" || job.signal.aborted) return;
    // What a transaction of its lost worker kept locked, until now perhaps, could not be claimed; and one that lives may have claimed more.
    const stillLeft = await findLeftClaims(parts, job);
    if (stillLeft === undefined || (await releaseLeftClaims(parts, job, stillLeft)).isSentAgain) return;
    const isSpare = isExtraLane(job.data.lane) && isUnwanted(run) && (await othersGoOn(parts, run, how));
    await end(isSpare ? "spare" : how, turn.paused.seconds);
  };
}

/** Without this lane: one that has found nothing to claim looks at what rests, too. */
async function othersGoOn(parts: LaneParts, run: RunRecord, end: WorkEnd): Promise<boolean> {
  return end === "over" || (end === "released" && (await othersWillClaim(parts.database.db, run)));
}
