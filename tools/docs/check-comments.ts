/** Words of comments in the sources and in tests: the same terms as in the documentation. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "./page.ts";
import { commentWords, compileWords } from "./prose-words.ts";

const SOURCES = [
  "packages/*/src/**/*.{ts,tsx}",
  "scripts/**/*.{ts,mjs}",
  "tools/**/*.{ts,mjs}",
  "bench/**/*.ts",
  "examples/**/*.ts",
  "tests/**/*.ts",
];
/** The last one has comments with such words as samples. */
const NOT_READ = ["**/{node_modules,dist,generated}/**", "tools/docs/check-pages.test.ts"];

const words = compileWords(commentWords);

export const checkAllComments = (root: string): Problem[] =>
  globSync(SOURCES, { cwd: root, exclude: NOT_READ })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .flatMap((path) => checkComments(path, readFileSync(join(root, path), "utf8")));

export const checkComments = (path: string, source: string): Problem[] =>
  commentsOf(source).flatMap(({ line, text }) =>
    words.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [{ page: path, line, message: `"${found}": write ${instead}` }];
    }),
  );

/** By line, without code between backquotes. A comment behind code begins with a space, two slashes and a space. */
function commentsOf(source: string): { line: number; text: string }[] {
  let isInBlock = false;
  return source.split("\n").flatMap((content, i) => {
    const wasInBlock = isInBlock;
    const begins = content.trimStart().startsWith("/*");
    if (begins || wasInBlock) isInBlock = !content.includes("*/");
    const text = begins || wasInBlock ? content : /(?:^|\s)\/\/\s(.*)$/.exec(content)?.[1];
    return text === undefined ? [] : [{ line: i + 1, text: text.replaceAll(/`[^`]*`/g, "0") }];
  });
}
