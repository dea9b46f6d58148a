/** The examples of the help and of docs/reference/cli.md name subcommands and options that exist. */
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import type { Cli } from "./command.ts";
import { createCommand } from "./framed.ts";

/** Only names are read of the commands. */
const nobody = {} as Cli;

test.each(commands.map((entry) => [entry.name, entry] as const))("the examples of %s fit it", async (name, entry) => {
  const made = await entry.load();
  const command = createCommand(entry, made, nobody);
  const unknown: string[] = [];
  for (const [line] of made.examples)
    for (const part of line.split(/\s[|>]\s|&&/)) {
      // Quoted values are one word, whatever they hold.
      const words = part
        .replaceAll(/'[^']*'|"[^"]*"/g, "VALUE")
        .trim()
        .split(/\s+/);
      const at = words.findIndex((word, n) => word === "rowmill" && words[n + 1] === name);
      if (at === -1) continue;
      const used = words.slice(at + 2);
      const below = command.commands.find((each) => each.name() === used[0]);
      // Where no subcommand is named, one of them is meant.
      const meant = below === undefined ? command.commands : [below];
      const flags = new Set([...OF_ALL, ...flagsOf(command), ...meant.flatMap(flagsOf)]);
      unknown.push(...used.filter((word) => /^--?[a-z]/.test(word) && !flags.has(word.split("=")[0] ?? word)));
    }
  expect(unknown).toEqual([]);
});

/** Every command has them. */
const OF_ALL = ["--json", "--stream-json", "--quiet", "--url", "--profile", "--help"];

const flagsOf = (command: Command): string[] => command.options.flatMap(({ short, long }) => [short ?? "", long ?? ""]);
