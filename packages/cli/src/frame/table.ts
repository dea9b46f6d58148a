/** A table for people: columns padded, the widest ones cut where the screen ends. */
import { stripVTControlCharacters } from "node:util";

const GAP = "  ";
/** Below this a cut cell says nothing. */
const MIN_WIDTH = 6;

/** With `isFirstWhole` the first column is never cut: an id that is cut cannot be copied. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  isFirstWhole = false,
): string {
  const cells = [header, ...rows].map((row) => row.map(oneLine));
  const widths = header.map((_, at) => Math.max(...cells.map((row) => lengthOf(row[at] ?? ""))));
  const space = columns - GAP.length * (header.length - 1);
  for (let total = sum(widths); total > space; total = sum(widths)) {
    const cut = isFirstWhole ? widths.slice(1) : widths;
    const widest = cut.indexOf(Math.max(...cut)) + (isFirstWhole ? 1 : 0);
    if ((widths[widest] ?? 0) <= MIN_WIDTH) break;
    // Down to the second widest at once would be unfair to one of two long columns.
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return cells
    .map((row) =>
      row
        .map((cell, at) => fit(cell, widths[at] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

/** Control characters in data would write anywhere on the screen. */
const oneLine = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
const lengthOf = (text: string): number => Array.from(text).length;

function fit(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text + " ".repeat(width - characters.length);
  return `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
