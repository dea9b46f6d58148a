/** Links of the documentation: files and anchors within the repository exist. Addresses of other hosts are not asked. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import type { Token } from "markdown-it";
import { anchorHeadings, inlinesOf } from "./markdown.ts";
import type { Page, Problem } from "./page.ts";

/** With a scheme (`https:`, `mailto:`). */
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;
/** Readers of the guide know no files. */
const FILE_NAME = /^[\w/-]+\.md$/;

export function checkLinks(pages: readonly Page[], root: string): Problem[] {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page.tokens)]));
  return pages.flatMap((page) =>
    linksOf(page).flatMap(({ line, href, text }) => {
      const message = FILE_NAME.test(text)
        ? `is named ${text}: in the guide it is a page, so write its title`
        : problemOf(page.path, href, anchors, root);
      return message === undefined ? [] : [{ page: page.path, line, message: `the link ${href} ${message}` }];
    }),
  );
}

function problemOf(
  from: string,
  href: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
  root: string,
): string | undefined {
  if (ELSEWHERE.test(href)) return undefined;
  if (href.startsWith("/")) return "is not relative";
  const [path = "", anchor] = decodeURI(href).split("#", 2);
  const target = path === "" ? from : posix.normalize(posix.join(posix.dirname(from), path));
  if (target.startsWith("../")) return "leaves the repository";
  if (!existsSync(join(root, target))) return "leads to no file";
  const known = anchors.get(target);
  if (anchor !== undefined && known?.has(anchor) === false) return `names an anchor that ${target} does not have`;
  return undefined;
}

export function linksOf({ tokens }: Pick<Page, "tokens">): { line: number; href: string; text: string }[] {
  return [...inlinesOf(tokens)].flatMap(({ line, token }) =>
    (token.children ?? []).flatMap((child, at, all) => {
      const href =
        child.type === "link_open" ? child.attrGet("href") : child.type === "image" ? child.attrGet("src") : null;
      return href === null ? [] : [{ line, href: String(href), text: all[at + 1]?.content ?? "" }];
    }),
  );
}

function anchorsOf(tokens: readonly Token[]): Set<string> {
  const written = [...inlinesOf(tokens)].flatMap(({ token }) =>
    (token.children ?? []).filter(({ type }) => type === "anchor").map((child) => String(child.attrGet("id"))),
  );
  return new Set([...anchorHeadings(tokens).map(({ anchor }) => anchor), ...written]);
}
