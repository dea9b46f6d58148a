/** Numbers that a seed repeats: a trial that found a fault is made again by its number. */

export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** The same in another order. */
  shuffle<T>(from: readonly T[]): T[];
}

/** The generator "mulberry32" (Tommy Ettinger, public domain): 32 bits of state are plenty for moments and choices. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    pick<T>(from: readonly T[]): T {
      const picked = from[integer(0, from.length - 1)];
      if (picked === undefined) throw new Error("there is nothing to pick from");
      return picked;
    },
    shuffle: <T>(from: readonly T[]): T[] =>
      from
        .map((one) => ({ one, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one),
  };
}
