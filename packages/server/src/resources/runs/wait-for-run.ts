/**
 * `GET /v1/runs/{id}?waitSeconds=`: responds when the run has ended, the time is over, or the service stops. Holds no
 * connection of the database meanwhile, and shares its looks with all others of the organization.
 */
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { waitForEnd } from "../../platform/shared-looks.ts";
import type { RunFeeds } from "./run-feed.ts";
import { findRun, showRun } from "./runs.ts";

/** What reads that last need: `closing` aborts when the service stops. */
export interface FollowParts {
  runFeeds: RunFeeds;
  closing: AbortSignal;
}

export const getRun: OperationFunction<"getRun", FollowParts> = async (
  db,
  caller,
  { params: { runId: id }, query: { waitSeconds = 0 } },
  { runFeeds, closing },
) => {
  const run = await findRun(db, caller, id);
  if (run.finishedAt !== null || waitSeconds === 0 || closing.aborted) return showRun(db, run);
  await waitForEnd(runFeeds.follow(db, caller.organizationId, id), waitSeconds, closing);
  return showRun(db, await findRun(db, caller, id));
};
