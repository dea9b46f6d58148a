/**
 * One line when the database goes away and one when it is back. The queue looks for jobs several times a second with every
 * one of its workers, and would say each time that it could not: what else went wrong would be lost in between.
 */
import { isUnavailable } from "../database/database.ts";
import type { Log } from "../log.ts";

/** Between two questions whether it is back; only who reads the log waits for the answer. */
const ASK_EVERY_MS = 1_000;

export interface Outages {
  /** An error of the queue, of whatever kind. */
  report(error: unknown): void;
  stop(): void;
}

/** `ask` resolves when the database answers. */
export function createOutages(log: Log, ask: () => Promise<unknown>): Outages {
  let outage: { since: number; errors: number } | undefined;
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
    log.info({ seconds: Math.round((Date.now() - since) / 1_000), errors }, "the queue's database is back");
  }

  return {
    report(reported) {
      const error = asError(reported);
      if (!isUnavailable(error)) return log.error({ err: error }, "queue");
      if (outage !== undefined) outage.errors += 1;
      else {
        outage = { since: Date.now(), errors: 1 };
        log.warn({ err: error }, "the queue's database is away; what follows from that is not logged until it is back");
        askLater();
      }
    },
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
