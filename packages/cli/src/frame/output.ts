/**
 * The output contract. Data goes to stdout, messages to stderr.
 *
 *   text (default)   for people
 *   --json           one document
 *   --stream-json    NDJSON events while it goes on; the last one is `result` or `error`
 */
import { asTyped } from "./as-typed.ts";
import type { NamedService } from "./as-typed.ts";
import { harmlessJson, harmlessText } from "./harmless-text.ts";
import type { Terminal } from "./terminal.ts";
import type { Problem } from "./problem.ts";

export type OutputMode = "text" | "json" | "stream-json";

export interface Output {
  readonly mode: OutputMode;
  /** The command's result: `text` is printed for people, `value` for programs. */
  result(value: object, text: () => string): void;
  /** A step on the way, for `--stream-json` alone. */
  event(type: string, value: object): void;
  /** A line for people on stderr; silent with `--quiet`. */
  note(text: string): void;
  problem(problem: Problem): void;
  /** The last document or event of a command that was ended by Ctrl-C; people have read how to come back. */
  interrupted(problem: Problem): void;
  /** Text for stdout: a file or a pipe gets it as it is. */
  write(text: string): void;
}

/** `service`: as the command names it, for the commands that texts name. */
export function createOutput(
  terminal: Terminal,
  mode: OutputMode,
  isQuiet: boolean,
  service: NamedService = {},
): Output {
  // Much of it comes from a service, its users and their data: what would steer the terminal is taken out here, at the one exit.
  const typed = (text: string): string => asTyped(text, terminal.environment, service);
  const shownText = (text: string): string => harmlessText(typed(text));
  const say = (text: string): void => void terminal.stderr.write(shownText(text));
  const print = (text: string): void => void terminal.stdout.write(`${text}\n`);
  const printError = ({ code, message, advice, docUrl, requestId, exitCode }: Problem): void => {
    const error = { code, message, advice: typed(advice), docUrl, requestId, exitCode };
    if (mode === "json") print(harmlessJson({ error }, 2));
    else if (mode === "stream-json") print(harmlessJson({ type: "error", error }));
  };
  return {
    mode,
    result(value, text) {
      if (mode === "json") print(harmlessJson(value, 2));
      else if (mode === "stream-json") print(harmlessJson({ type: "result", ...value }));
      else {
        const shown = text();
        if (shown !== "") print(shownText(shown));
      }
    },
    event(type, value) {
      if (mode === "stream-json") print(harmlessJson({ type, ...value }));
    },
    note(text) {
      if (!isQuiet) say(`${text}\n`);
    },
    problem(problem) {
      const { message, advice, requestId } = problem;
      printError(problem);
      const mark = terminal.style("stderr", "red", "rowmill:");
      const request = requestId === null ? "" : ` (${requestId})`;
      say(`${mark} ${message}${request}\n${advice === "" ? "" : `  ${advice}\n`}`);
    },
    interrupted: (problem) => printError(problem),
    write: (text) => void terminal.stdout.write(terminal.stdout.isTTY ? harmlessText(text) : text),
  };
}
