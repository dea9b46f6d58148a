import { Command, Option } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { findId } from "../frame/find.ts";
import { SHOWN_ITEMS, stdoutColumns } from "../frame/lists.ts";
import { writeLines } from "../frame/rows.ts";
import { formatTable } from "../frame/table.ts";
import { flatRow } from "../map/rows-out.ts";
import { createInputReader } from "../runs/input-reader.ts";
import { shownOption } from "../runs/run-options.ts";
import { streamRows } from "../runs/stream-rows.ts";

const STATES = ["succeeded", "failed", "canceled", "skipped", "pending"] as const;

export const results: CommandFile = {
  examples: [
    ["rowmill results", "of the last run: a table of the first rows in a terminal, JSON lines in a pipe"],
    ["rowmill results @last --state failed > failed.jsonl", "rows that failed, over all retries"],
    ["rowmill results run_01jd3v | head -n 3", "as many as are read"],
  ],
  create: (cli) =>
    new Command("results")
      .description("Print the rows of a run: the input, the output and the state of each, over all of its retries.")
      .argument("[run]", "id, beginning of it, name, or @last", "@last")
      .addOption(new Option("--state <state>", "only rows in this state").choices(STATES))
      .addOption(shownOption())
      .action((typed, { state, limit }) => printResults(cli, typed, state, limit)),
};

async function printResults(
  cli: Cli,
  typed: string,
  state: (typeof STATES)[number] | undefined,
  limit: number | undefined,
): Promise<void> {
  const rowmill = await cli.client();
  const { signal } = cli;
  const run = await rowmill.runs.get(await findId(rowmill, "run", typed), { signal });
  const filter = state === undefined ? {} : { resultState: state };
  const options = { signal, parseJson: parseExactly };
  const input = createInputReader(rowmill, run, signal);
  cli.atEnd(() => void input.close().catch(() => undefined)); // it ends with the process
  const isTable = cli.output.mode === "text" && cli.terminal.stdout.isTTY;
  if (!isTable) {
    const rows = streamRows((fromIndex) => rowmill.runs.resolvedResults(run.id, { ...filter, fromIndex }, options));
    return writeLines(cli, rows, async (result) => flatRow(await input.read(result), result), limit);
  }
  const list = rowmill.runs.resolvedResults(run.id, filter, options);
  const rows: Record<string, unknown>[] = [];
  const shown = limit ?? SHOWN_ITEMS;
  let hasMore = false;
  for await (const result of list) {
    hasMore = rows.length === shown;
    if (hasMore) break;
    rows.push(flatRow(await input.read(result), result));
  }
  if (rows.length === 0) return cli.output.note("There are no such rows.");
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => header.map((name) => cellOf(row[name])));
  cli.output.write(`${formatTable(header, cells, stdoutColumns(cli))}\n`);
  if (hasMore) cli.output.note(`More than ${shown}: \`rowmill export ${run.id} -o table.csv\` writes all of them.`);
}

const cellOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
