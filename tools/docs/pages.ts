/** Which Markdown files are documentation, and where they are. */
import { globSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

const PAGES = ["*.md", "docs/**/*.md", "packages/*/README.md", "clients/**/README.md"];
const NOT_PAGES = ["**/node_modules/**", "**/dist/**"];

/** Paths from the root of the repository, with slashes, in a stable order. */
export const listPages = (root: string = ROOT): string[] =>
  globSync(PAGES, { cwd: root, exclude: NOT_PAGES })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
