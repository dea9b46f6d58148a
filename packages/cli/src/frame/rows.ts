/** Rows as JSON lines on stdout, at the speed of the program that reads them: memory is a block of lines. */
import { once } from "node:events";
import type { Cli } from "./command.ts";
import { harmlessJson } from "./harmless-text.ts";

/** A write to a pipe costs more than a row: lines are written together. */
const BLOCK_CHARACTERS = 64 * 1024;
/** A reader sees rows that come slowly after this time at the latest. */
const BLOCK_INTERVAL_MS = 250;

export interface LineWriter {
  /** True when it is time to flush. */
  add(value: unknown): boolean;
  flush(): Promise<void>;
}

export function createLineWriter({ terminal: { stdout } }: Pick<Cli, "terminal">, signal: AbortSignal): LineWriter {
  let block = "";
  let flushedAt = Date.now();
  return {
    add(value) {
      block += `${harmlessJson(value)}\n`;
      return block.length >= BLOCK_CHARACTERS || Date.now() - flushedAt >= BLOCK_INTERVAL_MS;
    },
    async flush() {
      const text = block;
      block = "";
      flushedAt = Date.now();
      if (text !== "" && !stdout.write(text)) await once(stdout, "drain", { signal });
    },
  };
}

/** With `--json` they are one document, which a person asked for; its rows are kept in memory. */
export async function writeLines<T>(
  cli: Cli,
  rows: AsyncIterable<T>,
  shown: (row: T) => unknown,
  limit: number = Infinity,
): Promise<void> {
  const kept: unknown[] = [];
  const lines = createLineWriter(cli, cli.signal);
  let written = 0;
  try {
    for await (const row of rows) {
      const value = await shown(row);
      if (cli.output.mode === "json") kept.push(value);
      else if (lines.add(cli.output.mode === "stream-json" ? { type: "row", row: value } : value)) await lines.flush();
      written++;
      if (written >= limit) break;
    }
  } finally {
    // Rows before an error are whole, and stay.
    await lines.flush();
  }
  if (cli.output.mode !== "text")
    cli.output.result(cli.output.mode === "json" ? { data: kept } : { rows: written }, () => "");
}
