import { expect, test } from "vitest";
import { terminalWith, Collected } from "../testing/in-process.ts";
import { describeSection } from "./search.ts";

const terminal = terminalWith({ environment: {}, directory: "/", stdout: new Collected(), stderr: new Collected() });
const section = {
  file: "guide/retry.md",
  title: "Retry › Rows",
  text: [
    "**Only** the rows that [failed](../failures.md#codes):",
    "",
    "<!-- code: examples/guide/retry.sh#all -->",
    "```sh",
    "rowmill retry",
    "```",
    "",
    "| selection | rows |",
    "|---|---|",
    "| `unfinished` | all without a success |",
    "A further line.",
  ].join("\n"),
};

test("an excerpt has the first lines with something to read, and a whole section is as it was written", () => {
  expect(describeSection({ terminal }, section, false)).toBe(
    [
      "Retry › Rows  guide/retry.md",
      "  Only the rows that failed:",
      "  rowmill retry",
      "  | selection | rows |",
      "  | `unfinished` | all without a success |",
    ].join("\n"),
  );
  expect(describeSection({ terminal }, section, true)).toContain(section.text);
});
