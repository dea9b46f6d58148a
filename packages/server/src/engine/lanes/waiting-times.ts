/** How long batches are waited for, and how often they are looked at. */
import { DEFAULT_MAX_WAIT_SECONDS } from "@rowmill/contract/job-spec-policies";
import type { RunRecord } from "../../resources/runs/runs.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";

/** Of the time between a run's start and its deadline, the last part is kept for rows that batches leave unanswered. */
const REAL_TIME_SHARE = 0.25;
/** Providers take up to ten minutes to cancel a batch; a day's run needs no more than the rest of this for its leftovers. */
const MOST_REAL_TIME_MS = 2 * 3_600_000;
/** A provider that has not canceled by then is not waited for: its responses are lost, and paid for. */
export const CANCEL_WAIT_MS = 15 * 60_000;
/** Pauses grow by half each time, so that a batch of a day is asked for some two hundred times. */
const POLL_GROWTH = 1.5;
const LONGEST_POLL_FACTOR = 20;

/** From then on rows of the run go on in real time; undefined: it has no deadline. */
export function realTimeFrom({ startedAt, createdAt, deadlineAt }: RunRecord): Date | undefined {
  if (deadlineAt === null) return undefined;
  const begun = (startedAt ?? createdAt).getTime();
  const kept = Math.min(MOST_REAL_TIME_MS, (deadlineAt.getTime() - begun) * REAL_TIME_SHARE);
  return new Date(deadlineAt.getTime() - kept);
}

/** Until then the batch is waited for. */
export function waitsUntil(batch: Pick<BatchRecord, "createdAt">, run: RunRecord): Date {
  const execution = run.execution;
  const seconds = execution?.mode === "provider_batch" ? (execution.maxWaitSeconds ?? DEFAULT_MAX_WAIT_SECONDS) : 0;
  const byWait = batch.createdAt.getTime() + seconds * 1_000;
  return new Date(Math.min(byWait, realTimeFrom(run)?.getTime() ?? Number.POSITIVE_INFINITY));
}

/** Seconds until the batch is looked at again: never past the time until which it is waited for. */
export function pollDelaySeconds(
  firstSeconds: number,
  polls: number,
  { now, until, retryAfterMs = 0 }: { now: Date; until: Date; retryAfterMs?: number | undefined },
): number {
  const grown = firstSeconds * Math.min(LONGEST_POLL_FACTOR, POLL_GROWTH ** polls);
  const seconds = Math.max(grown, retryAfterMs / 1_000);
  const left = (until.getTime() - now.getTime()) / 1_000;
  const delay = left > 0 ? Math.min(seconds, left) : seconds;
  return delay < 1 ? delay : Math.ceil(delay);
}
