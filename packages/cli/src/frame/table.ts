/** A table for people: columns padded, the widest ones cut where the screen ends. */
import { stripVTControlCharacters } from "node:util";
import measure from "fast-string-truncated-width";

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
  const widths = header.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ""))));
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
const oneLine = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, " ").replace(INVISIBLE, "");
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/** Marks that take no place, and those that turn the direction of what follows. Joiners of emoji and letters stay. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** In columns of the screen: Chinese, Japanese and Korean characters and emoji take two. */
export const widthOf = (text: string): number => measure(text).width;

/** Exactly `width` columns: filled up, or cut between two characters that a person sees. */
function fit(text: string, width: number): string {
  const { index, width: taken, truncated } = measure(text, { limit: width, ellipsis: "…" });
  // A character of two columns that does not fit leaves one.
  const kept = truncated ? `${text.slice(0, index)}…` : text;
  return kept + " ".repeat(Math.max(0, width - (truncated ? widthOf(kept) : taken)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
