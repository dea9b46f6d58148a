import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkComments } from "./check-comments.ts";
import { checkFileNames } from "./check-file-names.ts";
import { checkLinks } from "./check-links.ts";
import { checkNames, wordsOf } from "./check-names.ts";
import { checkProse, sentencesOf } from "./check-prose.ts";
import { checkSpelling, loadSpeller } from "./check-spelling.ts";
import { parsePage } from "./page.ts";

const GUIDE = "docs/guide/a.md";
const messagesOf = (markdown: string, path = GUIDE): string[] =>
  checkProse(parsePage(path, markdown)).map(({ line, message }) => `${line}: ${message}`);

test("links to files and anchors that exist pass; others are reported with their line", () => {
  const root = mkdtempSync(join(tmpdir(), "rowmill-links-"));
  try {
    mkdirSync(join(root, "docs", "guide"), { recursive: true });
    writeFileSync(join(root, "LICENSE"), "");
    writeFileSync(join(root, "docs", "a.md"), "");
    writeFileSync(join(root, "docs", "guide", "b.md"), "");
    const good = '# `POST` a/b: it\'s here\n## Twice\n## Twice\n<a id="own.one"></a>\n';
    const target = parsePage("docs/a.md", good);
    const page = (text: string) => parsePage("docs/guide/b.md", text);
    const links = [
      "[a](../a.md)",
      "[a](../a.md#post-ab-its-here)",
      "[a](../a.md#twice-1)",
      "[a](../a.md#own.one)",
      "[own](#own)",
      "[license](../../LICENSE)",
      "[there](https://example.com/x#y)",
      "`[not](a-link.md)`",
    ];
    expect(checkLinks([target, page(`# Own\n\n${links.join("\n")}`)], root)).toEqual([]);
    const wrong = ["../b.md", "../a.md#thrice", "#other", "/docs/a.md", "../../../x.md"];
    const problems = checkLinks([target, page(wrong.map((href) => `[x](${href})\n`).join("\n"))], root);
    const named = checkLinks([target, page("[guide/a.md](../a.md)\n\n[`a.md`](../a.md)")], root);
    expect(named.map(({ line }) => line)).toEqual([1, 3]);
    expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      "1: the link ../b.md leads to no file",
      "3: the link ../a.md#thrice names an anchor that docs/a.md does not have",
      "5: the link #other names an anchor that docs/guide/b.md does not have",
      "7: the link /docs/a.md is not relative",
      "9: the link ../../../x.md leaves the repository",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("files and folders that a map of the sources names exist", () => {
  const sources = ["/packages/server/src/engine/rows", "/packages/server/src/engine/rows/retry-delay.ts"];
  const map =
    "| `engine/rows/` | `retry-delay.ts` |\n| `rows/retry.ts` | `lanes/` |\n| `<resource>.ts` | `npm test`, `a.b` |";
  const messages = (path: string): string[] =>
    checkFileNames(parsePage(path, map), sources).map(({ line, message }) => `${line}: ${message}`);
  expect(messages("docs/architecture.md")).toEqual(["2: there is no rows/retry.ts", "2: there is no lanes/"]);
  expect(messages(GUIDE)).toEqual([]);
});

test("banned words are reported in prose, not in code and not within other words", () => {
  expect(messagesOf("It begins anew.\n\n`anew` renewanew\n\n```text\nanew\n```\n")).toEqual([
    '1: "anew": write again, or say what is repeated',
  ]);
});

test("banned words are reported in comments of sources, not in their code", () => {
  const source = [
    "/** It begins anew. */",
    'const anew = "anew"; // begins anew',
    "/*",
    " * `anew`, and the server",
    " * answers",
    " */",
    "const answers = 1 / 2;",
    "// Undefined if there is none.",
  ].join("\n");
  expect(checkComments("a.ts", source).map(({ line }) => line)).toEqual([1, 2, 5]);
});

test("banned words are reported in names, names of files and titles of tests, not in strings and where a word has its meaning", () => {
  const messages = (path: string, source: string): string[] =>
    checkNames(path, source).map(({ line, message }) => `${line}: ${message.split(":")[0]}`);
  const source = [
    'const lastAnswers: string = "the answer"; // an answer',
    "export class Judge { #held = lastAnswers; lastAnswerAt = 0; turnOf = isAnsweringMachine; }",
    "test.each([1])(`it ${lastAnswers} tells %i`, () => {});",
    'describe("what is told", () => expect("told").toBe("told"));',
    'log("it answered");',
  ].join("\n");
  expect(messages("packages/x/src/a.test.ts", source)).toEqual([
    '1: "answers" in the name lastAnswers',
    '2: "judge" in the name Judge',
    '2: "held" in the name held',
    '2: "turn" in the name turnOf',
    '2: "answering" in the name isAnsweringMachine',
    '3: "tells" in a title',
    '4: "told" in a title',
  ]);
  expect(messages("packages/server/src/engine/lanes/a.ts", "const turnOf = <T>(x: T) => x;")).toEqual([]);
  expect(messages("packages/x/src/held-rows.tsx", "<p>held</p>;")).toEqual(['1: "held" in the name held-rows.tsx']);
  expect(wordsOf("MAX_HTTPAnswer2Bytes")).toEqual(["max", "http", "answer", "bytes"]);
});

test("a sentence of a guide page has a limit; code is one word, and other pages have none", () => {
  const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
  expect(messagesOf(`Say ${words(30)} \`a b c d\`. Again: ${words(30)}.`)).toEqual([]);
  expect(messagesOf(`\n- ${words(33)}.`)).toEqual([expect.stringContaining("2: a sentence of 33 words (at most 32)")]);
  expect(messagesOf(`${words(40)}.`, "docs/operations.md")).toEqual([]);
  expect(sentencesOf('One e.g. this. Two? "Three." Four')).toEqual(["One e.g. this.", "Two?", '"Three."', "Four"]);
});

test("raw HTML is reported; comments and anchors are not", () => {
  expect(messagesOf('<b>x</b>\n\n<!-- <i> -->\n\n<a id="x"></a> 1 < 2 and `<b>`\n')).toEqual([
    "1: <b> is shown as text: write Markdown",
  ]);
});

test("a word that neither dictionary has is reported once a page", () => {
  const page = parsePage(
    GUIDE,
    "# Rowmill\n\nThe webhook is *recieved*, and\nrecieved again. `recieved`, customers’ rows, isn't, HTTP/2\n",
  );
  expect(checkSpelling(page, loadSpeller())).toEqual([
    { page: GUIDE, line: 3, message: expect.stringMatching(/^"recieved" is not in the dictionary/) as string },
  ]);
});
