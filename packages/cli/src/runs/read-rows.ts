/** The first rows of a file with JSON lines, or of an array. */
import { calledAs, parseJson, readText } from "../frame/arguments.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { usageProblem } from "../frame/problem.ts";
import type { Terminal } from "../frame/terminal.ts";

export async function readRows(terminal: Terminal, file: string, count: number): Promise<Record<string, unknown>[]> {
  const where = calledAs(file);
  const text = (await readText(terminal, file)).trim();
  const values = text.startsWith("[")
    ? parseJson(text, where, parseExactly)
    : text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .slice(0, count)
        .map((line, at) => parseJson(line, `Line ${at + 1} of ${where}`, parseExactly));
  const rows = Array.isArray(values) ? values.slice(0, count) : [];
  if (rows.length === 0) throw usageProblem(`${where} has no rows.`, "Write a JSON object into each line.");
  if (!rows.every(isRow))
    throw usageProblem(`A row of ${where} is not an object.`, "Write a JSON object into each line.");
  return rows;
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
