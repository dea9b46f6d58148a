import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { exitCodeTable, exitCodes } from "./exit-codes.ts";

test("the README has every exit code, with the meaning of the table", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  for (const { code, meaning } of Object.values(exitCodes)) expect(readme).toContain(`| ${code} | ${meaning} |`);
});

test("in the help no line of the table is wider than the screen, and further lines begin below the meaning", () => {
  const lines = exitCodeTable(60).split("\n");
  expect(lines.length).toBeGreaterThan(Object.keys(exitCodes).length);
  for (const line of lines) expect(line).toMatch(/^(?: {2}[ \d]{3} {2}| {7})\S.{0,52}$/);
});

test.each(commands.map((entry) => [entry.name, entry] as const))(
  "%s has two examples that name it",
  async (name, entry) => {
    const { examples } = await entry.load();
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const [line] of examples) expect(line).toContain(`rowmill ${name}`);
  },
);
