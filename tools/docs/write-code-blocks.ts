/** Writes the code blocks of the documentation from the files they name; with `--check` it only reports those that differ. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { writeBlocks } from "./code-blocks.ts";
import { listPages, ROOT } from "./pages.ts";

const isCheck = process.argv.includes("--check");
const problems: string[] = [];
let count = 0;

for (const page of listPages()) {
  const before = readFileSync(join(ROOT, page), "utf8");
  const after = writeBlocks(before, (path) => {
    count += 1;
    return readSource(path);
  });
  problems.push(...after.problems.map(({ line, message }) => `${page}:${line}: ${message}`));
  if (after.text === before) continue;
  if (isCheck)
    problems.push(`${page}:${firstDifference(before, after.text)}: a code block is stale: run \`npm run generate\``);
  else writeFileSync(join(ROOT, page), after.text);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${count} code blocks of files\n`);
if (problems.length > 0) process.exitCode = 1;

function readSource(path: string): string {
  const file = resolve(ROOT, path);
  if (relative(ROOT, file).split(sep)[0] === "..") throw new Error("the path leaves the repository");
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error("there is no such file", { cause: error });
  }
}

function firstDifference(before: string, after: string): number {
  const other = after.split("\n");
  return before.split("\n").findIndex((line, at) => line !== other[at]) + 1;
}
