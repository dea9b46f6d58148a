/** The name that somebody probably meant by one that does not exist. */

/** Of more than this, nobody has mistyped one name for another. */
const MAX_NAME_LENGTH = 60;
/** One wrong character in three: beyond that, the names merely look alike. */
const CHARACTERS_PER_MISTAKE = 3;

/** Spellings of one name: `dataset_id`, `datasetID` and `dataset-id` are `datasetId`. */
const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * `aliases` maps folded names that other products use to ours, the likeliest first. They win over similar spellings, but not
 * over an equal one.
 */
export function nearestName(
  name: string,
  known: readonly string[],
  aliases: Readonly<Record<string, readonly string[]>> = {},
): string | undefined {
  const folded = fold(name.slice(0, MAX_NAME_LENGTH + 1));
  if (folded === "" || folded.length > MAX_NAME_LENGTH) return undefined;
  const same = known.find((candidate) => fold(candidate) === folded);
  if (same !== undefined) return same;
  const meant = Object.hasOwn(aliases, folded) ? aliases[folded]?.find((alias) => known.includes(alias)) : undefined;
  if (meant !== undefined) return meant;
  let nearest: string | undefined;
  let fewest = Math.max(1, Math.floor(folded.length / CHARACTERS_PER_MISTAKE)) + 1;
  for (const candidate of known) {
    const mistakes = editDistance(folded, fold(candidate));
    // Two characters have one mistake in common with nearly everything.
    if (mistakes < fewest && mistakes < candidate.length - 1) {
      nearest = candidate;
      fewest = mistakes;
    }
  }
  return nearest;
}

/** " Did you mean `x`?", or nothing. */
export function didYouMean(
  name: string,
  known: readonly string[],
  aliases?: Readonly<Record<string, readonly string[]>>,
): string {
  const nearest = nearestName(name, known, aliases);
  return nearest === undefined || nearest === name ? "" : ` Did you mean \`${nearest}\`?`;
}

export const isOneMistakeFrom = (name: string, known: string): boolean =>
  name.length <= known.length + 1 && editDistance(name, known) === 1;

/** Insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let fewest = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        fewest = Math.min(fewest, (beforeLast[j - 2] ?? 0) + 1);
      row.push(fewest);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
