/**
 * The time of PostgreSQL. The clocks of machines differ and are set; where a process compares the time with one of a table that others have
 * written, all of them must mean the same. Between two looks it is counted on by a clock that nobody sets.
 */
import { pause } from "../pause.ts";
import { shareTime, TOLERATED_MS } from "../shared-time.ts";
import type { Log } from "../log.ts";
import type { Statements } from "./database.ts";

export interface DatabaseClock {
  date(): Date;
  /** Infinite for a time that never comes. */
  msUntil(time: Date | null): number;
  /** How far the clock of this machine is ahead. */
  aheadMs(): number;
}

/** A clock of PostgreSQL that was set, or a machine that slept, is noticed within this time. */
const LOOK_EVERY_MS = 10_000;
/** What a response takes on its way makes the time as inexact. */
const LONGEST_RESPONSE_MS = 1_000;
/** A clock that is set meanwhile is seen at its next use, and PostgreSQL is asked at once, but not more often than this. */
const SOONEST_LOOK_MS = 1_000;

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
  const now = (): number => performance.now() + (offsetMs ?? 0);
  const aheadMs = (): number => ownNow() - now();
  const warning = warnOfDifferences(log, aheadMs);
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    const sentAt = performance.now();
    lookedAt = sentAt;
    const { rows } = await statements.query<{ ms: number }>({
      name: "database_clock",
      text: "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
      values: [],
    });
    const tookMs = performance.now() - sentAt;
    const [row] = rows;
    // A slow response is less exact than the one before, counted on.
    if (row === undefined || (offsetMs !== undefined && tookMs > LONGEST_RESPONSE_MS)) return;
    // Its time is one between that of the response and this much later: our own clock may be right within that.
    offsetMs = Math.min(Math.max(ownNow(), row.ms), row.ms + tookMs) - (sentAt + tookMs);
    warning.compare();
  }
  // What is away is logged by those who need it.
  const lookIfThere = (): Promise<void> => look().catch(() => undefined);

  await look();
  const stopping = new AbortController();
  const looks = (async () => {
    while (!stopping.signal.aborted) {
      await pause(lookEveryMs, stopping.signal);
      if (!stopping.signal.aborted) await lookIfThere();
    }
  })();
  let extraLook = Promise.resolve();
  const sharing = shareTime(() => {
    // This clock was set, or it stood while the machine slept: which of both, PostgreSQL knows.
    const isDue = warning.isNew() && performance.now() - lookedAt >= SOONEST_LOOK_MS;
    if (isDue && !stopping.signal.aborted) extraLook = lookIfThere();
    return now();
  });
  return {
    date: () => new Date(now()),
    msUntil: (time) => (time === null ? Number.POSITIVE_INFINITY : time.getTime() - now()),
    aheadMs,
    stop: async () => {
      sharing.stop();
      stopping.abort();
      await Promise.all([looks, extraLook]);
    },
  };
}

/** Once for each difference, and not at each look. */
function warnOfDifferences(log: Log, aheadMs: () => number): { isNew: () => boolean; compare: () => void } {
  let knownMs = 0;
  const isNew = (): boolean => Math.abs(aheadMs() - knownMs) >= TOLERATED_MS;
  return {
    isNew,
    compare() {
      if (!isNew()) return;
      const ms = aheadMs();
      knownMs = Math.abs(ms) < TOLERATED_MS ? 0 : ms;
      const seconds = Math.round(Math.abs(ms) / 1_000);
      if (knownMs === 0) log.info("the clock of this machine is that of the database again");
      else
        log.warn(
          { seconds: ms < 0 ? seconds : -seconds },
          `the clock of this machine is ${seconds} seconds ${ms < 0 ? "behind" : "ahead of"} that of the database: set both by NTP`,
        );
    },
  };
}
