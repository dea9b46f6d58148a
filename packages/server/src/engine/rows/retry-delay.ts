/** Whether and when a run tries a failed row again by itself. */
import { failureCodes } from "@rowmill/contract/failures";
import type { RetryPolicy } from "@rowmill/contract/job-spec-policies";
import type { RowFailure } from "../../processors/processor.ts";

const DEFAULT_RETRY = { maxAttempts: 4, initialDelayMs: 1000, multiplier: 2, maxDelayMs: 60_000 };
/** A provider that asks for a longer wait is not waited for: somebody should decide. The row ends as a retryable failure. */
export const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/**
 * Undefined when the run does not try again: only transient and system failures may pass by themselves.
 * `chance` is a random number in [0, 1): with it, rows that failed together do not come back together.
 */
export function delayBeforeAttempt(
  policy: RetryPolicy,
  failure: RowFailure,
  attemptsMade: number,
  chance: number,
): number | undefined {
  const retry = { ...DEFAULT_RETRY, ...policy };
  const { class: failureClass } = failureCodes[failure.code];
  const mayPass =
    failureClass === "transient" || failureClass === "system"
      ? failure.retryable !== false
      : failureClass === "http" && failure.retryable === true;
  if (!mayPass || failure.triedAgain === false || attemptsMade >= retry.maxAttempts) return undefined;
  if ((failure.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return undefined;
  const ceiling = Math.min(retry.maxDelayMs, retry.initialDelayMs * retry.multiplier ** (attemptsMade - 1));
  return Math.max(failure.retryAfterMs ?? 0, chance * ceiling);
}
