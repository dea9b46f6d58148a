/**
 * What the browser searches: every section of every page with its words. The whole text would be several times the size, so a long
 * section has its beginning as it is, for the excerpt, and behind it only the words that are new. The browser builds its index from this.
 */
import type { RenderedPage } from "./render-page.ts";
import type { SearchDocument } from "./search-format.ts";
import type { TitledPage } from "./layout.ts";

/** What an excerpt is cut from, in characters. */
const EXCERPT_LENGTH = 400;

export function searchDocumentOf(contents: readonly { page: TitledPage; rendered: RenderedPage }[]): SearchDocument {
  return {
    pages: contents.map(({ page }) => [page.address, page.title, page.section]),
    sections: contents.flatMap(({ rendered }, at) =>
      rendered.sections
        .filter(({ text, title }) => text !== "" || title !== "")
        .map(({ anchor, title, text }) => [at, anchor, title, ...shortened(text)] as const),
    ),
  };
}

function shortened(text: string): [excerpt: string, words: string] {
  const plain = text.replaceAll(/\s+/g, " ");
  if (plain.length <= EXCERPT_LENGTH) return [plain, ""];
  const end = plain.lastIndexOf(" ", EXCERPT_LENGTH);
  const excerpt = plain.slice(0, end === -1 ? EXCERPT_LENGTH : end);
  const known = new Set(wordsOf(excerpt));
  const added = new Set(wordsOf(plain.slice(excerpt.length)).filter((word) => !known.has(word)));
  return [`${excerpt}…`, [...added].toSorted().join(" ")];
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_.-]{2,}/gu) ?? [];
