/**
 * When somebody began to follow a record, by its id. It is kept for a while after the last follower left: clients that wait for long
 * follow it again with each request, and this is one wait.
 */

/** Clients ask again after a second or so, also where the response took some. */
const KEPT_MS = 10_000;
/** A few megabytes. A record that is forgotten only costs more looks. */
const MOST_KEPT = 10_000;

export interface FirstFollows {
  /** Called for the first of the followers: when the wait began, in the milliseconds of `performance.now()`. */
  begin(id: string): number;
  /** The last of the followers left. */
  leave(id: string, firstAt: number): void;
}

export function createFirstFollows(): FirstFollows {
  /** In the order of `leftAt`. */
  const kept = new Map<string, { firstAt: number; leftAt: number }>();
  return {
    begin(id) {
      const now = performance.now();
      const known = kept.get(id);
      kept.delete(id);
      return known !== undefined && now - known.leftAt < KEPT_MS ? known.firstAt : now;
    },
    leave(id, firstAt) {
      const now = performance.now();
      kept.delete(id);
      kept.set(id, { firstAt, leftAt: now });
      for (const [oldest, { leftAt }] of kept) {
        if (kept.size <= MOST_KEPT && now - leftAt < KEPT_MS) break;
        kept.delete(oldest);
      }
    },
  };
}
