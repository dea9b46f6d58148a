/**
 * The time that processes share: in ids, in `createdAt`, and where something of a table ends. It is that of PostgreSQL where the clock of this machine
 * is wrong, so that a key ends at the same moment for all of them, and a list has the order in which its things were made.
 */

/** Nobody notices less in what is shown, and NTP keeps clocks far nearer. */
export const TOLERATED_MS = 10_000;

/** The clock of the database in milliseconds; it is asked at each use. */
type SharedClock = () => number;

/** Several in tests, where a process has several services. */
const clocks: SharedClock[] = [];

/** For all of the process, since all of it makes ids. Before that, and after `stop`, its own clock counts. */
export function shareTime(clock: SharedClock): { stop: () => void } {
  clocks.push(clock);
  return { stop: () => void clocks.splice(clocks.indexOf(clock), 1) };
}

export function sharedMs(): number {
  const own = Date.now();
  const ms = clocks.at(-1)?.() ?? own;
  // The clock of the machine is more exact than what a response says of another.
  return Math.abs(ms - own) < TOLERATED_MS ? own : Math.round(ms);
}

export const sharedNow = (): Date => new Date(sharedMs());

/**
 * For the ages of files. Their times are those of this machine, or of a server of files whose clock is another one: nothing may seem old
 * that is not.
 */
export const earlierMs = (): number => Math.min(Date.now(), sharedMs());
/** For the time of a file that shall seem new to all processes. */
export const laterNow = (): Date => new Date(Math.max(Date.now(), sharedMs()));
