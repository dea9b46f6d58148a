/** Why no row finishes: what the server behind the run's connection says to a test request, once a run has stood still for a while. */
import type { Rowmill, Run } from "@rowmill/client";
import { usd } from "../frame/numbers.ts";
import { isLongPause, slowedSentence } from "./slowed-calls.ts";
import type { SlowedCalls } from "./slowed-calls.ts";

/** A slow model is not asked at each of its long responses. */
const PATIENCE_SECONDS = 15;

/** Of the mean cost of a row. A call reserves several times of it, but only a few of the rows in flight may be calls under way. */
const MEANS_RESERVED_PER_ROW = 2;

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
    const reason = await findReason(rowmill, run, request);
    const money = describeMoney(run);
    return money === undefined ? reason : reason === undefined ? `No row finishes: ${money}` : `${reason} Or: ${money}`;
  };
}

/** Near the end of a budget, rows wait for what the calls under way release, and stand as in flight meanwhile. */
function describeMoney({ budget, rows, usage }: Run): string | undefined {
  const ended = rows.succeeded + rows.failed;
  if (budget === null || usage.costUsd === null || ended === 0) return undefined;
  const max = Number(budget.maxCostUsd);
  const left = max - Number(usage.costUsd);
  if (left >= (Number(usage.costUsd) / ended) * rows.running * MEANS_RESERVED_PER_ROW) return undefined;
  return `the budget of ${usd(max)} is nearly used up; rows wait until calls under way have ended, and the run pauses if that does not release enough.`;
}

async function findReason(rowmill: Client, run: Run, request: Request): Promise<string | undefined> {
  try {
    const { processor } = await rowmill.jobSpecs.get(run.jobSpecId, request);
    const connectionId = "connection" in processor ? processor.connection : undefined;
    if (typeof connectionId !== "string") return undefined;
    const { name, baseUrl } = await rowmill.connections.get(connectionId, request);
    const { ok, message } = await rowmill.connections.test(connectionId, request);
    const at = `"${name}" (${new URL(baseUrl).origin})`;
    const since = run.rows.succeeded + run.rows.failed === 0 ? "yet" : `for ${PATIENCE_SECONDS} s`;
    return ok
      ? `No row finishes: ${at} responds to a test, but to no row ${since}. It is slow or busy, or limits how many calls it takes.`
      : `No row finishes: ${at} failed a test just now: ${message} Rows are retried meanwhile; Ctrl-C leaves the run.`;
  } catch {
    // A key without the scope, a deleted connection, an end of the watch. A service that is gone is reported by the reads of the run.
    return undefined;
  }
}
