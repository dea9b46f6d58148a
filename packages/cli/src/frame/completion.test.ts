import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { typeCommand } from "../testing/in-process.ts";
import { diffLines } from "./diff.ts";
import { formatTable } from "./table.ts";

const scriptFor = async (shell: string): Promise<string> => {
  const { code, stdout } = await typeCommand({ environment: {}, directory: "/" }, "completion", shell);
  expect(code).toBe(0);
  return stdout;
};

test.each([
  [["fail"], ["failures"]],
  [["specs", "te"], ["test"]],
  [["specs", "test", "--da"], ["--dataset"]],
  [["retry", "--ma"], ["--max-cost"]],
])("bash completes %j to %j", async (words, expected) => {
  const script = await scriptFor("bash");
  const line = ["rowmill", ...words];
  const use = `${script}\nCOMP_WORDS=(${line.join(" ")}); COMP_CWORD=${line.length - 1}; _rowmill; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", use], { encoding: "utf8" });
  expect({ words: stdout.trim().split("\n"), stderr }).toEqual({ words: expected, stderr: "" });
});

test("scripts for zsh and fish have every command with its summary", async () => {
  for (const shell of ["zsh", "fish"]) {
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
