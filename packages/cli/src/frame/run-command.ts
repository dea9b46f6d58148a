/** From arguments to an exit code. Only the command that is named is read: the others would cost their imports. */
import { Command, CommanderError } from "commander";
import { namedBy, useService } from "./client.ts";
import type { Cli, CommandEntry, CommonOptions, Service } from "./command.ts";
import { exitCodeTable, exitCodes } from "./exit-codes.ts";
import type { ExitName } from "./exit-codes.ts";
import { framedCommand, isListWord, preparedCommand } from "./framed.ts";
import { createInterrupts } from "./interrupts.ts";
import { harmlessText } from "./harmless-text.ts";
import { createOutput } from "./output.ts";
import type { Output, OutputMode } from "./output.ts";
import type { TypedOptions } from "./option-names.ts";
import { Interrupted, Problem, usageProblem } from "./problem.ts";
import { nearestTo } from "./nearest.ts";
import type { Terminal } from "./terminal.ts";

export async function runCli(
  commands: readonly CommandEntry[],
  typed: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  const args = commandFirst(typed);
  // Until the options are read, an error is said as their names in the arguments ask.
  let output = createOutput(terminal, modeIn(args), false);
  const interrupts = createInterrupts();
  let exit: ExitName = "success";
  let common: CommonOptions = {};
  let service: Promise<Service> | undefined;
  let typedOptions: TypedOptions | undefined;
  const endings: (() => void)[] = [];
  const cli: Cli = {
    version,
    commands,
    terminal,
    signal: interrupts.signal,
    get output(): Output {
      return output;
    },
    get common() {
      return common;
    },
    onInterrupt: (listener) => interrupts.take(listener),
    leaveSignals: () => interrupts.close(),
    service: (options) => (service ??= useService(cli, options?.isMade === true)),
    client: async (options) => (await cli.service(options)).rowmill,
    atEnd: (work) => void endings.push(work),
    exitWith: (name) => {
      exit = name;
    },
  };
  const program = overview(commands, version, terminal.columns);
  try {
    const entry = commands.find(({ name }) => name === args[0]);
    if (entry === undefined) {
      refuseUnknown(args[0], commands);
      await program.parseAsync(args, { from: "user" });
      return exitCodes[exit].code;
    }
    const file = await entry.load();
    const command = framedCommand(entry, file, cli, (options, given) => {
      common = options;
      typedOptions = given;
      output = createOutput(terminal, modeOf(options), options.quiet === true, options);
    });
    await command.parseAsync(entry.isList === true ? withoutList(args.slice(1)) : args.slice(1), { from: "user" });
    return exitCodes[exit].code;
  } catch (error) {
    if (error instanceof CommanderError) return sayUsage(error, output);
    return await sayProblem(error, cli, service, typedOptions);
  } finally {
    for (const work of endings) work();
    interrupts.close();
  }
}

/** What failed, in words that help; its exit code. */
async function sayProblem(
  error: unknown,
  cli: Cli,
  service: Promise<Service> | undefined,
  typedOptions: TypedOptions | undefined,
): Promise<number> {
  const { explainError } = await import("./explain-error.ts");
  const isInterrupted = cli.signal.aborted && !(error instanceof Interrupted);
  const cause = isInterrupted ? new Interrupted() : await causeOf(error, service);
  const problem = explainError(cause, typedOptions, await namedBy(cli, cause));
  const { environment, stderr } = cli.terminal;
  if (environment["ROWMILL_DEBUG"]) stderr.write(harmlessText(`${describeCause(error)}\n`));
  if (problem instanceof Interrupted) cli.output.interrupted(problem.asProblem());
  else cli.output.problem(problem);
  return (problem instanceof Interrupted ? exitCodes.interrupted : exitCodes[problem.exit]).code;
}

/** The end of the command's own service, where that is why a request failed. */
async function causeOf(failure: unknown, service: Promise<Service> | undefined): Promise<unknown> {
  const [joined] = await Promise.allSettled([service]);
  if (joined.status === "rejected" || joined.value?.isLocal !== true) return failure;
  const { whyLost } = await import("../local/why-lost.ts");
  return whyLost(failure, joined.value.gone);
}

const FLAGS = new Set(["--json", "--stream-json", "-q", "--quiet", "--local"]);
const VALUED = new Set(["--url", "--profile"]);

/** `rowmill --json runs` is `rowmill runs --json`: options that every command has may stand before its name. */
function commandFirst(typed: readonly string[]): readonly string[] {
  const at = countSharedOptions(typed);
  const command = typed[at];
  if (at === 0 || command === undefined || command.startsWith("-")) return typed;
  return [command, ...typed.slice(0, at), ...typed.slice(at + 1)];
}

/** Also where the command below would take the word for its argument. */
function withoutList(args: readonly string[]): readonly string[] {
  const at = countSharedOptions(args);
  return isListWord(args[at]) ? args.toSpliced(at, 1) : args;
}

/** Words at the beginning of `args` that are options of every command, and their values. */
function countSharedOptions(args: readonly string[]): number {
  let at = 0;
  for (let word = args[at]; word !== undefined; word = args[at]) {
    if (FLAGS.has(word) || [...VALUED].some((name) => word?.startsWith(`${name}=`))) at++;
    else if (VALUED.has(word)) at += 2;
    else break;
  }
  return at;
}

/** `rowmill` without a command: all of them, and how they end. */
function overview(commands: readonly CommandEntry[], version: string, columns: number): Command {
  const program = preparedCommand(new Command("rowmill"))
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
        exitCodeTable(columns),
        "",
        "`rowmill COMMAND --help` has examples for each command.",
      ].join("\n"),
    );
  for (const { name, summary, group } of commands) program.command(name).summary(summary).helpGroup(`${group}:`);
  program.helpCommand(false);
  program.argument("[command]").action(() => program.help());
  return program;
}

function refuseUnknown(name: string | undefined, commands: readonly CommandEntry[]): void {
  if (name !== undefined && !name.startsWith("-"))
    throw usageProblem(`There is no command "${name}".`, adviceFor(name, commands));
}

function adviceFor(name: string, commands: readonly CommandEntry[]): string {
  const names = commands.map((entry) => entry.name);
  const near = names.find((each) => each.startsWith(name) || name.startsWith(each)) ?? nearestTo(name, names);
  return near === undefined ? "`rowmill --help` lists them." : `Did you mean \`rowmill ${near}\`?`;
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

/** Where ROWMILL_DEBUG is set. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? String(error.stack) : `${error.stack}\n${describeCause(error.cause)}`;
}
