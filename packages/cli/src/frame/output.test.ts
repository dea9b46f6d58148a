/** What a hostile service, or a hostile row, can do to a reader's terminal: nothing. */
import { expect, test } from "vitest";
import { createOutput } from "./output.ts";
import type { OutputMode } from "./output.ts";
import { Problem } from "./problem.ts";
import { Collected, terminalWith } from "../testing/in-process.ts";

const HOSTILE = "a\u001b]52;c;ZXZpbA==\u0007b\u009b2Jc\u001b[2K\u001b[1;1Hd\re\bfg\u0000h";

function printed(mode: OutputMode): { stdout: string; stderr: string } {
  const [stdout, stderr] = [Object.assign(new Collected(), { isTTY: true }), new Collected()];
  const output = createOutput(terminalWith({ stdout, stderr, environment: {}, directory: "/" }), mode, false);
  output.result({ name: HOSTILE }, () => `\u001b[31m${HOSTILE}\u001b[39m\tx\ny`);
  output.event("step", { name: HOSTILE });
  output.note(HOSTILE);
  output.problem(new Problem(HOSTILE, HOSTILE, { requestId: HOSTILE }));
  output.write(HOSTILE);
  return { stdout: stdout.text, stderr: stderr.text };
}

test.each(["text", "json", "stream-json"] as const)("as %s, nothing but text and colors reaches a terminal", (mode) => {
  const { stdout, stderr } = printed(mode);
  const rest = (stdout + stderr).replace(/\u001b\[(?:31|39)m/g, "");
  expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  expect(stderr).toContain("a\ufffd]52;c;ZXZpbA==\ufffdb");
});

test("colors of our own, tabs and line breaks stay, and JSON is the same value", () => {
  expect(printed("text").stdout).toMatch(/^\u001b\[31m.*\u001b\[39m\tx\ny\n/);
  const [line = ""] = printed("stream-json").stdout.split("\n");
  expect(JSON.parse(line)).toEqual({ type: "result", name: HOSTILE });
});

test.each([
  [{ url: "https://a.example" }, " --url https://a.example", " --url https://a.example"],
  [{ profile: "my work" }, " --profile 'my work'", " --name 'my work'"],
  [{ local: true as const }, " --local", ""],
  [{}, "", ""],
])("commands that a text names use the service that the command named: %j", (service, kept, ofLogin) => {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const terminal = terminalWith({ stdout, stderr, environment: {}, directory: "/" });
  const output = createOutput(terminal, "text", false, service);
  output.result({}, () => "Next: rowmill results run_1\nNext: rowmill map in.csv --url https://b.example");
  output.note("Left run_1; come back with:\n  rowmill watch run_1\nStart one with `rowmill dev`.");
  output.problem(new Problem("There is no key.", "Sign in with `rowmill login`."));
  expect(stdout.text).toBe(`Next: rowmill results run_1${kept}\nNext: rowmill map in.csv --url https://b.example\n`);
  expect(stderr.text).toContain(`  rowmill watch run_1${kept}\nStart one with \`rowmill dev\`.`);
  expect(stderr.text).toContain(`\`rowmill login${ofLogin}\``);
});

test.each([
  [{}, "rowmill"],
  [{ npm_command: "exec" }, "npx rowmill"],
  [{ npm_lifecycle_event: "rowmill", npm_command: "run-script" }, "npm run rowmill --"],
])("commands that a text names can be typed as they stand, in %j", (environment, program) => {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const output = createOutput(terminalWith({ stdout, stderr, environment, directory: "/" }), "text", false);
  output.result({}, () => "rowmill: a row\nNext: rowmill map in.csv --retry");
  output.note("Left run_1; come back with:\n  rowmill watch run_1");
  output.problem(new Problem("There is no service.", "Sign in with `rowmill login`."));
  expect(stdout.text).toBe(`rowmill: a row\nNext: ${program} map in.csv --retry\n`);
  expect(stderr.text).toContain(`  ${program} watch run_1\n`);
  expect(stderr.text).toContain(`\`${program} login\``);
});
