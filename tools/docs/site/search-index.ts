/**
 * What the browser searches: every section of every page with its words. The whole text would be several times the size, so a long
 * section has its beginning as it is, for the excerpt, and behind it only the words that are new. The browser builds its index from this.
 */
import type { RenderedPage } from "./render-page.ts";
import type { SearchDocument } from "./search-format.ts";
import type { TitledPage } from "./layout.ts";

/** What an excerpt is cut from, in characters. */
const EXCERPT_LENGTH = 180;
/** A word of more of the sections than this share does not distinguish them, and is left out behind the excerpt. */
const MAX_SHARE_OF_SECTIONS = 0.03;

export function searchDocumentOf(contents: readonly { page: TitledPage; rendered: RenderedPage }[]): SearchDocument {
  const sections = contents.flatMap(({ rendered }, page) =>
    rendered.sections.filter(({ text, title }) => text !== "" || title !== "").map((section) => ({ page, ...section })),
  );
  const counts = new Map<string, number>();
  for (const { text } of sections)
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isRare = (word: string): boolean =>
    (counts.get(word) ?? 0) <= Math.max(MIN_SECTIONS, sections.length * MAX_SHARE_OF_SECTIONS);
  return {
    pages: contents.map(({ page }) => [page.address, page.title, page.section]),
    sections: sections.map(({ page, anchor, title, text }) => [page, anchor, title, ...shortened(text, isRare)]),
  };
}

/** In few sections every word counts. */
const MIN_SECTIONS = 10;

function shortened(text: string, isRare: (word: string) => boolean): [excerpt: string, words: string] {
  const plain = text.replaceAll(/\s+/g, " ");
  if (plain.length <= EXCERPT_LENGTH) return [plain, ""];
  const end = plain.lastIndexOf(" ", EXCERPT_LENGTH);
  const excerpt = plain.slice(0, end === -1 ? EXCERPT_LENGTH : end);
  const known = new Set(wordsOf(excerpt));
  const added = new Set(
    wordsOf(plain.slice(excerpt.length)).filter((word) => !known.has(word) && !MEASURED.test(word) && isRare(word)),
  );
  return [`${excerpt}…`, [...added].toSorted().join(" ")];
}

/** A measured value: nobody looks for one, and the tables of measurements have hundreds. */
const MEASURED = /^\d+\.\d+\.?$/;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_.-]{3,}/gu) ?? [];
