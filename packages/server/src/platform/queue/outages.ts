/**
 * One line when the database goes away and one when it is back. The queue looks for jobs several times a second with every
 * one of its workers, and would say each time that it could not: what else went wrong would be lost in between.
 */
import { isUnavailable, pgCode } from "../database/database.ts";
import type { Log } from "../log.ts";

/** Between two checks whether it is back; only a reader of the log waits for the result. */
const ASK_EVERY_MS = 1_000;

/** PostgreSQL's codes of a deadlock, and of a failed serialization. The queue repeats its looks, and jobs whose end was not recorded. */
const COLLISIONS: ReadonlySet<string> = new Set(["40P01", "40001"]);

export interface Outages {
  /** An error of the queue, of whatever kind. */
  report(error: unknown): void;
  /** Whether the database is away, or was in the last milliseconds. */
  wasAway(withinMs: number): boolean;
  stop(): void;
}

/** `ask` resolves when the database responds. */
export function createOutages(log: Log, ask: () => Promise<unknown>): Outages {
  let outage: { since: number; errors: number } | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function askLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => void ask().then(end, askLater), ASK_EVERY_MS);
  }

  function end(): void {
    if (outage === undefined) return;
    const { since, errors } = outage;
    outage = undefined;
    endedAt = performance.now();
    log.info({ seconds: Math.round((Date.now() - since) / 1_000), errors }, "the queue's database is back");
  }

  return {
    report(reported) {
      const error = asError(reported);
      // Such as the first start of a database, which sets rights on the queue's tables while the queue looks at them.
      if (COLLISIONS.has(pgCode(error) ?? ""))
        return log.warn({ err: error }, "a statement of the queue met another one, was rolled back, and is repeated");
      if (!isUnavailable(error)) return log.error({ err: error }, "queue");
      if (outage !== undefined) outage.errors += 1;
      else {
        outage = { since: Date.now(), errors: 1 };
        log.warn({ err: error }, "the queue's database is away; what follows from that is not logged until it is back");
        askLater();
      }
    },
    wasAway: (withinMs) => outage !== undefined || performance.now() - endedAt < withinMs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Those of its workers come as plain objects with the members of an error. */
function asError(reported: unknown): Error {
  if (reported instanceof Error) return reported;
  const isMessage = typeof reported === "object" && reported !== null && "message" in reported;
  return Object.assign(new Error(String(isMessage ? reported.message : reported)), reported);
}
