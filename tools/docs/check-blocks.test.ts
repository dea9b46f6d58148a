import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkBlocks } from "./check-blocks.ts";
import { readBlocks } from "./code-blocks.ts";
import { parsePage } from "./page.ts";
import { ROOT } from "./pages.ts";

const messagesOf = (markdown: string): string[] =>
  checkBlocks(parsePage("docs/a.md", markdown)).map(({ line, message }) => `${line}: ${message}`);

test("a block comes from a file that a test runs", () => {
  expect(messagesOf("<!-- code: examples/guide/a.ts#b -->\n```ts\n```\n")).toEqual([]);
  expect(messagesOf(`<!-- Written by \`npm run generate\`; edit its sources. -->\n\`\`\`json\n{}\n\`\`\`\n`)).toEqual(
    [],
  );
  expect(messagesOf("```sh\nls\n```\n")).toEqual([expect.stringMatching(/^1: a block of sh without a file/)]);
  expect(messagesOf("<!-- not run: it needs a cluster -->\n```sh\nls\n```\n")).toEqual([
    expect.stringMatching(/^2: a block of sh without a file/),
  ]);
  expect(messagesOf("<!-- code: scripts/a.sh -->\n```sh\n```\n")).toEqual([
    expect.stringMatching(/^2: scripts\/a\.sh is run by no test/),
  ]);
});

test("a drawing says that it is one, and is no code", () => {
  expect(messagesOf("<!-- drawing -->\n```\na ─▶ b\n```\n")).toEqual([]);
  expect(messagesOf("```\na ─▶ b\n```\n")).toEqual([expect.stringMatching(/^1: a block of no language without/)]);
  expect(messagesOf("<!-- drawing -->\n```sh\nls\n```\n")).toEqual([expect.stringMatching(/^2: a block of sh is no/)]);
});

test("the marks that CONTRIBUTING.md shows are marks", () => {
  const text = readFileSync(join(ROOT, "tools/docs/samples/marks.txt"), "utf8");
  expect(readBlocks(text).map(({ source, isDrawing }) => source?.kind ?? isDrawing)).toEqual(["code", "output", true]);
  expect(messagesOf(text)).toEqual([]);
});

test("every decision has the parts of the form, in their order", () => {
  const partsOf = (text: string): string[] => Array.from(text.matchAll(/^## (.*)$/gm), ([, title = ""]) => title);
  const form = partsOf(readFileSync(join(ROOT, "tools/docs/samples/decision.md"), "utf8"));
  expect(form.length).toBeGreaterThan(3);
  const files = globSync("docs/decisions/0*.md", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8");
    expect({ file, parts: partsOf(text) }).toEqual({ file, parts: form });
    expect(text).toMatch(
      /^# \d{4}\. \S.*\n\nStatus: (?:proposed|accepted|replaced by \[\d{4}\]\S+)\b.* · \d{4}-\d\d-\d\d/,
    );
  }
});
