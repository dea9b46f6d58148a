import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { formatTable } from "../frame/table.ts";

/** As many as fit a screen. */
const SHOWN_RUNS = 20;

export const runs: CommandFile = {
  examples: [
    ["rowmill runs", "the newest runs with their states and counts"],
    ["rowmill runs --json | jq '.data[0].id'", "the id of the newest run"],
  ],
  create: (cli) =>
    new Command("runs").action(async () => {
      const rowmill = await cli.client();
      const { data } = await rowmill.runs.list({ limit: SHOWN_RUNS }, { signal: cli.signal });
      cli.output.result({ data }, () =>
        data.length === 0
          ? "There are no runs yet."
          : formatTable(
              ["run", "state", "rows", "failed", "cost", "name"],
              data.map(({ id, state, rows, usage, name }) => [
                id,
                state,
                String(rows.total),
                String(rows.failed),
                usage.costUsd === null ? "?" : `$${Number(usage.costUsd).toFixed(2)}`,
                name ?? "",
              ]),
              cli.terminal.columns,
            ),
      );
    }),
};
