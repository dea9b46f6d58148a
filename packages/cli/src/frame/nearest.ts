/** What a person may have meant by a name that does not exist. */

/** A name may differ by a third of its letters from the one that was meant. */
const NEAR_PART = 3;

export function nearestTo(name: string, names: readonly string[]): string | undefined {
  const same = names.find((other) => other.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return same;
  const [best] = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= Math.max(name.length, other.length) / NEAR_PART)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.other;
}

/** The `count` names that differ least from `name`, the nearest first: also those that are not near. A shared word counts most. */
export function nearestOf(name: string, names: readonly string[], count: number): string[] {
  const words = new Set(wordsOf(name));
  return names
    .map((other) => ({
      other,
      shared: wordsOf(other).filter((word) => words.has(word)).length,
      distance: editDistance(name.toLowerCase(), other.toLowerCase()),
    }))
    .toSorted((one, other) => other.shared - one.shared || one.distance - other.distance)
    .slice(0, count)
    .map(({ other }) => other);
}

const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

/** Insertions, deletions, replacements and swaps of neighbors (optimal string alignment), in two lines of memory. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let line = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, character] of Array.from(from).entries()) {
    const next = [row + 1];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (line[at - 1] ?? 0) + (to[at - 1] === character ? 0 : 1);
      const isSwap = row > 0 && at > 1 && from[row - 1] === to[at - 1] && character === to[at - 2];
      const swapped = isSwap ? (before[at - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (line[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    before = line;
    line = next;
  }
  return line[to.length] ?? 0;
}
