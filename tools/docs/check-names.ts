/** Words of names and of titles of tests: the same terms as in comments. Strings are data, and are not read otherwise. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import type { Problem } from "./page.ts";
import { allowedNames, nameWords, titleWords } from "./name-words.ts";
import { compileWords } from "./prose-words.ts";

const SOURCES = [
  "packages/*/src/**/*.{ts,tsx}",
  "packages/console/*.ts",
  "{tests,tools,bench,examples}/**/*.{ts,tsx,mjs}",
  "scripts/**/*.{ts,mjs}",
];
const NOT_READ = ["**/{node_modules,dist,generated}/**"];
const TESTS = new Set(["test", "it", "describe"]);

const titles = compileWords(titleWords);

/** A node of the syntax tree: its type, where it begins, and members that are nodes, lists of nodes, or values. */
interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}

export const checkAllNames = (root: string): Problem[] =>
  globSync(SOURCES, { cwd: root, exclude: NOT_READ })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .flatMap((path) => checkNames(path, readFileSync(join(root, path), "utf8")));

export function checkNames(path: string, source: string): Problem[] {
  const problems: Problem[] = problemsOfName(path, 1, basename(path));
  const seen = new Set<string>();
  const lineAt = (offset: number): number => source.slice(0, offset).split("\n").length;
  const visit = (node: Node): void => {
    const { name } = node;
    if (node.type.endsWith("Identifier") && typeof name === "string" && !seen.has(name)) {
      seen.add(name);
      problems.push(...problemsOfName(path, lineAt(node.start), name));
    }
    for (const { text, at } of titlesOf(node))
      for (const { pattern, instead } of titles) {
        const found = pattern.exec(text)?.[0];
        if (found !== undefined)
          problems.push({ page: path, line: lineAt(at), message: `"${found}" in a title: write ${instead}` });
      }
    for (const child of childrenOf(node)) visit(child);
  };
  const lang = path.endsWith("x") ? "tsx" : path.endsWith("ts") ? "ts" : "js";
  visit(parseAst(source, { lang }, path) as unknown as Node); // every node of the tree has these members
  return problems;
}

/** A name is reported once in a file: the first place is enough to find the others. */
const problemsOfName = (path: string, line: number, name: string): Problem[] =>
  wordsOf(name).flatMap((word) => {
    const instead = nameWords.find(({ words, except }) => words.includes(word) && except?.test(path) !== true)?.instead;
    const isAllowed = allowedNames.some((allowed) => allowed.name === name && (allowed.in?.test(path) ?? true));
    return instead === undefined || isAllowed
      ? []
      : [{ page: path, line, message: `"${word}" in the name ${name}: write ${instead}` }];
  });

/** `isLastAttempt` → is, last, attempt; `MAX_HTTPBytes` → max, http, bytes; `complete-row.ts` → complete, row, ts. */
export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** The texts of the first argument of `test(…)`, `describe.each(…)(…)` and the like. */
function titlesOf(node: Node): { text: string; at: number }[] {
  if (node.type !== "CallExpression" || !TESTS.has(calleeOf(node))) return [];
  const [first] = nodesIn(node["arguments"]);
  if (first?.type === "Literal" && typeof first["value"] === "string")
    return [{ text: first["value"], at: first.start }];
  if (first?.type !== "TemplateLiteral") return [];
  return nodesIn(first["quasis"]).map(({ start, value }) => ({ text: (value as { raw: string }).raw, at: start }));
}

/** `test` of `test.each(cases)(…)` and of `test(…)`; empty for anything else. */
function calleeOf(node: Node): string {
  if (node.type === "Identifier") return String(node["name"]);
  const [inner] = nodesIn([node["callee"] ?? node["object"] ?? node["tag"]]);
  return inner === undefined ? "" : calleeOf(inner);
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((member) => nodesIn(Array.isArray(member) ? member : [member]));

const nodesIn = (members: unknown): Node[] => (Array.isArray(members) ? members.filter(isNode) : []);

const isNode = (member: unknown): member is Node =>
  typeof member === "object" && member !== null && "type" in member && typeof member.type === "string";
