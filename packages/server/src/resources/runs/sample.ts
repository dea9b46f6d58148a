/** A seeded sample without replacement (Floyd's algorithm): the same seed draws the same rows, at the cost of the sample. */

/** Sorted indexes below `size`; all of them if more are asked than exist. */
export function sampleIndexes(size: number, count: number, seed: number): number[] {
  if (count >= size) return Array.from({ length: size }, (_unused, i) => i);
  const random = mulberry32(seed);
  const chosen = new Set<number>();
  for (let j = size - count; j < size; j++) {
    const candidate = Math.floor(random() * (j + 1));
    chosen.add(chosen.has(candidate) ? j : candidate);
  }
  return [...chosen].toSorted((a, b) => a - b);
}

/** A small generator of numbers in [0, 1) with 32 bits of state; quality enough to draw rows, and the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
