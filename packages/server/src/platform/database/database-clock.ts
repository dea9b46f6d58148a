/**
 * The time of PostgreSQL. The clocks of machines differ and are set; where a process compares the time with one of a table that others have
 * written, all of them must mean the same. Between two looks it is counted on by a clock that nobody sets.
 */
import { pause } from "../pause.ts";
import type { Log } from "../log.ts";
import type { Statements } from "./database.ts";

export interface DatabaseClock {
  date(): Date;
  /** Infinite for a time that never comes. */
  msUntil(time: Date | null): number;
}

/** A clock of PostgreSQL that was set, or a machine that slept, is noticed within this time. */
const LOOK_EVERY_MS = 10_000;
/** What a response takes on its way makes the time as inexact. */
const LONGEST_RESPONSE_MS = 1_000;
/** Nobody notices less in what is shown, and NTP keeps clocks far nearer. */
const TOLERATED_MS = 10_000;

interface Options {
  lookEveryMs?: number;
  /** The clock of this machine. */
  ownNow?: () => number;
}

export async function followDatabaseClock(
  statements: Statements,
  log: Log,
  { lookEveryMs = LOOK_EVERY_MS, ownNow = Date.now }: Options = {},
): Promise<DatabaseClock & { stop: () => Promise<void> }> {
  let offsetMs: number | undefined;
  let differsByMs = 0;
  const now = (): number => performance.now() + (offsetMs ?? 0);

  async function look(): Promise<void> {
    const sentAt = performance.now();
    const { rows } = await statements.query<{ ms: number }>({
      name: "database_clock",
      text: "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
      values: [],
    });
    const tookMs = performance.now() - sentAt;
    const [row] = rows;
    // A slow response is less exact than the one before, counted on.
    if (row === undefined || (offsetMs !== undefined && tookMs > LONGEST_RESPONSE_MS)) return;
    offsetMs = row.ms - (sentAt + tookMs / 2);
    compare();
  }

  /** Once for each difference, and not at each look. */
  function compare(): void {
    const ms = now() - ownNow();
    const isLogged = Math.abs(ms - differsByMs) < TOLERATED_MS;
    if (isLogged) return;
    differsByMs = Math.abs(ms) < TOLERATED_MS ? 0 : ms;
    const seconds = Math.round(Math.abs(ms) / 1_000);
    if (differsByMs === 0) log.info("the clock of this machine is that of the database again");
    else
      log.warn(
        { seconds: ms > 0 ? seconds : -seconds },
        `the clock of this machine is ${seconds} seconds ${ms > 0 ? "behind" : "ahead of"} that of the database: set both by NTP`,
      );
  }

  await look();
  const stopping = new AbortController();
  const looks = (async () => {
    while (!stopping.signal.aborted) {
      await pause(lookEveryMs, stopping.signal);
      // What is away is logged by those who need it.
      if (!stopping.signal.aborted) await look().catch(() => undefined);
    }
  })();
  return {
    date: () => new Date(now()),
    msUntil: (time) => (time === null ? Number.POSITIVE_INFINITY : time.getTime() - now()),
    stop: async () => {
      stopping.abort();
      await looks;
    },
  };
}
