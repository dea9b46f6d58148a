/** The lines of two texts as one list: `+` added, `-` removed, and a space where they are the same. */

/** The table has as many cells as the product of both lengths. Texts that are longer are shown one after the other. */
const MAX_LINES = 3000;

export function diffLines(before: string, after: string): string[] {
  const [from, to] = [before.split("\n"), after.split("\n")];
  if (from.length > MAX_LINES || to.length > MAX_LINES)
    return [...from.map((line) => `-${line}`), ...to.map((line) => `+${line}`)];
  const common = commonLengths(from, to);
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < from.length || column < to.length) {
    if (row < from.length && column < to.length && from[row] === to[column]) {
      lines.push(` ${from[row] ?? ""}`);
      row++;
      column++;
    } else if (column >= to.length || (row < from.length && at(common, row + 1, column) >= at(common, row, column + 1)))
      lines.push(`-${from[row++] ?? ""}`);
    else lines.push(`+${to[column++] ?? ""}`);
  }
  return lines;
}

/** Of the longest common subsequence from each pair of lines on. */
function commonLengths(from: readonly string[], to: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  for (let row = from.length - 1; row >= 0; row--) {
    const line = table[row];
    if (line === undefined) continue;
    for (let column = to.length - 1; column >= 0; column--)
      line[column] =
        from[row] === to[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1));
  }
  return table;
}

const at = (table: readonly Uint16Array[], row: number, column: number): number => table[row]?.[column] ?? 0;
