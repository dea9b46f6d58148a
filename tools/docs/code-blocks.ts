/**
 * Code blocks that come from files. A comment names the file, and a region where only a part is shown; the fenced block behind it is
 * written from there:
 *
 *   <!-- code: examples/guide/classify.ts#test -->      source that is type-checked and run
 *   <!-- output: examples/guide/quickstart.out#table -->  what a run of it printed, recorded
 *   <!-- drawing -->                                    the block behind it is a drawing, and no code
 */
import { extname } from "node:path";
import { readRegion } from "./regions.ts";

const MARK = /^(\s*)<!-- (code|output): ([^\s#]+)(?:#([\w-]+))? -->\s*$/;
const DRAWING = /^\s*<!-- drawing -->\s*$/;
/** What was meant as a mark, and would be skipped without a word. */
const MISWRITTEN = /^\s*<!--\s*(?:code|output|drawing|not run)\b/i;
const FENCE = /^\s*(`{3,}|~{3,})\s*(\S*)/;

/** Languages of blocks by the extension of the file; an output is text unless its extension is here. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".bash": "sh",
  ".cjs": "js",
  ".conf": "text",
  ".cron": "text",
  ".css": "css",
  ".csv": "csv",
  ".env": "sh",
  ".go": "go",
  ".html": "html",
  ".http": "http",
  ".js": "js",
  ".json": "json",
  ".jsonl": "json",
  ".md": "md",
  ".mjs": "js",
  ".ndjson": "json",
  ".php": "php",
  ".py": "python",
  ".rb": "ruby",
  ".service": "ini",
  ".sh": "sh",
  ".sql": "sql",
  ".svg": "xml",
  ".toml": "toml",
  ".ts": "ts",
  ".tsx": "tsx",
  ".yaml": "yaml",
  ".yml": "yaml",
};

export interface Block {
  /** Of the opening fence, from 1. */
  line: number;
  language: string;
  text: string;
  /** What the comment before it names; undefined where there is none. */
  source: { kind: string; path: string; region: string | undefined } | undefined;
  /** As the comment before it says: no code, so that there is nothing to run. */
  isDrawing: boolean;
}

interface Located extends Block {
  first: number;
  /** Behind the closing fence. */
  end: number;
}

export interface Written {
  text: string;
  problems: { line: number; message: string }[];
}

/** The page with every block of a file as that file has it now. `readSource` throws where there is no such file. */
export function writeBlocks(markdown: string, readSource: (path: string) => string): Written {
  const lines = markdown.split("\n");
  const blocks = locateBlocks(lines);
  const written: string[] = [];
  const problems: Written["problems"] = [];
  let at = 0;
  const copyUntil = (end: number): void => {
    while (at < end) written.push(lines[at++] ?? "");
  };
  for (const { number, indentation, path, region, kind } of marksIn(lines, blocks, problems)) {
    copyUntil(number + 1);
    const block = blocks.find(({ first }) => first === number + 1);
    try {
      const content = readRegion(readSource(path), region);
      if (content === "") throw new Error("it is empty");
      written.push(...fenced(content, languageOf(path, kind), indentation));
    } catch (error) {
      problems.push({
        line: number + 1,
        message: `${path}: ${error instanceof Error ? error.message : String(error)}`,
      });
      copyUntil(block?.end ?? number + 1);
    }
    at = block?.end ?? number + 1;
  }
  copyUntil(lines.length);
  return { text: written.join("\n"), problems };
}

export const readBlocks = (markdown: string): Block[] => locateBlocks(markdown.split("\n"));

function* marksIn(lines: readonly string[], blocks: readonly Located[], problems: Written["problems"]) {
  for (const [number, line] of lines.entries()) {
    if (blocks.some(({ first, end }) => first <= number && number < end)) continue;
    const [, indentation = "", kind = "", path, region] = MARK.exec(line) ?? [];
    if (path !== undefined) yield { number, indentation, kind, path, region };
    else if (!DRAWING.test(line) && MISWRITTEN.test(line))
      problems.push({
        line: number + 1,
        message: "write <!-- code: path/from/the/root.ts#region --> or <!-- drawing --> on a line of its own",
      });
  }
}

function locateBlocks(lines: readonly string[]): Located[] {
  const blocks: Located[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, fence, language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (fence === undefined) continue;
    const first = at;
    const isEnd = (line: string): boolean => line.trim().startsWith(fence) && /^[`~]+$/.test(line.trim());
    do at++;
    while (at < lines.length && !isEnd(lines[at] ?? ""));
    const [, , kind, path, region] = MARK.exec(lines[first - 1] ?? "") ?? [];
    blocks.push({
      first,
      end: at + 1,
      line: first + 1,
      language,
      text: lines.slice(first + 1, at).join("\n"),
      source: kind === undefined || path === undefined ? undefined : { kind, path, region },
      isDrawing: DRAWING.test(lines[first - 1] ?? ""),
    });
  }
  return blocks;
}

function fenced(content: string, language: string, indentation: string): string[] {
  // Markdown that is shown has fences of its own.
  const longest = Math.max(2, ...[...content.matchAll(/^\s*(`{3,})/gm)].map(([, run = ""]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...content.split("\n"), fence].map((line) => (line === "" ? "" : indentation + line));
}

function languageOf(path: string, kind: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "Dockerfile") return "dockerfile";
  const language = LANGUAGES[extname(name)];
  if (language !== undefined) return language;
  if (kind === "output" || extname(name) === ".txt") return "text";
  throw new Error("the language of such files is not known: add it to LANGUAGES in tools/docs/code-blocks.ts");
}
