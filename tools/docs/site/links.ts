/** Links between files of the repository, as links between addresses of the guide. */
import { posix } from "node:path";

export interface Addresses {
  /** From the path of a page to its address. */
  pages: ReadonlyMap<string, string>;
  /** Called with every other file that a page leads to: it is served as it is, if it may be. False where it is not served. */
  addFile(path: string): boolean;
}

const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;

/** Undefined where the target is not served: a folder, for example. `extension` is that of pages. */
export function rewriteLink(href: string, from: string, to: Addresses, extension: "" | ".md"): string | undefined {
  if (ELSEWHERE.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#", 2);
  const target = posix.normalize(posix.join(posix.dirname(from), decodeURI(path)));
  const page = to.pages.get(target);
  if (page === undefined && !to.addFile(target)) return undefined;
  const address =
    page === undefined ? fileAddress(target) : (page === "" && extension !== "" ? "index" : page) + extension;
  return relativeAddress(to.pages.get(from) ?? "", encodeURI(address)) + (anchor === undefined ? "" : `#${anchor}`);
}

export const fileAddress = (path: string): string =>
  path.startsWith("docs/images/") ? path.replace("docs/", "") : `files/${path}`;

/** Relative, so that the guide works below any path. */
export function relativeAddress(from: string, to: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  return up + to === "" ? "./" : up + to;
}
