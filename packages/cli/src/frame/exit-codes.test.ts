import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { exitCodes } from "./exit-codes.ts";

test("the README has every exit code, with the meaning of the table", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  for (const { code, meaning } of Object.values(exitCodes)) expect(readme).toContain(`| ${code} | ${meaning} |`);
});

test.each(commands.map((entry) => [entry.name, entry] as const))(
  "%s has two examples that name it",
  async (name, entry) => {
    const { examples } = await entry.load();
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const [line] of examples) expect(line).toContain(`rowmill ${name}`);
  },
);
