/** What a hostile service, or a hostile row, can do to the terminal of whoever reads it: nothing. */
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
