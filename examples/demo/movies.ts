/**
 * The demo's file: 3,201 films with what real data has: no rating, no genre, titles that are numbers, quotes and commas. Made of a file
 * of the npm package vega-datasets.
 */
import { readFileSync } from "node:fs";

/** The package names only its code; its data lies beside that. */
const source = new URL("../data/movies.json", import.meta.resolve("vega-datasets"));

interface Film {
  Title: string | number | null;
  "Release Date": string | number | null;
  "Major Genre": string | null;
  "MPAA Rating": string | null;
  Director: string | null;
  "IMDB Rating": number | null;
}

/** The CSV file and how many rows it has, counted from the source, so that the demo knows what must come out. */
export function moviesCsv(): { text: string; rowCount: number } {
  const films = JSON.parse(readFileSync(source, "utf8")) as Film[]; // the package's own data
  const lines = films.map((film) =>
    [
      film.Title,
      yearOf(film["Release Date"]),
      film["Major Genre"],
      film["MPAA Rating"],
      film.Director,
      film["IMDB Rating"],
    ]
      .map(cell)
      .join(","),
  );
  return { text: ["title,year,genre,rating,director,imdb", ...lines, ""].join("\n"), rowCount: films.length };
}

/** `Jun 12 1998`, `1946-12-25` and 1915 are all there. */
const yearOf = (date: string | number | null): string => /\b\d{4}\b/.exec(String(date ?? ""))?.[0] ?? "";

/** A missing value is an empty cell; what has a comma or a quote is quoted. */
function cell(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Enough for a file whose quoted cells hold no line breaks. */
export function splitCsv(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .map(([, text = ""]) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text))
    .slice(0, -1);
}
