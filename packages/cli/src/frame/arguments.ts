/** What arguments and options are read with. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parseBody } from "./exact-json.ts";
import { decodeText, readNamedFile } from "./named-file.ts";
import { usageProblem } from "./problem.ts";
import type { Terminal } from "./terminal.ts";

export function integer(min: number): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > Number.MAX_SAFE_INTEGER)
      throw new InvalidArgumentError(`It must be an integer of at least ${min}.`);
    return Number(text);
  };
}

export function number(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };
}

export function money(text: string): string {
  const amount = /^\$?(\d+(?:\.\d{1,6})?)$/.exec(text)?.[1];
  if (amount === undefined || Number(amount) === 0)
    throw new InvalidArgumentError("It must be an amount in US dollars, such as 5 or 0.50.");
  return amount;
}

/** A repeatable option. */
export const collected = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];

/** `a,b` and a repeated option are the same list. */
export const commaSeparated = (text: string, before: string[] | undefined): string[] => [
  ...(before ?? []),
  ...text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
];

/** The content of a file, or of stdin for `-`. */
export async function readText(terminal: Terminal, file: string): Promise<string> {
  if (file !== "-") return readNamedFile(file);
  if (terminal.stdin.isTTY) throw usageProblem("- reads a pipe, and stdin is a terminal.", "Name a file.");
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.stdin) chunks.push(chunk as Buffer); // no encoding is set
  return decodeText(Buffer.concat(chunks), "stdin");
}

/** How messages call what `readText` reads. */
export const calledAs = (file: string): string => (file === "-" ? "stdin" : file);

/** A JSON object in a file, which is the body of a request. What is in it is validated by the service. */
export async function readJsonObject(terminal: Terminal, file: string): Promise<Record<string, unknown>> {
  const where = calledAs(file);
  const text = await readText(terminal, file);
  const value = parseBodyIn(text, where);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usageProblem(`${where} is not a JSON object.`, "Write { … } into it.");
  return value as Record<string, unknown>;
}

function parseBodyIn(text: string, where: string): unknown {
  let rounded: string | undefined;
  const value = parseJson(text, where, (json) => {
    const body = parseBody(json);
    ({ rounded } = body);
    return body.value;
  });
  refuseRounded(rounded, where);
  return value;
}

/** `integer` is one of what somebody has written, if there is one that would become another. */
export function refuseRounded(integer: string | undefined, where: string): void {
  if (integer === undefined) return;
  throw usageProblem(
    `${where} has the integer ${integer}, of which a number keeps ${Number(integer)}.`,
    "Write it as text, in quotation marks.",
  );
}

export function parseJson(text: string, where: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    // It quotes the text, with its line ends.
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").replace(/\.$/, "");
    throw usageProblem(`${where} is not JSON: ${reason}.`, "Correct it and repeat the command.");
  }
}
