/** Logs what failed in work that is repeated: what fails for an organization again and again, once; what fails for everybody, once a minute. */
import type { Log } from "./log.ts";

/** The same failure of the same organization is logged no more than once in this time. */
const LOGGED_AGAIN_MS = 3_600_000;
/** While the database is away, a dozen tasks fail once a second or more: what else goes wrong would be lost in between. */
const ALL_LOGGED_AGAIN_MS = 60_000;
/** Failures that are remembered for that; beyond these, all are forgotten. */
const MOST_REMEMBERED = 1_000;

/** Of one pass over all organizations (`database/failures-by-organization.ts`). */
export interface FailureOfOrganization {
  organizationId: string;
  error: unknown;
}

export class OrganizationsFailedError extends Error {
  override name = "OrganizationsFailedError";
  readonly failures: readonly FailureOfOrganization[];
  constructor(failures: readonly FailureOfOrganization[]) {
    super("what was done for some organizations has failed");
    this.failures = failures;
  }
}

/** Two parts of the same work, each of which has failed. */
export class BothFailedError extends AggregateError {
  override name = "BothFailedError";
  constructor(errors: readonly [unknown, unknown]) {
    super(errors, "both parts of the work have failed");
  }
}

/** The second is done where the first has failed, too, perhaps for some organizations only. */
export async function doBoth(first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  const [ended] = await Promise.allSettled([first()]);
  try {
    await second();
  } catch (error) {
    throw ended.status === "rejected" ? new BothFailedError([ended.reason, error]) : error;
  }
  if (ended.status === "rejected") throw ended.reason;
}

/** `level`: warnings are for what others go on without. */
export function createFailureLog(
  log: Log,
  level: "error" | "warn" = "error",
): (error: unknown, message: string) => void {
  const loggedAt = new Map<string, number>();
  const isLogged = (key: string, againMs: number): boolean => {
    const now = performance.now();
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return true;
    if (loggedAt.size >= MOST_REMEMBERED) loggedAt.clear();
    loggedAt.set(key, now);
    return false;
  };
  return function logFailure(error, message) {
    if (error instanceof BothFailedError) return error.errors.forEach((each) => logFailure(each, message));
    if (!(error instanceof OrganizationsFailedError)) {
      if (!isLogged(JSON.stringify([message, textOf(error)]), ALL_LOGGED_AGAIN_MS)) log[level]({ err: error }, message);
      return;
    }
    for (const { organizationId, error: cause } of error.failures) {
      if (isLogged(JSON.stringify([message, organizationId, textOf(cause)]), LOGGED_AGAIN_MS)) continue;
      log[level]({ err: cause, organizationId }, `${message}, for an organization; the others are done`);
    }
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
