/** From arguments to an exit code. Only the command that is named is read: the others would cost their imports. */
import { Command, CommanderError, Option } from "commander";
import type { CommandEntry } from "../commands.ts";
import { createClient } from "./client.ts";
import type { Cli, CommandFile, CommonOptions } from "./command.ts";
import { exitCodeTable, exitCodes } from "./exit-codes.ts";
import type { ExitName } from "./exit-codes.ts";
import { createInterrupts } from "./interrupts.ts";
import { createOutput } from "./output.ts";
import type { Output, OutputMode } from "./output.ts";
import { Interrupted, Problem, usageProblem } from "./problem.ts";
import type { Terminal } from "./terminal.ts";

export async function runCli(
  commands: readonly CommandEntry[],
  args: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  // Until the options are read, an error is said as their names in the arguments ask.
  let output = createOutput(terminal, modeIn(args), false);
  const interrupts = createInterrupts();
  let exit: ExitName = "success";
  let common: CommonOptions = {};
  const cli: Cli = {
    version,
    terminal,
    signal: interrupts.signal,
    get output(): Output {
      return output;
    },
    get common() {
      return common;
    },
    onInterrupt: (listener) => interrupts.take(listener),
    client: () => createClient(cli),
    exitWith: (name) => {
      exit = name;
    },
  };
  const program = overview(commands, version);
  try {
    const entry = commands.find(({ name }) => name === args[0]);
    if (entry === undefined) {
      await program.parseAsync(args, { from: "user" });
      return exitCodes[exit].code;
    }
    const file = await entry.load();
    const command = framed(entry, file, cli, (options) => {
      common = options;
      output = createOutput(terminal, modeOf(options), options.quiet === true);
    });
    await command.parseAsync(args.slice(1), { from: "user" });
    return exitCodes[exit].code;
  } catch (error) {
    if (error instanceof CommanderError) return sayUsage(error, output);
    const { explainError } = await import("./explain-error.ts");
    const problem = explainError(interrupts.signal.aborted ? new Interrupted() : error);
    if (terminal.environment["ROWMILL_DEBUG"]) terminal.stderr.write(`${describeCause(error)}\n`);
    if (problem instanceof Interrupted) return exitCodes.interrupted.code;
    output.problem(problem);
    return problem.exitCode;
  } finally {
    interrupts.close();
  }
}

/** `rowmill` without a command: all of them, and how they end. */
function overview(commands: readonly CommandEntry[], version: string): Command {
  const program = prepared(new Command("rowmill"))
    .description(
      "Process every row of a file with a model, an HTTP service or your code, durably and on your own machine.",
    )
    .version(version)
    .usage("COMMAND [OPTIONS]")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  $ rowmill map customers.csv --prompt 'Which industry is {{company}} in?' --model gpt-5-mini --out industry -o labeled.csv",
        "  $ rowmill map rows.jsonl --transform clean.js -o clean.jsonl",
        "",
        "Exit codes:",
        exitCodeTable(),
        "",
        "`rowmill COMMAND --help` has examples for each command.",
      ].join("\n"),
    );
  for (const { name, summary } of commands) program.command(name, { hidden: false }).summary(summary);
  program.argument("[command]").action((name: string | undefined) => {
    if (name === undefined) return program.help();
    throw usageProblem(`There is no command "${name}".`, adviceFor(name, commands));
  });
  return program;
}

function adviceFor(name: string, commands: readonly CommandEntry[]): string {
  const near = commands.find((entry) => entry.name.startsWith(name) || name.startsWith(entry.name));
  return near === undefined ? "`rowmill --help` lists them." : `Did you mean \`rowmill ${near.name}\`?`;
}

/** The command of a file, with what every command has. */
function framed(
  entry: CommandEntry,
  file: CommandFile,
  cli: Cli,
  onOptions: (options: CommonOptions) => void,
): Command {
  // The typed command is the same object as the plain one; only its types say more.
  const command = prepared(file.create(cli) as unknown as Command)
    .name(`rowmill ${entry.name}`)
    .addOption(new Option("--json", "print one JSON document").helpGroup("Output:"))
    .addOption(
      new Option("--stream-json", "print NDJSON events while it goes on").conflicts("json").helpGroup("Output:"),
    )
    .addOption(new Option("-q, --quiet", "print no messages").helpGroup("Output:"))
    .addOption(new Option("--url <url>", "the service (ROWMILL_URL)").helpGroup("Service:"))
    .addOption(new Option("--profile <name>", "a profile of config.toml (ROWMILL_PROFILE)").helpGroup("Service:"));
  if (command.description() === "")
    command.description(`${entry.summary.charAt(0).toUpperCase()}${entry.summary.slice(1)}.`);
  command.addHelpText(
    "after",
    ["", "Examples:", ...file.examples.flatMap(([line, does]) => [`  # ${does}`, `  $ ${line}`])].join("\n"),
  );
  command.hook("preAction", () => onOptions(command.opts<CommonOptions>()));
  return command;
}

function prepared(command: Command): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption("-h, --help", "show this help")
    .configureOutput({ outputError: () => undefined }); // said by `sayUsage`
}

function sayUsage(error: CommanderError, output: Output): number {
  // Help and version have been printed.
  if (error.exitCode === 0) return exitCodes.success.code;
  if (error.code === "commander.help") return exitCodes.usage.code;
  const [what = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const advice = rest.map((line) => line.replace(/^\((.*)\)$/, "$1")).join(" ");
  const said = `${what.charAt(0).toUpperCase()}${what.slice(1)}${what.endsWith(".") ? "" : "."}`;
  const problem = new Problem(said, advice === "" ? "Add --help to see what the command takes." : advice, {
    exit: "usage",
  });
  output.problem(problem);
  return problem.exitCode;
}

const modeOf = (options: CommonOptions): OutputMode =>
  options.json === true ? "json" : options.streamJson === true ? "stream-json" : "text";
const modeIn = (args: readonly string[]): OutputMode =>
  modeOf({
    ...(args.includes("--json") ? { json: true } : {}),
    ...(args.includes("--stream-json") ? { streamJson: true } : {}),
  });

/** For whoever asks by ROWMILL_DEBUG. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? String(error.stack) : `${error.stack}\n${describeCause(error.cause)}`;
}
