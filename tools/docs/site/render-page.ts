/** From Markdown to what stands in the middle of a page: HTML, its headings, and its text by section for the search. */
import type { Token } from "markdown-it";
import { anchorHeadings, createMarkdown, plainText } from "../markdown.ts";
import type { Heading } from "../markdown.ts";
import { labelCells } from "./cell-labels.ts";
import { groupTabs } from "./code-tabs.ts";
import { highlight } from "./highlight.ts";
import type { ImageSize } from "./image-size.ts";

export interface RenderedPage {
  html: string;
  title: string;
  /** The first paragraph. */
  description: string;
  headings: Heading[];
  sections: Section[];
}

export interface Section {
  /** Empty before the first heading below the title. */
  anchor: string;
  title: string;
  text: string;
}

export interface Surroundings {
  /** Undefined where the target is not served; the link is then only its text. */
  rewriteLink(href: string): string | undefined;
  imageSize(source: string): ImageSize | undefined;
}

const markdown = createMarkdown();
const { escapeHtml } = markdown.utils;
const DESCRIPTION_LENGTH = 200;
/** Marks code of a table, where a long name would take the width of the other columns. */
const IN_CELL = { isInCell: true };
/** Words of a name that are long enough for a line of their own, with more than a few letters behind them; a long member behind its dot. */
const LONG_PART = /(\w{10,}?_)(?=\w{4})|(?<=\.)(?=\w{14})/g;

export function renderPage(text: string, surroundings: Surroundings): RenderedPage {
  const tokens = markdown.parse(text, {});
  const headings = anchorHeadings(tokens);
  const sections = sectionsOf(tokens);
  labelCells(tokens);
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "inline") continue;
    rewriteInline(token, surroundings);
    if (tokens[at - 1]?.type === "td_open")
      for (const child of token.children ?? []) if (child.type === "code_inline") child.meta = IN_CELL;
  }
  const paragraph = tokens.findIndex(({ type, level }) => type === "paragraph_open" && level === 0);
  const description = plainText(tokens[paragraph + 1]?.children ?? []);
  const title = headings.find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error("the page has no heading of the first level");
  return {
    html: groupTabs(tokens, (some) => markdown.renderer.render(some, markdown.options, {})),
    title,
    description: description.length > DESCRIPTION_LENGTH ? `${description.slice(0, DESCRIPTION_LENGTH)}…` : description,
    headings: headings.filter(({ level }) => level === 2 || level === 3),
    sections,
  };
}

function rewriteInline(token: Token, surroundings: Surroundings): void {
  const unlinked: boolean[] = [];
  for (const child of token.children ?? []) {
    if (child.type === "link_open") {
      const href = surroundings.rewriteLink(String(child.attrGet("href")));
      unlinked.push(href === undefined);
      if (href === undefined) child.hidden = true;
      else child.attrSet("href", href);
    } else if (child.type === "link_close") {
      child.hidden = unlinked.pop() ?? false;
    } else if (child.type === "image") {
      const source = String(child.attrGet("src"));
      const size = surroundings.imageSize(source);
      if (size !== undefined) {
        child.attrSet("width", String(size.width));
        child.attrSet("height", String(size.height));
      }
      child.attrSet("src", surroundings.rewriteLink(source) ?? source);
      child.attrSet("loading", "lazy");
    }
  }
}

/** The text below each heading, without code: what is searched. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = [];
  let current: Section = { anchor: "", title: "", text: "" };
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = plainText(tokens[at + 1]?.children ?? []);
      const isTitle = token.tag === "h1";
      current = { anchor: isTitle ? "" : String(token.attrGet("id")), title: isTitle ? "" : title, text: "" };
      sections.push(current);
    } else if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open") {
      current.text += `${current.text === "" ? "" : " "}${plainText(token.children ?? [])}`;
    }
  }
  return sections;
}

const { rules } = markdown.renderer;

// In a table a name may be broken where its words end.
rules["code_inline"] = (tokens, at) => {
  const { content = "", meta = null } = tokens[at] ?? {};
  const text = escapeHtml(content);
  return `<code>${meta === IN_CELL ? text.replaceAll(LONG_PART, "$&<wbr>") : text}</code>`;
};

// Hidden tokens of links are skipped here: the renderer would still draw them.
const link = (tokens: Token[], at: number, tag: string): string => (tokens[at]?.hidden === true ? "" : tag);
rules["link_open"] = (tokens, at, _options, _env, self) => {
  const href = String(tokens[at]?.attrGet("href"));
  const isElsewhere = /^https?:/.test(href);
  return link(
    tokens,
    at,
    isElsewhere ? `<a href="${escapeHtml(href)}" rel="noreferrer">` : `<a${self.renderAttrs(tokens[at] as Token)}>`,
  );
};
rules["link_close"] = (tokens, at) => link(tokens, at, "</a>");

// A link to itself, for people who send it to others.
rules["heading_close"] = (tokens, at) => {
  const open = tokens[at - 2];
  const tag = tokens[at]?.tag ?? "h2";
  const anchor = open?.attrGet("id");
  if (tag === "h1" || anchor === null || anchor === undefined) return `</${tag}>\n`;
  const label = escapeHtml(`Link to “${plainText(tokens[at - 1]?.children ?? [])}”`);
  return ` <a class="anchor" href="#${String(anchor)}" aria-label="${label}">#</a></${tag}>\n`;
};

// What is wider than the page is scrolled, also by keys.
rules["table_open"] = (tokens, at, _options, _env, self) =>
  `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table${self.renderAttrs(tokens[at] as Token)}>\n`;
rules["table_close"] = () => "</table></div>\n";
// On a phone, too: the words of a drawing that fits its width cannot be read.
const image = rules["image"];
rules["image"] = (tokens, at, options, env, self) => {
  const drawn = image?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options);
  if (!String(tokens[at]?.attrGet("src")).endsWith(".svg")) return drawn;
  return `<span class="drawing" role="group" aria-label="Drawing" tabindex="0">${drawn}</span>`;
};
// A head without a word is no head.
rules["th_open"] = (tokens, at, _options, _env, self) =>
  tokens[at + 1]?.content === "" ? "<td>" : `<th scope="col"${self.renderAttrs(aligned(tokens[at] as Token))}>`;
rules["th_close"] = (tokens, at) => (tokens[at - 1]?.content === "" ? "</td>\n" : "</th>\n");
rules["td_open"] = (tokens, at, _options, _env, self) => `<td${self.renderAttrs(aligned(tokens[at] as Token))}>`;

/** Alignment is written as a style, which the pages' policy forbids. */
function aligned(token: Token): Token {
  const style = String(token.attrGet("style") ?? "");
  if (style === "") return token;
  const others = token.attrs?.filter(([name]) => name !== "style") ?? [];
  token.attrs = [["class", style.replace("text-align:", "to-")], ...others];
  return token;
}

rules["fence"] = (tokens, at) => {
  const { info, content } = tokens[at] as Token;
  const name = info.trim().split(/\s+/)[0] ?? "";
  const code = highlight(content, name) ?? escapeHtml(content);
  const label = name === "" || name === "text" ? "Text" : `Code: ${name}`;
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${code}</code></pre>\n`;
};
rules["code_block"] = rules["fence"];
