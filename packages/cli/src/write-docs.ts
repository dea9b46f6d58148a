/** Writes `docs/reference/cli.md` from the commands; with `--check` it only says whether it is current. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Argument, Command, Option } from "commander";
import { commands } from "./commands.ts";
import type { Cli, CommandEntry, CommandFile } from "./frame/command.ts";
import { exitCodes } from "./frame/exit-codes.ts";
import { commonOptions, createCommand } from "./frame/framed.ts";

const file = new URL("../../../docs/reference/cli.md", import.meta.url);

const INTRODUCTION = `# The command line

<!-- Written by \`npm run generate\` from packages/cli/src/commands. -->

\`rowmill\` processes the rows of a file, and does everything else that the API can do. \`rowmill COMMAND --help\` shows the same as this page.

## What all commands share

- **Service.** \`--url\`, \`--profile\`, \`ROWMILL_URL\`, \`./.rowmill.toml\` or the default profile names it, in this order. Where none is named, \`map\` starts one of its own on
  this machine, and the other commands use that one; with \`--local\` they do so also where another is named.
- **Output.** Data goes to stdout, messages and progress to stderr. \`--json\` prints one document, \`--stream-json\` NDJSON events of which the last is
  \`result\` or \`error\`. Tables are cut at the width of a terminal, and nowhere else. \`NO_COLOR\` turns colors off, \`--quiet\` messages.
- **Names.** Where a command takes a thing, it takes its id, the beginning of the id, its name where only one has it, or \`@last\`, the newest.
- **Questions** are asked in a terminal only. Without one, a command that would spend money stops with 6 unless \`--yes\` or \`--max-cost\` agrees.
- **Secrets** come from the environment, a file or a prompt, and are never arguments.
- **Ctrl-C** leaves a run that is watched; it goes on. A second Ctrl-C ends the command at once. With \`--json\` and
  \`--stream-json\` the last output is an \`error\` with the code \`interrupted\`; its \`advice\` says how to come back.

Every command has these options beside its own, and \`-h, --help\`:
`;

/** Only names and texts are read of the commands. */
const nobody = {} as Cli;
const cell = (text: string): string => text.replaceAll("|", "\\|");

async function page(): Promise<string> {
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  const sections: string[] = [];
  for (const group of new Set(commands.map((entry) => entry.group))) {
    sections.push(`## ${group}`);
    for (const entry of commands.filter((each) => each.group === group))
      sections.push(sectionOf(entry, await entry.load()));
  }
  const options = [INTRODUCTION, "| option | |", "|---|---|", ...commonOptions().map(rowOfOption)];
  const exits = ["", "## Exit codes", "", "| code | meaning |", "|---|---|", ...codes];
  return `${[...options, ...exits].join("\n")}\n\n${sections.join("\n\n")}\n`;
}

function sectionOf(entry: CommandEntry, made: CommandFile): string {
  const command = createCommand(entry, made, nobody);
  const examples = made.examples.flatMap(([line, does]) => [`# ${does}`, line]);
  return [
    `### rowmill ${entry.name}`,
    "",
    command.description(),
    "",
    "```sh",
    ...examples,
    "```",
    ...described(command),
    ...command.commands.flatMap((below) => [
      "",
      `**\`rowmill ${entry.name} ${below.name()}\`** ${below.description()}`,
      ...described(below),
    ]),
  ].join("\n");
}

function described(command: Command): string[] {
  const rows = [
    ...command.registeredArguments.map((argument) => {
      const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
      return `| \`${cell(name)}\` | ${meaningOf(argument)} |`;
    }),
    ...command.options.map(rowOfOption),
  ];
  return rows.length === 0 ? [] : ["", "| argument or option | |", "|---|---|", ...rows];
}

const rowOfOption = (option: Option): string => `| \`${cell(option.flags)}\` | ${meaningOf(option)} |`;

/** The description, what may be chosen, and what holds without it, as `--help` shows them. */
function meaningOf({ description, argChoices, defaultValue }: Argument | Option): string {
  // Some descriptions list them, in words.
  const choices = argChoices?.every((choice) => description.includes(choice)) === true ? undefined : argChoices;
  // `--no-…` is true without it, which its name says.
  const standard =
    defaultValue === undefined || defaultValue === true ? undefined : `default \`${String(defaultValue)}\``;
  const more = [choices?.map((choice) => `\`${choice}\``).join(", "), standard].filter((part) => part !== undefined);
  return cell(more.length === 0 ? description : `${description} (${more.join("; ")})`);
}

const text = await page();
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  process.stderr.write("docs/reference/cli.md is stale: run `npm run generate`\n");
  process.exit(1);
}
