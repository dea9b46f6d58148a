/** Files and folders that the maps of the sources name: each exists, so that a reader who follows the map arrives. */
import { globSync } from "node:fs";
import type { Page, Problem } from "./page.ts";

/** Pages that say where a thing stands. Their paths may begin at any folder. */
const MAPS = ["docs/architecture.md", "CONTRIBUTING.md"];
/** Between backquotes: a file of the sources, or a folder with its slash. */
const NAME = /^\w[\w.-]*(?:\/[\w.-]+)*(?:\.(?:tsx?|mjs|cjs|sql)|\/)$/;

export const readSources = (root: string): string[] =>
  globSync(["*", "{bench,docs,examples,packages,scripts,tests,tools}/**"], {
    cwd: root,
    exclude: ["**/{node_modules,dist,generated}/**"],
  }).map((path) => `/${path.replaceAll("\\", "/")}`);

export function checkFileNames(page: Page, sources: readonly string[]): Problem[] {
  if (!MAPS.includes(page.path)) return [];
  return page.text.split("\n").flatMap((line, i) =>
    [...line.matchAll(/`([^`]+)`/g)].flatMap(([, name = ""]) => {
      if (!NAME.test(name)) return [];
      const end = `/${name.replace(/\/$/, "")}`;
      return sources.some((path) => path.endsWith(end))
        ? []
        : [{ page: page.path, line: i + 1, message: `there is no ${name}` }];
    }),
  );
}
