/**
 * `GET /v1/runs/{id}?waitSeconds=`: responds when the run has ended or pauses, the time is over, or the service stops; at once where
 * its key has many such reads. A run that is paused already is waited for: its client knows, and would ask again and again. Holds no
 * connection of the database meanwhile, and shares its looks with all others of the organization.
 */
import type { OperationFunction } from "../../platform/http/handlers.ts";
import type { WaitingReads } from "../../platform/http/waiting-reads.ts";
import { BUDGET_EXHAUSTED } from "./run-actions.ts";
import type { RunFeeds } from "./run-feed.ts";
import { findRun, showRun } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

/** What reads that last need: `closing` aborts when the service stops. */
export interface FollowParts {
  runFeeds: RunFeeds;
  closing: AbortSignal;
}

export const getRun: OperationFunction<
  "getRun",
  Pick<FollowParts, "runFeeds"> & { waitingReads: WaitingReads }
> = async (db, caller, { params: { runId: id }, query: { waitSeconds = 0 } }, { runFeeds, waitingReads }) => {
  const run = await findRun(db, caller, id);
  if (run.finishedAt !== null || waitSeconds === 0) return showRun(db, run);
  // Each resumption begins another generation of lanes: a pause that follows one between two looks is another pause.
  const knownPause = run.state === "paused" ? run.laneGeneration : undefined;
  const isOver = (now: RunRecord): boolean =>
    now.finishedAt !== null || (now.state === "paused" && now.laneGeneration !== knownPause && !endsByItself(now));
  await waitingReads.wait(caller, waitSeconds, () => runFeeds.follow(db, caller.organizationId, id), isOver);
  return showRun(db, await findRun(db, caller, id));
};

/** With `onExceeded: cancel`, a run is paused only until its calls in flight have ended. */
const endsByItself = ({ stateReason, budget }: RunRecord): boolean =>
  stateReason === BUDGET_EXHAUSTED && budget?.onExceeded === "cancel";
