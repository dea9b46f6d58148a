/**
 * Waits at a start for a PostgreSQL that does not respond yet: machines of an installation start together, and a busy server takes its
 * time to accept connections. What waiting cannot cure, such as a wrong password, is thrown at once.
 */
import { codeOf } from "../error-code.ts";
import type { Log } from "../log.ts";
import { pause } from "../pause.ts";
import { plural } from "../plural.ts";

const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;

/** Codes of the system, and of PostgreSQL: it starts, stops, has no connection left, or has resolved a deadlock. */
const PASSING = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "40P01",
  "53300",
  "57P01",
  "57P02",
  "57P03",
]);

/** What `pg` says, without a code. */
const PASSING_WORDS =
  /timeout expired|connection timeout|Connection terminated|timeout exceeded when trying to connect|read timeout/i;

export interface StartPatience {
  log: Log;
  /** `performance.now()` after which the last error is thrown. */
  until: number;
  /** Aborts when the process is asked to stop. */
  stopping?: AbortSignal | undefined;
  /** Set when the first line is logged: one says what is waited for. */
  hasLogged: boolean;
}

/** `mayPass`: whether another attempt may succeed. */
export async function waitForServer<T>(
  patience: StartPatience,
  attempt: () => Promise<T>,
  mayPass: (error: unknown) => boolean = isPassing,
): Promise<T> {
  const { log, until, stopping = new AbortController().signal } = patience;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2)) {
    stopping.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const leftMs = until - performance.now();
      if (!mayPass(error) || leftMs <= 0) throw error;
      if (!patience.hasLogged)
        log.warn(
          `the start waits for PostgreSQL (${describe(error)}), for up to ${plural(Math.ceil(leftMs / 1000), "second")}: ROWMILL_DATABASE_WAIT_SECONDS`,
        );
      patience.hasLogged = true;
      await pause(Math.min(pauseMs, leftMs), stopping);
    }
  }
}

/** A name with several addresses has an error for each. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  const code = codeOf(error);
  // A socket that a local server has not made yet. A file that is missing, such as a certificate, has the same code.
  if (code === "ENOENT") return error instanceof Error && "syscall" in error && error.syscall === "connect";
  if (code !== undefined) return PASSING.has(code);
  return error instanceof Error && PASSING_WORDS.test(error.message);
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
