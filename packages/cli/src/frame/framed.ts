/** The command of a file, with what every command and every command below it has: common options, examples, and errors that are thrown. */
import { Option } from "commander";
import type { Command } from "commander";
import type { Cli, CommandEntry, CommandFile, CommonOptions } from "./command.ts";
import { nearestTo } from "./nearest.ts";
import type { TypedOptions } from "./option-names.ts";
import { usageProblem } from "./problem.ts";
import type { Problem } from "./problem.ts";

/** In the help of every command. */
const MIN_EXAMPLES = 2;

export function framedCommand(
  entry: CommandEntry,
  file: CommandFile,
  cli: Cli,
  onOptions: (options: CommonOptions, typed: TypedOptions) => void = () => undefined,
): Command {
  const command = createCommand(entry, file, cli);
  for (const each of withThoseBelow(command)) addCommonOptions(preparedCommand(each));
  // Options after the name of a command below belong to that command.
  command.enablePositionalOptions();
  command.addHelpText("after", ["", "Examples:", ...exampleLines(file)].join("\n"));
  for (const below of command.commands) {
    const isOwn = ([line]: readonly [string, string]): boolean =>
      isExampleOf(line, `${command.name()} ${below.name()}`);
    // Where it has fewer than two, those of the commands beside it show what comes before and after.
    const own = file.examples.filter(isOwn);
    const others = own.length < MIN_EXAMPLES ? file.examples.filter((example) => !isOwn(example)) : [];
    const examples = [...own, ...others].slice(0, Math.max(own.length, MIN_EXAMPLES));
    below.addHelpText("after", ["", "Examples:", ...exampleLines({ examples })].join("\n"));
  }
  // Of the name of no command, the usual message says that it is an argument too many.
  if (command.commands.length > 0) command.allowExcessArguments();
  command.hook("preAction", (_, action) => {
    onOptions(action.optsWithGlobals<CommonOptions>(), typedOptions(action));
    const [unknown, ...more] = action.args.slice(action.registeredArguments.length);
    const isList = entry.isList === true && action === command && more.length === 0 && isListWord(unknown);
    if (action.commands.length > 0 && unknown !== undefined && !isList) throw noSuchCommand(entry, action, unknown);
  });
  return command;
}

/** `rowmill runs list` is `rowmill runs`: other command lines have such a word. */
export const isListWord = (word: string | undefined): boolean => word === "list" || word === "ls";

function noSuchCommand({ name, isList }: CommandEntry, { commands }: Command, typed: string): Problem {
  const names = [...(isList === true ? ["list"] : []), ...commands.map((below) => below.name())];
  const near = nearestTo(typed, names);
  return usageProblem(
    `There is no command "${name} ${typed}".`,
    near === undefined
      ? `There are ${names.map((each) => `\`rowmill ${name} ${each}\``).join(", ")}.`
      : `Did you mean \`rowmill ${name} ${near}\`?`,
  );
}

/** What was typed, and not what stands for an option that is absent. */
const typedOptions = (command: Command): TypedOptions =>
  new Map([
    ...command.options
      .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
      .map((option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const),
    ...command.registeredArguments.flatMap((argument, at) => {
      const typed = command.args[at];
      return typed === undefined ? [] : [[`<${argument.name()}>`, typed] as const];
    }),
  ]);

/** As its file makes it, with a name and a description. */
export function createCommand(entry: CommandEntry, file: CommandFile, cli: Cli): Command {
  // The typed command is the same object as the plain one; only its types say more.
  const command = file.create(cli) as unknown as Command;
  command.name(`rowmill ${entry.name}`);
  if (command.description() === "") command.description(sentenceOf(entry.summary));
  return command;
}

export function preparedCommand(command: Command): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption("-h, --help", "show this help")
    .configureOutput({ outputError: () => undefined }); // said by `run.ts`
}

const withThoseBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withThoseBelow)];

function addCommonOptions(command: Command): void {
  command.helpCommand(false);
  for (const option of commonOptions()) command.addOption(option);
}

/** What every command takes. */
export const commonOptions = (): Option[] => [
  new Option("--json", "print one JSON document").helpGroup("Output:"),
  new Option("--stream-json", "print NDJSON events while it goes on").conflicts("json").helpGroup("Output:"),
  new Option("-q, --quiet", "print the result and problems alone: no progress, no notes").helpGroup("Output:"),
  new Option("--url <url>", "the service (ROWMILL_URL)").helpGroup("Service:"),
  new Option("--profile <name>", "a profile of config.toml (ROWMILL_PROFILE)").helpGroup("Service:"),
  new Option("--local", "this machine's own, whatever profile there is")
    .conflicts(["url", "profile"])
    .helpGroup("Service:"),
];

const exampleLines = ({ examples }: Pick<CommandFile, "examples">): string[] =>
  examples.flatMap(([line, does]) => [`  # ${does}`, `  $ ${line}`]);
const isExampleOf = (line: string, name: string): boolean => `${line} `.includes(`${name} `);
const sentenceOf = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
