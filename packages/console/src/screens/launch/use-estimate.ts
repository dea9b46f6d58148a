/** What the run or the retry that a form describes would take and cost. */
import { useQuery } from "@tanstack/react-query";
import { RowmillApiError } from "@rowmill/client";
import type { RunEstimate } from "@rowmill/client";
import { useSettled } from "../../lib/settled.ts";

/** An organization has two dry runs at once, and one that counts the rows of a filter may take half a minute. */
const MOST_WAITS = 20;
const WAIT_MS = 2_000;
/** A filter is evaluated over all rows, and the service does not stop when nobody waits for it any more. */
const FILTER_SETTLED_MS = 1_200;

export interface Estimate {
  /** That of before, while another one is on its way. */
  estimate: RunEstimate | undefined;
  /** Whether it is that of what the form says now. */
  isCurrent: boolean;
  error: unknown;
}

/** `body` is asked for once it has not changed for a moment. A request that is of no more use is broken off. */
export function useEstimate<B extends object>(
  key: string,
  body: B,
  ask: (body: B, options: { signal: AbortSignal }) => Promise<RunEstimate>,
  { isEnabled = true, isFilter = false } = {},
): Estimate {
  const wanted = JSON.stringify(body);
  const settled = useSettled(wanted, isFilter ? FILTER_SETTLED_MS : undefined);
  const isSettled = settled === wanted;
  const { data, error, isPlaceholderData } = useQuery({
    // Not below "runs": a run that begins changes no estimate of this form.
    queryKey: [key, settled],
    queryFn: ({ signal }) => ask(JSON.parse(settled) as B, { signal }), // as it was written above
    enabled: isEnabled && isSettled,
    retry: (count, problem) => isBusy(problem) && count < MOST_WAITS,
    retryDelay: WAIT_MS,
    placeholderData: (before) => before,
  });
  return {
    estimate: data,
    isCurrent: isSettled && data !== undefined && !isPlaceholderData,
    error: isSettled ? error : null,
  };
}

/** Other dry runs are at work: this one has its turn after them. */
const isBusy = (error: unknown): boolean => error instanceof RowmillApiError && error.status === 429;
