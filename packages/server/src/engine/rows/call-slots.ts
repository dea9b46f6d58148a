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
}

/** `limit` is read each time, since it may change while the lane works. */
export function createCallSlots(limit: () => number): CallSlots {
  let taken = 0;
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
  };
}
