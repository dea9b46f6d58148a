/** Colors of code, as classes: the policy of the pages allows no styles in them. */
import { createRequire } from "node:module";

/** Of its own types, which would bring those of browsers into every file. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  registerAliases(aliases: readonly string[], options: { languageName: string }): void;
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string }): { value: string };
}

const require = createRequire(import.meta.url);
const highlighter = require("highlight.js/lib/core") as Highlighter;

const LANGUAGES = [
  "bash",
  "css",
  "dockerfile",
  "go",
  "http",
  "ini",
  "javascript",
  "json",
  "markdown",
  "nginx",
  "php",
  "python",
  "ruby",
  "shell",
  "sql",
  "typescript",
  "xml",
  "yaml",
];
for (const name of LANGUAGES) highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
highlighter.registerAliases(["tsx"], { languageName: "typescript" });
highlighter.registerAliases(["toml"], { languageName: "ini" });

/** HTML; undefined for a language that is not known here. */
export const highlight = (code: string, language: string): string | undefined =>
  highlighter.getLanguage(language) === undefined ? undefined : highlighter.highlight(code, { language }).value;
