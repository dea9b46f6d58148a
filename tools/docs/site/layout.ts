/** A whole page: what stands around the text of each. */
import type { Heading } from "../markdown.ts";
import { relativeAddress } from "./links.ts";
import type { SitePage } from "./site-pages.ts";

export interface Assets {
  style: string;
  theme: string;
  script: string;
  icon: string;
  search: string;
}

export interface TitledPage extends SitePage {
  title: string;
  /** In the tree. */
  label: string;
}

export interface PageContent {
  page: TitledPage;
  html: string;
  description: string;
  headings: readonly Heading[];
}

export interface Site {
  pages: readonly TitledPage[];
  assets: Assets;
  version: string;
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export function layOutPage(
  { pages, assets, version }: Site,
  { page, html, description, headings }: PageContent,
): string {
  const to = (address: string): string => relativeAddress(page.address, address);
  // Parts of a folder follow one another; from outside, the tree leads to its first page.
  const at = pages.indexOf(page);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  const source = `${page.address === "" ? "index" : page.address}.md`;
  return shell({
    root: to("") === "" ? "./" : to(""),
    assets,
    version,
    title: page.address === "" ? "Rowmill guide" : `${page.title} · Rowmill`,
    head: `<meta name="description" content="${escapeHtml(description)}">
<link rel="alternate" type="text/markdown" href="${to(source)}">${previous === undefined ? "" : `\n<link rel="prev" href="${to(previous.address)}">`}${next === undefined ? "" : `\n<link rel="next" href="${to(next.address)}">`}`,
    body: `${tree(pages, page)}
<main id="content" tabindex="-1">
${contents(headings)}
<article>
${html}</article>
<footer>
<nav class="steps" aria-label="Previous and next page">
${step(previous, "previous", to)}
${step(next, "next", to)}
</nav>
<p class="soft">Rowmill ${escapeHtml(version)}<span class="elsewhere"> · <a href="${to(source)}">This page as Markdown</a> · <a href="${to("llms.txt")}">All pages for language models</a></span></p>
</footer>
</main>`,
  });
}

/** Addresses are absolute here: nobody knows how deep the missing page would be. `{{base}}` is replaced by the service. */
export function layOutMissing({ pages, assets, version }: Site): string {
  const sections = [...new Set(pages.map(({ section }) => section))];
  const lists = sections.map((section) => {
    const links = pages
      .filter((page) => page.section === section && page.parent === undefined)
      .map(({ address, label }) => `<li><a href="{{base}}guide/${address}">${escapeHtml(label)}</a></li>`);
    return `<h2>${section}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
  });
  return shell({
    root: "{{base}}guide/",
    assets,
    version,
    title: "Page not found · Rowmill",
    head: '<meta name="robots" content="noindex">',
    body: `<main id="content" tabindex="-1" class="wide">
<article>
<h1>Page not found</h1>
<p>The guide of this version of Rowmill has no page at this address.</p>
<div id="search-here"></div>
${lists.join("\n")}
</article>
</main>`,
  });
}

interface Shell {
  /** Address of the guide's start page. */
  root: string;
  assets: Assets;
  version: string;
  title: string;
  head: string;
  body: string;
}

const shell = ({ root, assets, version, title, head, body }: Shell): string => `<!doctype html>
<html lang="en" data-root="${root}" data-search="${assets.search}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${head}
<link rel="icon" type="image/svg+xml" href="${root}${assets.icon}">
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.theme}"></script>
<script src="${root}${assets.script}" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${root}"><img src="${root}${assets.icon}" alt="" width="26" height="26"><span>Rowmill</span><span class="soft">Guide <span class="version">${escapeHtml(version)}</span></span></a>
<button type="button" class="find" id="find" hidden><span>Search</span><kbd>/</kbd></button>
<nav class="service" aria-label="Service"><a href="${root}../">Console</a><a href="${root}../docs/">API</a></nav>
<button type="button" class="theme" id="theme" hidden></button>
</header>
<div class="frame">
${body}
</div>
</body>
</html>
`;

function tree(pages: readonly TitledPage[], current: TitledPage): string {
  const to = (address: string): string => relativeAddress(current.address, address);
  const folder = current.parent ?? current.source;
  const item = (page: TitledPage): string => {
    const parts = pages.filter(({ parent }) => parent === page.source && parent === folder);
    const below = parts.length === 0 ? "" : `\n<ul>\n${parts.map(item).join("\n")}\n</ul>`;
    const mark = page === current ? ' aria-current="page"' : "";
    return `<li><a href="${to(page.address)}"${mark}>${escapeHtml(page.label)}</a>${below}</li>`;
  };
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => {
    const top = pages.filter((page) => page.section === section && page.parent === undefined);
    return `<h2>${section}</h2>\n<ul>\n${top.map(item).join("\n")}\n</ul>`;
  });
  return `<details class="tree" id="tree">
<summary>Pages</summary>
<nav aria-label="Pages">
${sections.join("\n")}
</nav>
</details>`;
}

/** Where a page has many sections, those below them are left out. */
const MAX_CONTENTS = 60;

function contents(headings: readonly Heading[]): string {
  const shown = headings.length > MAX_CONTENTS ? headings.filter(({ level }) => level === 2) : headings;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ level, text, anchor }) => `<li class="depth-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<details class="contents" id="contents">
<summary>On this page</summary>
<nav aria-label="On this page">
<ul>
${items.join("\n")}
</ul>
</nav>
</details>`;
}

function step(page: TitledPage | undefined, direction: "previous" | "next", to: (address: string) => string): string {
  if (page === undefined) return "<span></span>";
  const label = direction === "previous" ? "Previous" : "Next";
  return `<a class="${direction}" rel="${direction === "previous" ? "prev" : "next"}" href="${to(page.address)}"><span class="soft">${label}</span> ${escapeHtml(page.label)}</a>`;
}
