/** A secret from a file, a pipe, the environment or a prompt; never from an argument, where other users of the machine see it. */
import type { Cli } from "../frame/command.ts";
import { readNamedFile } from "../frame/named-file.ts";
import { Interrupted, Problem } from "../frame/problem.ts";

/** A key has some hundred characters; what is longer is another file. */
const MAX_SECRET_CHARACTERS = 10_000;

export interface SecretSource {
  /** What is asked for, such as "API key of openai". */
  what: string;
  /** `-` is stdin. */
  file: string | undefined;
  /** Variables that may have it, in order. */
  variables: readonly string[];
}

export async function readSecret(cli: Cli, { what, file, variables }: SecretSource): Promise<string> {
  const { environment } = cli.terminal;
  if (file !== undefined) return checked(what, file === "-" ? await readStdin(cli) : readNamedFile(file));
  const variable = variableOf(cli, variables);
  if (variable !== undefined) {
    cli.output.note(`Using the key in ${variable}.`);
    return checked(what, environment[variable] ?? "");
  }
  const typed = await ask(cli, what);
  if (typed !== undefined) return checked(what, typed);
  const others = variables.length === 0 ? "" : `, set ${variables[0]}`;
  throw new Problem(
    `There is no ${what}, and nobody to ask for it.`,
    `Name a file with --key-file (- reads stdin)${others}, or run this in a terminal.`,
    { exit: "not_allowed", code: "no_key" },
  );
}

/** As `readSecret`, where there may be none: undefined where nothing is typed, and where nobody can be asked. */
export async function readOptionalSecret(cli: Cli, source: SecretSource): Promise<string | undefined> {
  if (source.file !== undefined || variableOf(cli, source.variables) !== undefined) return readSecret(cli, source);
  const typed = await ask(cli, source.what);
  return typed === undefined || typed.trim() === "" ? undefined : checked(source.what, typed);
}

const variableOf = ({ terminal }: Cli, variables: readonly string[]): string | undefined =>
  variables.find((name) => (terminal.environment[name] ?? "") !== "");

/** Undefined where nobody can be asked. What is typed is not shown. */
async function ask({ terminal }: Cli, what: string): Promise<string | undefined> {
  if (!terminal.isInteractive) return undefined;
  const { password, isCancel } = await import("@clack/prompts");
  const response = await password({ message: `${what}:`, output: terminal.stderr });
  if (isCancel(response)) throw new Interrupted();
  return response;
}

async function readStdin({ terminal }: Cli): Promise<string> {
  let text = "";
  for await (const chunk of terminal.stdin) {
    text += String(chunk);
    if (text.length > MAX_SECRET_CHARACTERS) break;
  }
  return text;
}

function checked(what: string, text: string): string {
  const secret = text.trim();
  if (/^[\x21-\x7e]+$/.test(secret) && secret.length <= MAX_SECRET_CHARACTERS) return secret;
  throw new Problem(
    secret === ""
      ? `The ${what} is empty.`
      : `What was given cannot be the ${what}: it contains spaces, line breaks or other characters.`,
    "Copy the key alone, on one line.",
    { exit: "usage", code: "not_a_key" },
  );
}
