import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { brokenBuildNames, brokenBuildOf } from "./broken-builds.ts";

const SOURCES = dirname(fileURLToPath(import.meta.resolve("@rowmill/server/main")));

test.each(brokenBuildNames)("the text that %s replaces stands in its source, once", (name) => {
  const { file, pieces } = brokenBuildOf(name);
  const paths = globSync("**/*.ts", { cwd: SOURCES }).filter((path) => `/${path}`.endsWith(file));
  expect(paths).toHaveLength(1);
  const text = readFileSync(join(SOURCES, paths[0] ?? ""), "utf8");
  for (const [from] of pieces) expect(text.split(from)).toHaveLength(2);
});
