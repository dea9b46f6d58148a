/** How Markdown of the documentation is read: CommonMark with tables. Raw HTML is text, but for comments and `<a id="…"></a>`. */
import MarkdownIt from "markdown-it";
import type { MarkdownIt as Markdown, Token } from "markdown-it";

const COMMENT_BEGIN = "<!--";
const COMMENT_END = "-->";
/** Between these, blocks of code that do the same stand behind one another, each after a bold name; pages show them as tabs. */
const TABS_BEGIN = "<!-- tabs -->";
const TABS_END = "<!-- /tabs -->";
const ANCHOR = /^<a id="([\w.-]+)"><\/a>/;

export function createMarkdown(): Markdown {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  markdown.block.ruler.before(
    "paragraph",
    "comment",
    (state, startLine, endLine, silent) => {
      const begin = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      if (!state.src.startsWith(COMMENT_BEGIN, begin)) return false;
      const end = state.src.indexOf(COMMENT_END, begin);
      let line = startLine;
      while (line < endLine && (state.eMarks[line] ?? 0) < end) line++;
      if (end === -1 || line === endLine) return false;
      if (silent) return true;
      const comment = state.src.slice(begin, end + COMMENT_END.length);
      if (comment === TABS_BEGIN) state.push("tabs_open", "", 0);
      if (comment === TABS_END) state.push("tabs_close", "", 0);
      state.line = line + 1;
      return true;
    },
    { alt: ["paragraph", "reference", "blockquote", "list"] },
  );
  markdown.inline.ruler.before("html_inline", "comment", (state) => {
    if (!state.src.startsWith(COMMENT_BEGIN, state.pos)) return false;
    const end = state.src.indexOf(COMMENT_END, state.pos);
    if (end === -1) return false;
    state.pos = end + COMMENT_END.length;
    return true;
  });
  markdown.inline.ruler.before("html_inline", "anchor", (state, silent) => {
    const found = ANCHOR.exec(state.src.slice(state.pos, state.pos + 200));
    if (found?.[1] === undefined) return false;
    if (!silent) state.push("anchor", "a", 0).attrSet("id", found[1]);
    state.pos += found[0].length;
    return true;
  });
  markdown.renderer.rules["tabs_open"] = markdown.renderer.rules["tabs_close"] = () => "";
  markdown.renderer.rules["anchor"] = (tokens, at) => `<a id="${String(tokens[at]?.attrGet("id"))}"></a>`;
  return markdown;
}

export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

/** Gives the headings their anchors, as hosts of repositories make them. */
export function anchorHeadings(tokens: readonly Token[]): Heading[] {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "heading_open") continue;
    const text = plainText(tokens[at + 1]?.children ?? []);
    const plain = slugOf(text);
    const count = taken.get(plain) ?? 0;
    taken.set(plain, count + 1);
    const anchor = count === 0 ? plain : `${plain}-${count}`;
    token.attrSet("id", anchor);
    headings.push({ level: Number(token.tag.slice(1)), text, anchor });
  }
  return headings;
}

const slugOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** What a reader sees of inline tokens; `code` gets what stands between backquotes. */
export function plainText(
  children: readonly Token[],
  code: (content: string) => string = (content) => content,
): string {
  return children
    .map((child) => {
      switch (child.type) {
        case "text":
        case "text_special":
          return child.content;
        case "code_inline":
          return code(child.content);
        case "image":
          return plainText(child.children ?? [], code);
        case "softbreak":
        case "hardbreak":
          return " ";
        default:
          return "";
      }
    })
    .join("");
}

/** Inline tokens with the line (from 1) at which their block begins. */
export function* inlinesOf(tokens: readonly Token[]): Generator<{ line: number; token: Token }> {
  let line = 1;
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type === "inline") yield { line, token };
  }
}
