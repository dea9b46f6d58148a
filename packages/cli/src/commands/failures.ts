import { Command, Option } from "@commander-js/extra-typings";
import { commaSeparated } from "../frame/arguments.ts";
import type { Failure } from "@rowmill/client";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { tableOf } from "../frame/lists.ts";
import { count, plural } from "../frame/numbers.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { writeLines } from "../frame/rows.ts";
import { shownOption } from "../runs/run-options.ts";
import { streamRows } from "../runs/stream-rows.ts";

export const failures: CommandFile = {
  examples: [
    ["rowmill failures", "of the last run: how many rows failed for which cause, with a row of each"],
    ["rowmill failures @last --code output_schema_invalid -n 10", "rows of one cause, as JSON lines"],
    ["rowmill failures run_01jd3v --rows > failures.jsonl", "all of them"],
  ],
  create: (cli) =>
    new Command("failures")
      .description("Show why rows failed: by cause, or row by row.")
      .argument("[run]", "id, beginning of it, name, or @last", "@last")
      .addOption(new Option("--code <codes>", "rows of these causes").argParser(commaSeparated))
      .option("--rows", "rows instead of causes")
      .addOption(shownOption())
      .action(async (typed, { code, rows, limit }) => {
        const rowmill = await cli.client();
        const id = await findId(rowmill, "run", typed);
        if (rows !== true && code === undefined) return printCauses(cli, id);
        // The service refuses a code that does not exist.
        const filter = code === undefined ? {} : { code: code as Failure["code"][] };
        const list = streamRows((fromIndex) =>
          rowmill.runs.failures(id, { ...filter, fromIndex }, { signal: cli.signal, parseJson: parseExactly }),
        );
        await writeLines(cli, list, (failure) => failure, limit);
      }),
};

async function printCauses(cli: Cli, id: string): Promise<void> {
  const rowmill = await cli.client();
  const { data } = await rowmill.runs.failureGroups(id, undefined, { signal: cli.signal });
  cli.output.result({ runId: id, data }, () => {
    if (data.length === 0) return `No row of ${id} has failed.`;
    const total = data.reduce((sum, group) => sum + group.count, 0);
    const table = tableOf(cli, data, [
      ["rows", (group) => count(group.count)],
      ["code", ({ code }) => code],
      ["retry", ({ retryable }) => (retryable ? "may help" : "no")],
      ["row", ({ sample }) => sample.index + 1],
      ["message", ({ sample }) => sample.message],
    ]);
    const [worst] = data;
    return `${plural(total, "failure")} of ${id}:\n\n${table}\n\nNext: rowmill failures ${id} --code ${worst?.code ?? "CODE"}`;
  });
}
