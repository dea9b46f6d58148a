/** Why no row finishes: what the server behind the run's connection says to a test request, once a run has stood still for a while. */
import type { Rowmill, Run } from "@rowmill/client";
import { isLongPause, slowedSentence } from "./slowed-calls.ts";
import type { SlowedCalls } from "./slowed-calls.ts";

/** A slow model is not asked at each of its long responses. */
const PATIENCE_SECONDS = 15;

type Client = Pick<Rowmill, "jobSpecs" | "connections">;
type Request = { signal: AbortSignal };

/** Resolves at most once with a sentence; undefined where there is nothing to say. */
export function createSilenceReport(
  rowmill: Client,
  slowedCalls: () => SlowedCalls | undefined,
  now: () => number = Date.now,
) {
  let movedAt: number | undefined;
  let finishedBefore = -1;
  let isSaid = false;
  return async (run: Run, finished: number, request: Request): Promise<string | undefined> => {
    if (movedAt === undefined || finished !== finishedBefore || run.state !== "running") {
      movedAt = now();
      finishedBefore = finished;
    }
    if (isSaid || now() - movedAt < PATIENCE_SECONDS * 1000) return undefined;
    isSaid = true;
    const slowed = slowedCalls();
    // The provider has named its reason, and a test would be one more call that it refuses.
    if (slowed !== undefined && isLongPause(slowed)) return `No row finishes: ${slowedSentence(slowed, now())}`;
    return findReason(rowmill, run, request);
  };
}

async function findReason(rowmill: Client, run: Run, request: Request): Promise<string | undefined> {
  try {
    const { processor } = await rowmill.jobSpecs.get(run.jobSpecId, request);
    const connectionId = "connection" in processor ? processor.connection : undefined;
    if (typeof connectionId !== "string") return undefined;
    const { name, baseUrl } = await rowmill.connections.get(connectionId, request);
    const { ok, message } = await rowmill.connections.test(connectionId, request);
    const at = `"${name}" (${new URL(baseUrl).origin})`;
    return ok
      ? `No row finishes: ${at} responds to a test, but to no row yet. It is slow or busy, or limits how many calls it takes.`
      : `No row finishes: ${at} failed a test just now: ${message} Rows are retried meanwhile; Ctrl-C leaves the run.`;
  } catch {
    // A key without the scope, a deleted connection, an end of the watch. A service that is gone is reported by the reads of the run.
    return undefined;
  }
}
