/**
 * Checks the documentation: links, names of files, spelling, words, length of sentences, and blocks of code that nothing runs; and words
 * of comments, names and titles of tests in the sources. No network.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkBlocks } from "./check-blocks.ts";
import { checkAllComments } from "./check-comments.ts";
import { checkFileNames, readSources } from "./check-file-names.ts";
import { checkLinks } from "./check-links.ts";
import { checkAllNames } from "./check-names.ts";
import { checkProse } from "./check-prose.ts";
import { checkSpelling, loadSpeller } from "./check-spelling.ts";
import { parsePage } from "./page.ts";
import { listPages, ROOT } from "./pages.ts";

const pages = listPages().map((path) => parsePage(path, readFileSync(join(ROOT, path), "utf8")));
const isKnown = loadSpeller();
const sources = readSources(ROOT);
const problems = [
  ...checkLinks(pages, ROOT),
  ...pages.flatMap((page) => checkFileNames(page, sources)),
  ...pages.flatMap(checkProse),
  ...pages.flatMap(checkBlocks),
  ...pages.flatMap((page) => checkSpelling(page, isKnown)),
  ...checkAllComments(ROOT),
  ...checkAllNames(ROOT),
];
for (const { page, line, message } of problems) process.stderr.write(`${page}:${line}: ${message}\n`);
process.stdout.write(`${pages.length} pages, ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;
