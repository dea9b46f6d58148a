/**
 * `GET /v1/runs/{id}?waitSeconds=`: answers when the run has ended, the time is over, or the service stops. Holds no
 * connection of the database meanwhile.
 */
import { pause } from "../../platform/pause.ts";
import type { Run } from "@rowmill/contract/runs";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { findRun, showRun } from "./runs.ts";

/** First looks come soon, since most short runs end soon; later ones cost the database next to nothing. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

export async function waitForRun(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
  waitSeconds: number,
  closing: AbortSignal,
): Promise<Run> {
  const deadline = Date.now() + waitSeconds * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const run = await findRun(db, caller.organizationId, id);
    const leftMs = deadline - Date.now();
    if (run.finishedAt !== null || leftMs <= 0 || closing.aborted) return showRun(db, run);
    await pause(Math.min(pauseMs, leftMs), closing);
  }
}
