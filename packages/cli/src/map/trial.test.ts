import { expect, test } from "vitest";
import type { Cli } from "../frame/command.ts";
import { describeTrial } from "./trial.ts";
import type { Tried } from "./trial.ts";

// What it reads of a command.
const cli = { terminal: { columns: 120 } } as unknown as Cli;
const row: Tried = {
  index: 0,
  output: { industry: "steel" },
  failure: undefined,
  tokens: undefined,
  costUsd: undefined,
  durationMs: undefined,
  isCached: false,
};

test("a row whose output is in the cache is named as such, and one whose cost is unknown has a question mark", () => {
  const rows = [
    { ...row, isCached: true },
    { ...row, index: 1, tokens: 40, costUsd: 0.00002 },
    { ...row, index: 2, tokens: 40 },
  ];
  expect(
    describeTrial(cli, rows)
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([
    expect.stringMatching(/^row +industry +tokens +cost$/),
    expect.stringMatching(/^1 +steel +cached$/),
    expect.stringMatching(/^2 +steel +40 +\$0\.000020$/),
    expect.stringMatching(/^3 +steel +40 +\?$/),
  ]);
});
