import { expect, test } from "vitest";
import { checkBlocks } from "./check-blocks.ts";
import { parsePage } from "./page.ts";

const messagesOf = (markdown: string): string[] =>
  checkBlocks(parsePage("docs/a.md", markdown)).map(({ line, message }) => `${line}: ${message}`);
const marked = (language: string, text: string): string =>
  `<!-- not run: it needs a cluster -->\n\`\`\`${language}\n${text}\n\`\`\`\n`;

test("a block comes from a file that a test runs, or says why it does not run", () => {
  expect(messagesOf("<!-- code: examples/guide/a.ts#b -->\n```ts\n```\n")).toEqual([]);
  expect(messagesOf(marked("sh", "kubectl apply -k ."))).toEqual([]);
  expect(messagesOf(`<!-- Written by \`npm run generate\`; edit its sources. -->\n\`\`\`json\n{}\n\`\`\`\n`)).toEqual(
    [],
  );
  expect(messagesOf("```sh\nls\n```\n")).toEqual([expect.stringMatching(/^1: a block of sh without a file/)]);
  expect(messagesOf("```\na drawing\n```\n")).toEqual([expect.stringMatching(/^1: a block of no language without/)]);
  expect(messagesOf("<!-- code: scripts/a.sh -->\n```sh\n```\n")).toEqual([
    expect.stringMatching(/^2: scripts\/a\.sh is run by no test/),
  ]);
});

test.each([
  ["sh", "if true; then"],
  ["console", "$ echo 'open"],
  ["console", "no command"],
  ["json", "{ a: 1 }"],
  ["yaml", "a: [1"],
  ["sh", "ROWMILL_PROT=8080 npm start"],
  ["sh", "ROWMILL_PORT=eighty npm start"],
  ["console", "$ ROWMILL_ROLE=both rowmill server"],
])("what does not run is checked as far as that goes: %s, %j", (language, text) => {
  expect(messagesOf(marked(language, text))).toEqual([
    expect.stringMatching(new RegExp(`^2: a block of ${language} is wrong`)),
  ]);
});

test.each(["ts", "js", "python", "go"])("%s always comes from a file", (language) => {
  expect(messagesOf(marked(language, "1"))).toEqual([expect.stringContaining("must come from a file that runs")]);
});

test("values that a shell computes, and settings of clients, are left alone", () => {
  const text = 'export ROWMILL_ADMIN_KEY="rma_$(openssl rand -hex 20)"\nROWMILL_URL=https://a.example rowmill runs';
  expect(messagesOf(marked("sh", text))).toEqual([]);
});
