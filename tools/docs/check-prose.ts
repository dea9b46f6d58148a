/** The prose of the documentation: words that are not written here, the length of sentences, and raw HTML. */
import { inlinesOf, plainText } from "./markdown.ts";
import { isNarrative } from "./page.ts";
import type { Page, Problem } from "./page.ts";
import { bannedWords, compileWords } from "./prose-words.ts";

/** Guide pages are read once, by people who read English as a second language. Code between backquotes is one word. */
const MAX_SENTENCE_WORDS = 32;

/** What a renderer of a repository host would show, and ours would not. */
const RAW_HTML = /<\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>/i;

const patterns = compileWords(bannedWords);

export function checkProse(page: Page): Problem[] {
  return [...checkWords(page), ...checkRawHtml(page), ...(isNarrative(page.path) ? checkSentences(page) : [])];
}

function checkWords(page: Page): Problem[] {
  return proseOf(page).flatMap(({ line, text }) =>
    patterns.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [{ page: page.path, line, message: `"${found}": write ${instead}` }];
    }),
  );
}

/** Looks at the source: what is written as `&lt;` is meant as text. */
function checkRawHtml(page: Page): Problem[] {
  return [...inlinesOf(page.tokens)].flatMap(({ line, token }) => {
    const source = token.content.replaceAll(/(`+)[^`].*?\1|<!--.*?-->|<a id="[\w.-]+"><\/a>/gs, "");
    const found = RAW_HTML.exec(source)?.[0];
    return found === undefined ? [] : [{ page: page.path, line, message: `${found} is shown as text: write Markdown` }];
  });
}

function checkSentences(page: Page): Problem[] {
  return proseOf(page).flatMap(({ line, text }) =>
    sentencesOf(text).flatMap((sentence) => {
      const count = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
      if (count <= MAX_SENTENCE_WORDS) return [];
      return [
        {
          page: page.path,
          line,
          message: `a sentence of ${count} words (at most ${MAX_SENTENCE_WORDS}): ${sentence.slice(0, 60)}…`,
        },
      ];
    }),
  );
}

/** Text of paragraphs, headings, list items and cells. Code is a placeholder without letters that a dictionary could ask for. */
export function proseOf({ tokens }: Pick<Page, "tokens">): { line: number; text: string }[] {
  return [...inlinesOf(tokens)].map(({ line, token }) => ({ line, text: plainText(token.children ?? [], () => "0") }));
}

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?:]["”)]?)\s+(?=["“(]?[\p{Lu}\p{N}])/u);
