/**
 * How fast a run goes now, from what this command has seen lately. The service's own rate is the mean since the start of the run: after a
 * pause or a crash it counts the time in which nothing could happen.
 */

/** Long enough that a chunk of slow rows does not make it jump. */
const WINDOW_MS = 10_000;
/** Before, a rate says little. */
const LEAST_MS = 800;

export interface Pace {
  /** Null until enough was seen. */
  rowsPerSecond: number | null;
  /** Null where nothing moves, and where only the end of the run is still to come. */
  secondsLeft: number | null;
  /** Since a row has finished last, as far as this command has seen. */
  stillSeconds: number;
}

export interface Paced {
  finished: number;
  total: number;
}

/** Called with every look at the run. */
export function createPace(now: () => number = Date.now): (seen: Paced) => Pace {
  const looks: { at: number; finished: number }[] = [];
  let movedAt: number | undefined;
  return ({ finished, total }) => {
    const at = now();
    if (movedAt === undefined || finished !== looks.at(-1)?.finished) movedAt = at;
    const stillSeconds = (at - movedAt) / 1000;
    looks.push({ at, finished });
    while (looks.length > 2 && (looks[0]?.at ?? at) < at - WINDOW_MS) looks.shift();
    const [first = { at, finished }] = looks;
    const elapsedMs = at - first.at;
    if (elapsedMs < LEAST_MS) return { rowsPerSecond: null, secondsLeft: null, stillSeconds };
    const rowsPerSecond = ((finished - first.finished) * 1000) / elapsedMs;
    const secondsLeft = rowsPerSecond === 0 || finished >= total ? null : (total - finished) / rowsPerSecond;
    return { rowsPerSecond, secondsLeft, stillSeconds };
  };
}
