/**
 * How many calls a lane may have under way at once. The chunks that a lane has claimed share them, so that the slow rows at
 * the end of one chunk keep no slot empty that the next chunk could use.
 */
export interface CallSlots {
  /** False: all are taken. */
  enter(): boolean;
  leave(): void;
  /** How many more may enter. */
  free(): number;
  /** Resolves when the next one is free. */
  freed(): Promise<void>;
  /** Whether a call that entered waits for a slot of a limiter, for money or for a thread: nothing is sent or computed. */
  noteWait(call: object, isWaiting: boolean): void;
  /** Whether all calls that have entered do. */
  areWaiting(): boolean;
  /** A call that entered waits for a provider that has paused all calls until then, in milliseconds of `performance.now()`; undefined: no more. */
  notePause(call: object, until: number | undefined): void;
  /** When the first of them may go on, where all calls that have entered wait so. */
  pausedUntil(): number | undefined;
}

/** `limit` is read each time, since it may change while the lane works. */
export function createCallSlots(limit: () => number): CallSlots {
  let taken = 0;
  const pauses = new Map<object, number>();
  const waits = new Set<object>();
  let next = Promise.withResolvers<void>();
  return {
    enter() {
      if (taken >= limit()) return false;
      taken++;
      return true;
    },
    leave() {
      taken--;
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    free: () => Math.max(0, limit() - taken),
    freed: () => next.promise,
    noteWait(call, isWaiting) {
      if (isWaiting) waits.add(call);
      else waits.delete(call);
    },
    areWaiting: () => taken > 0 && waits.size === taken,
    notePause(call, until) {
      if (until === undefined) pauses.delete(call);
      else pauses.set(call, until);
    },
    pausedUntil: () => (taken > 0 && pauses.size === taken ? Math.min(...pauses.values()) : undefined),
  };
}
