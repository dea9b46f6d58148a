/** The Markdown of the documentation, section by section, searched for words. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Cli } from "../frame/command.ts";

export interface Section {
  file: string;
  /** The headings above it, and its own. */
  title: string;
  text: string;
}

/** A word in a heading says more than one in the text. */
const HEADING_SCORE = 8;
/** A long section is not better for its length. */
const MAX_COUNTED = 5;
const EXCERPT_LINES = 4;
const EXCERPT_CHARACTERS = 320;

/** In the package a copy, which is looked for first: from there, the path to `docs/` of a checkout leads to the user's own folder. */
const folder = [new URL("../pages/", import.meta.url), new URL("../../../../docs/", import.meta.url)]
  .map((url) => fileURLToPath(url))
  .find((path) => existsSync(path));

/** Those that have all words, the best first. */
export function searchDocs(words: readonly string[]): Section[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== "");
  return readSections()
    .map((section) => ({ section, score: scoreOf(section, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ section }) => section);
}

function readSections(): Section[] {
  if (folder === undefined) return [];
  return globSync("**/*.md", { cwd: folder })
    .toSorted()
    .flatMap((file) => sectionsOf(file, readFileSync(`${folder}/${file}`, "utf8")));
}

export function sectionsOf(file: string, markdown: string): Section[] {
  const sections: Section[] = [];
  const headings: string[] = [];
  let isCode = false;
  let lines: string[] = [];
  const end = (): void => {
    const text = lines.join("\n").trim();
    if (text !== "") sections.push({ file, title: headings.filter((heading) => heading !== "").join(" › "), text });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    // Where a block of code comes from.
    if (/^\s*<!-- (?:code|output): .* -->$/.test(line)) continue;
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : /^(#{1,4}) (.*)$/.exec(line);
    if (heading?.[1] === undefined) {
      lines.push(line);
      continue;
    }
    end();
    const depth = heading[1].length - 1;
    headings.length = Math.min(headings.length, depth);
    while (headings.length < depth) headings.push("");
    headings.push((heading[2] ?? "").replaceAll("`", ""));
  }
  end();
  return sections;
}

function scoreOf({ title, text }: Section, words: readonly string[]): number {
  const [heading, body] = [title.toLowerCase(), text.toLowerCase()];
  let score = 0;
  for (const word of words) {
    const counted = Math.min(MAX_COUNTED, body.split(word).length - 1) + (heading.includes(word) ? HEADING_SCORE : 0);
    if (counted === 0) return 0;
    score += counted;
  }
  return score;
}

export function describeSection(cli: Pick<Cli, "terminal">, { file, title, text }: Section, isWhole: boolean): string {
  const head = `${cli.terminal.style("stdout", "bold", title)}  ${cli.terminal.style("stdout", "dim", file)}`;
  if (isWhole) return `${head}\n\n${text}`;
  const excerpt = excerptOf(text);
  return `${head}\n${excerpt.length > EXCERPT_CHARACTERS ? `${excerpt.slice(0, EXCERPT_CHARACTERS)}…` : excerpt}`;
}

/** Fences of code, rules of tables, and marks of the generator. */
const NO_TEXT = /^\s*(```|<!--|\|\s*:?-|$)/;

/** The first lines with something to read, as text: what only Markdown needs is left out. */
const excerptOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !NO_TEXT.test(line))
    .slice(0, EXCERPT_LINES)
    .map((line) => `  ${line.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll("**", "")}`)
    .join("\n");
