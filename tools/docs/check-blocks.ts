/**
 * Blocks of code: each is a region of a file that the tests run, is written from data that tests compare with the service, or says why
 * it does not run. A block of the last kind is checked as far as that goes: its syntax, and the values of its settings.
 */
import { spawnSync } from "node:child_process";
import { parse as parseYaml } from "yaml";
import { settings } from "@rowmill/server/config";
import { readBlocks } from "./code-blocks.ts";
import type { Block } from "./code-blocks.ts";
import type { Page, Problem } from "./page.ts";

/** Where files of blocks may lie: all that is in these folders is run, by the test that is named. */
const RUN_BY: Readonly<Record<string, string>> = {
  "examples/guide/": "tests/guide.test.ts",
  "examples/receivers/": "tests/webhook-receivers.test.ts",
  "examples/reference/": "tests/reference-programs.test.ts",
  "deploy/": "tests/deployments.test.ts",
};

/** Pages of generators: their blocks come from data that tests run, and not from files. */
const GENERATED = /^<!-- Written by `npm run generate`/m;

/** `ROWMILL_NAME=value` in a line of a shell or of a file of settings; without values that a shell computes, or that are left out. */
const SETTING = /(?<![\w$"])(ROWMILL_[A-Z0-9_]+)=(?:'([^'\n]*)'|([^\s'"$…]*)(?=\s|$))/g;

const OF_CLIENTS: ReadonlySet<string> = new Set(["ROWMILL_URL", "ROWMILL_API_KEY", "ROWMILL_PROFILE"]);

export function checkBlocks(page: Page): Problem[] {
  if (GENERATED.test(page.text)) return [];
  return readBlocks(page.text).flatMap((block) => {
    const problem = problemOf(block);
    return problem === undefined ? [] : [{ page: page.path, line: block.line, message: problem }];
  });
}

function problemOf({ source, notRun, language, text }: Block): string | undefined {
  const name = `a block of ${language === "" ? "no language" : language}`;
  if (source !== undefined) {
    const isRun = Object.keys(RUN_BY).some((folder) => source.path.startsWith(folder));
    return isRun ? undefined : `${source.path} is run by no test: put it into ${Object.keys(RUN_BY).join(" or ")}`;
  }
  if (notRun === undefined)
    return `${name} without a file: put <!-- code: path#region --> before it, or <!-- not run: why -->`;
  const check = Object.hasOwn(CHECKS, language) ? CHECKS[language] : undefined;
  if (check === undefined) return `${name} must come from a file that runs: put <!-- code: path#region --> before it`;
  try {
    check(text);
    return undefined;
  } catch (error) {
    return `${name} is wrong: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** By language, what is possible without running it; it throws. Drawings and forms have no syntax. */
const CHECKS: Readonly<Record<string, (text: string) => void>> = {
  "": checkSettings,
  text: checkSettings,
  sh: (text) => {
    checkShell(text);
    checkSettings(text);
  },
  console: (text) => {
    const commands = text.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
    if (commands.length === 0) throw new Error("no line begins with `$ `");
    checkShell(commands.join("\n"));
    checkSettings(commands.join("\n"));
  },
  json: (text) => void JSON.parse(text),
  yaml: (text) => void parseYaml(text),
  sql: () => undefined,
  http: () => undefined,
  md: () => undefined,
  markdown: () => undefined,
};

function checkShell(text: string): void {
  const { status, stderr, error } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  // Windows and small containers have none.
  if (error === undefined && status !== 0) throw new Error(stderr.trim());
}

function checkSettings(text: string): void {
  for (const [, name = "", quoted, plain = ""] of text.matchAll(SETTING)) {
    if (OF_CLIENTS.has(name)) continue;
    if (!Object.hasOwn(settings, name)) throw new Error(`${name} is not a setting`);
    // Several settings hold only together with others.
    settings[name as keyof typeof settings].parse(quoted ?? plain); // it is one of them
  }
}
