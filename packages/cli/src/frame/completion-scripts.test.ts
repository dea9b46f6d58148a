/** The scripts in the shells themselves: what is typed, a tab, and the line that the shell makes of it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { describe, expect, onTestFinished, test } from "vitest";
import { typeCommand } from "../testing/in-process.ts";
import { diffLines } from "./diff.ts";
import { formatTable } from "./table.ts";

type Shell = "bash" | "zsh" | "fish";

/** Installed as the command's help says; a shell that this machine does not have is not tried. */
const has = (shell: Shell): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;

const scriptFor = async (shell: Shell): Promise<string> => {
  const { code, stdout } = await typeCommand({ environment: {}, directory: "/" }, "completion", shell);
  expect(code).toBe(0);
  return stdout;
};

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a tab makes of each line: `rowmill` here is a function that prints its words. */
async function completedIn(shell: "bash" | "zsh", setup: string, lines: readonly string[]): Promise<string[]> {
  const folder = newFolder();
  writeFileSync(join(folder, "reviews.csv"), "");
  const plain = shell === "bash" ? ["--norc", "--noprofile", "-i"] : ["-f", "-i"];
  const terminal = spawnInTerminal(shell, plain, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "dumb" },
    cols: 200,
    rows: 40,
  });
  let screen = "";
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
  const typed = [setup, "rowmill() { printf 'words:%s\\n' \"$*\"; }", ...lines.map((line) => `${line}\t`), "exit"];
  // A shell that is not yet at its prompt does not complete: each line waits for the one before.
  const marks = typed.map((_, at) => `line ${at} is done`);
  const send = (at: number): void => terminal.write(`${typed[at]}\recho line ${at} is d''one\r`);
  let at = 0;
  terminal.onData((text) => {
    screen += text;
    if (!stripVTControlCharacters(screen).includes(marks[at] ?? "\0")) return;
    at++;
    if (at < typed.length) send(at);
  });
  send(0);
  await ended;
  return [...stripVTControlCharacters(screen).matchAll(/^words:(.*?)\s*$/gm)].map(([, words = ""]) => words);
}

const unambiguous: readonly (readonly [line: string, completed: string])[] = [
  ["rowmill fail", "failures"],
  ["rowmill specs te", "specs test"],
  ["rowmill specs test --da", "specs test --dataset"],
  ["rowmill retry --ma", "retry --max-cost"],
  ["rowmill retry -y --max-cost 5 --retr", "retry -y --max-cost 5 --retryable"],
  ["rowmill completion fi", "completion fish"],
  ["rowmill connect ollam", "connect ollama"],
  ["rowmill export --type resol", "export --type resolved_results"],
  ["rowmill map rev", "map reviews.csv"],
  ["rowmill map -o rev", "map -o reviews.csv"],
  ["rowmill apply rev", "apply reviews.csv"],
];
const lines = unambiguous.map(([line]) => line);
const expected = unambiguous.map(([, completed]) => completed);

describe("a tab completes", () => {
  test.runIf(has("bash"))("in bash", async () => {
    const file = join(newFolder(), "rowmill");
    writeFileSync(file, await scriptFor("bash"));
    expect(await completedIn("bash", `. ${file}`, lines)).toEqual(expected);
  });

  test.runIf(has("zsh"))("in zsh, also the first one", async () => {
    const folder = join(newFolder(), "functions");
    mkdirSync(folder);
    writeFileSync(join(folder, "_rowmill"), await scriptFor("zsh"));
    const setup = `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D`;
    expect(await completedIn("zsh", setup, lines)).toEqual(expected);
  });

  test.runIf(has("fish"))("in fish", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "reviews.csv"), "");
    writeFileSync(join(folder, "rowmill.fish"), await scriptFor("fish"));
    // What fish itself offers for a line, with a summary behind a tab.
    const ask = lines.map((line) => `echo "words:"(complete -C '${line}')`).join("; ");
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", `source rowmill.fish; ${ask}`], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const offered = [...stdout.matchAll(/^words:([^\t\n]*)/gm)].map(([, word]) => word);
    expect(offered).toEqual(expected.map((words) => words.split(" ").at(-1)));
  });
});

test("scripts have every command, and where one has others below it, those", async () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = await scriptFor(shell);
    for (const name of ["map", "specs", "failures", "doctor"]) expect(script).toContain(name);
    expect(script).toContain("--dataset".slice(shell === "fish" ? 2 : 0));
  }
});

test("a table cuts the widest columns, and the first one never where it is to be copied", () => {
  const rows = [["run_0123456789", "a long text that does not fit", "x"]];
  expect(formatTable(["run", "text", "y"], rows, 30, true).split("\n")[1]).toBe("run_0123456789  a long tex…  x");
  expect(formatTable(["run", "text", "y"], rows, Infinity).split("\n")[1]).toContain("does not fit");
});

test("two texts line by line", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(diffLines("a", "a")).toEqual([" a"]);
});
