/** Logs what failed in work that is repeated: what fails for an organization again and again, once. */
import type { Log } from "./log.ts";

/** The same failure of the same organization is logged no more than once in this time. */
const LOGGED_AGAIN_MS = 3_600_000;
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

export function createFailureLog(log: Log): (error: unknown, message: string) => void {
  const loggedAt = new Map<string, number>();
  const isLogged = (key: string): boolean => {
    const now = performance.now();
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < LOGGED_AGAIN_MS) return true;
    if (loggedAt.size >= MOST_REMEMBERED) loggedAt.clear();
    loggedAt.set(key, now);
    return false;
  };
  return function logFailure(error, message) {
    if (error instanceof BothFailedError) return error.errors.forEach((each) => logFailure(each, message));
    if (!(error instanceof OrganizationsFailedError)) return log.error({ err: error }, message);
    for (const { organizationId, error: cause } of error.failures) {
      const text = cause instanceof Error ? cause.message : String(cause);
      if (isLogged(JSON.stringify([message, organizationId, text]))) continue;
      log.error({ err: cause, organizationId }, `${message}, for an organization; the others are done`);
    }
  };
}
