import type { Token } from "markdown-it";
import { createMarkdown } from "./markdown.ts";

export interface Page {
  /** From the root of the repository. */
  path: string;
  text: string;
  tokens: Token[];
}

export interface Problem {
  page: string;
  line: number;
  message: string;
}

const markdown = createMarkdown();

export const parsePage = (path: string, text: string): Page => ({ path, text, tokens: markdown.parse(text, {}) });

/** Pages that lead a newcomer: stricter rules hold for them. */
export const isNarrative = (path: string): boolean => path === "README.md" || path.startsWith("docs/guide/");
