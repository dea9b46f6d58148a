/**
 * Blocks of code: each is a region of a file that the tests run, or is written from data that tests compare with the service. Nothing
 * else is a block, except drawings.
 */
import { readBlocks } from "./code-blocks.ts";
import type { Block } from "./code-blocks.ts";
import type { Page, Problem } from "./page.ts";

/** Where files of blocks may lie: all that is in these folders is run, by the test that is named. */
const RUN_BY: Readonly<Record<string, string>> = {
  "examples/guide/": "tests/guide.test.ts",
  "examples/receivers/": "tests/webhook-receivers.test.ts",
  "examples/reference/": "tests/reference-programs.test.ts",
  "examples/start/": "tests/start-examples.test.ts",
  "examples/webhooks/": "tests/webhook-docs.test.ts",
  "deploy/": "tests/deployments.test.ts",
  "tools/docs/samples/": "tools/docs/check-blocks.test.ts",
};

/** Pages of generators: their blocks come from data that tests run, and not from files. */
const GENERATED = /^<!-- Written by `npm run generate`/m;

export function checkBlocks(page: Page): Problem[] {
  if (GENERATED.test(page.text)) return [];
  return readBlocks(page.text).flatMap((block) => {
    const problem = problemOf(block);
    return problem === undefined ? [] : [{ page: page.path, line: block.line, message: problem }];
  });
}

function problemOf({ source, isDrawing, language }: Block): string | undefined {
  const name = `a block of ${language === "" ? "no language" : language}`;
  if (source !== undefined) {
    const isRun = Object.keys(RUN_BY).some((folder) => source.path.startsWith(folder));
    return isRun ? undefined : `${source.path} is run by no test: put it into ${Object.keys(RUN_BY).join(" or ")}`;
  }
  if (!isDrawing) return `${name} without a file: put <!-- code: path#region --> before it`;
  return language === "" ? undefined : `${name} is no drawing: put <!-- code: path#region --> before it`;
}
