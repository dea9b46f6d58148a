/** Rows as JSON lines on stdout, at the speed of whoever reads them: memory is a page. */
import { once } from "node:events";
import type { Cli } from "./command.ts";
import { harmlessJson } from "./harmless-text.ts";

/** With `--json` they are one document, which a person asked for; its rows are kept in memory. */
export async function writeLines<T>(
  cli: Cli,
  rows: AsyncIterable<T>,
  shown: (row: T) => unknown,
  limit: number = Infinity,
): Promise<void> {
  const kept: unknown[] = [];
  let written = 0;
  for await (const row of rows) {
    if (written >= limit) break;
    written++;
    const value = await shown(row);
    if (cli.output.mode === "json") kept.push(value);
    else await writeLine(cli, cli.output.mode === "stream-json" ? { type: "row", row: value } : value);
  }
  if (cli.output.mode !== "text")
    cli.output.result(cli.output.mode === "json" ? { data: kept } : { rows: written }, () => "");
}

async function writeLine(cli: Cli, value: unknown): Promise<void> {
  if (!cli.terminal.stdout.write(`${harmlessJson(value)}\n`))
    await once(cli.terminal.stdout, "drain", { signal: cli.signal });
}
