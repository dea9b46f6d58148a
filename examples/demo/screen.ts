/** What the demo prints, with the bars, tables and numbers of the command line. */
import { formatTable } from "../../packages/cli/src/frame/table.ts";
import { createOutput } from "../../packages/cli/src/frame/output.ts";
import { processTerminal } from "../../packages/cli/src/frame/terminal.ts";
import { wrapText } from "../../packages/cli/src/frame/wrap.ts";

const terminal = processTerminal();
/** As `showProgress` of the command line wants it. */
export const screen = { terminal, output: createOutput(terminal, "text", false), common: {} };

const INDENT = "  ";

export const step = (title: string): void =>
  console.log(`\n${terminal.style("stdout", "bold", fit(`▸ ${title}`, INDENT))}`);
/** Indented; the further lines of what is longer than a line are indented more. */
export const say = (text: string): void => console.log(fit(`${INDENT}${text}`, INDENT.repeat(2)));

/** A file or a pipe gets each sentence as one line. */
export const fit = (text: string, indent = ""): string =>
  process.stdout.isTTY ? wrapText(text, terminal.columns, indent) : text;

export function table(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const text = formatTable(header, rows, terminal.columns - INDENT.length);
  const [first = "", ...others] = text.split("\n");
  console.log(INDENT + terminal.style("stdout", "dim", first));
  for (const line of others) console.log(INDENT + line);
}

/** Wide enough for more than what matters most. */
const WIDE = 110;
export const isWide = (): boolean => terminal.columns >= WIDE;
/** Somebody is there who can press Ctrl-C. */
export const isWatched = process.stdin.isTTY && process.stdout.isTTY;

export function expectEqual<T>(what: string, actual: T, expected: T): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, found ${String(actual)}`);
}
