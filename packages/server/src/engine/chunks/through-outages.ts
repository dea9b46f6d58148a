/** For what has been paid for and is not recorded yet: a database that is away for a moment must not cost it. */
import { setTimeout as wait } from "node:timers/promises";
import { isUnavailable } from "../../platform/database/database.ts";
import { pause } from "../../platform/pause.ts";

/** A restart or a failover takes seconds; rows of a longer outage are for the worker that gets the job when it is over. */
const LONGEST_OUTAGE_MS = 60_000;
/** After that of the work: a process that stops has hardly more, and a run that was canceled is waited for. */
const LONGEST_OUTAGE_AT_END_MS = 5_000;
const TRY_AGAIN_MS = 500;

/**
 * Does it again while the database is away, for a moment only once `signal`, of the work, has aborted. What was done without our hearing of it must not be done
 * twice by that: a commit of results finds out that it was made before (see `commit-chunk.ts`).
 */
export async function throughOutages<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let endsAt = performance.now() + LONGEST_OUTAGE_MS;
  let isEnding = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted && !isEnding) {
        isEnding = true;
        endsAt = Math.min(endsAt, performance.now() + LONGEST_OUTAGE_AT_END_MS);
      }
      if (!isUnavailable(error) || performance.now() >= endsAt) throw error;
    }
    await (isEnding ? wait(TRY_AGAIN_MS) : pause(TRY_AGAIN_MS, signal));
  }
}
