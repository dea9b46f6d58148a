/** Which of a family's results is a row's: the rule of resolved results, as a pure function. */
import type { ResultState } from "@rowmill/contract/run-results";

/** What one run of the family has to say of the row. */
export interface Candidate {
  runId: string;
  retryNumber: number;
  /** The run was asked for its rows by selection `all` or `rows`. */
  isExplicit: boolean;
  state: ResultState;
  /** When the result was recorded, in microseconds of the database's clock; later than everything while there is none. */
  finishedAt: number;
}

/**
 * The row's first success, unless a later run that was asked for it by selection `all` or `rows` succeeded: then the newest
 * of those. Else its newest terminal non-success, else pending. A failure never hides an earlier success.
 */
export function resolveRow(candidates: readonly Candidate[]): { state: ResultState; candidate: Candidate | undefined } {
  const successes = candidates.filter((c) => c.state === "succeeded");
  const explicit = best(
    successes.filter((c) => c.isExplicit),
    (a, b) => a.retryNumber > b.retryNumber,
  );
  const chosen =
    explicit ??
    best(
      successes,
      (a, b) => a.finishedAt < b.finishedAt || (a.finishedAt === b.finishedAt && a.retryNumber < b.retryNumber),
    ) ??
    best(
      candidates.filter((c) => c.state !== "succeeded" && c.state !== "pending"),
      (a, b) => a.retryNumber > b.retryNumber,
    );
  return { state: chosen?.state ?? "pending", candidate: chosen };
}

function best(
  candidates: readonly Candidate[],
  isBetter: (a: Candidate, b: Candidate) => boolean,
): Candidate | undefined {
  let chosen: Candidate | undefined;
  for (const candidate of candidates) if (chosen === undefined || isBetter(candidate, chosen)) chosen = candidate;
  return chosen;
}
