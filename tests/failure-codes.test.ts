/** Every failure code of the contract can be met: something produces it, and a test sees it. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureCodeNames } from "@rowmill/contract/failures";

/** Codes that nothing produces yet, each with its reason. */
const RESERVED: Record<string, string> = {};

const SOURCES = new URL("../packages/server/src", import.meta.url).pathname;

async function sourcesOf(directory: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
}

test("every failure code is produced by the code, and seen by a test, or is reserved", async () => {
  const sources = await sourcesOf(SOURCES);
  const isTest = (path: string): boolean => path.endsWith(".test.ts") || path.includes("/testing");
  const naming = (code: string, ofTests: boolean) =>
    sources.some(({ path, text }) => isTest(path) === ofTests && text.includes(`"${code}"`));
  const unmet = failureCodeNames.filter((code) => !(naming(code, false) && naming(code, true)));
  expect(unmet.toSorted()).toEqual(Object.keys(RESERVED).toSorted());
});
