/**
 * Spelling, offline: the Hunspell dictionary of US English (`dictionary-en`) read by `nspell`, and the project's own words in
 * `words.txt`. Both together are 0.7 MB in two packages; cspell brings about a hundred, and its current version needs a newer Node
 * than the one that may install this project.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import dictionary from "dictionary-en";
import createSpeller from "nspell";
import { proseOf } from "./check-prose.ts";
import type { Page, Problem } from "./page.ts";

const MIN_LETTERS = 3;

export type Speller = (word: string) => boolean;

export function loadSpeller(): Speller {
  const speller = createSpeller({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) });
  const own = readFileSync(join(import.meta.dirname, "words.txt"), "utf8").split("\n");
  for (const word of own) if (word !== "" && !word.startsWith("#")) speller.add(word);
  const known = new Map<string, boolean>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const isKnown = speller.correct(word);
    known.set(word, isKnown);
    return isKnown;
  };
}

/** Each unknown word once per page. */
export function checkSpelling(page: Page, isKnown: Speller): Problem[] {
  const found = new Map<string, number>();
  for (const { line, text } of proseOf(page))
    for (const word of wordsOf(text)) if (!found.has(word) && !isKnown(word)) found.set(word, line);
  return [...found].map(([word, line]) => ({
    page: page.path,
    line,
    message: `"${word}" is not in the dictionary: correct it, or add it to tools/docs/words.txt`,
  }));
}

/** Not addresses, names of files, and names of code that stand without backquotes. */
function wordsOf(text: string): string[] {
  return text
    .split(/[\s/()[\]{}"“”…,;:!?|=+&<>*·→▶~–—-]+/u)
    .map((word) =>
      word
        .replaceAll("’", "'")
        .replace(/^['.]+|['.]+$/g, "")
        .replace(/'s$/, ""),
    )
    .filter((word) => word.length >= MIN_LETTERS && /^[\p{L}']+$/u.test(word));
}
