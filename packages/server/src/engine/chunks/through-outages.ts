/** For what has been paid for and is not recorded yet: a database that is away for a moment must not cost it. */
import { isUnavailable } from "../../platform/database/database.ts";
import { pause } from "../../platform/pause.ts";

/** A restart or a failover takes seconds; rows of a longer outage are for the worker that gets the job when it is over. */
const LONGEST_OUTAGE_MS = 60_000;
const TRY_AGAIN_MS = 500;

/**
 * Does it again while the database is away, until `signal` aborts. What was done without our hearing of it must not be done
 * twice by that: a commit of results finds out that it was made before (see `commit-chunk.ts`).
 */
export async function throughOutages<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const endsAt = Date.now() + LONGEST_OUTAGE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted || Date.now() >= endsAt) throw error;
    }
    await pause(TRY_AGAIN_MS, signal);
  }
}
