import type { CommandFile } from "../frame/command.ts";
import { actOnRuns, runsCommand } from "../runs/actions.ts";

export const cancel: CommandFile = {
  examples: [
    ["rowmill cancel run_01jd3v", "end it; rows that have finished are kept"],
    ["rowmill cancel @last --json", "the last run, for programs"],
  ],
  create: (cli) =>
    runsCommand(
      "cancel",
      "Cancel runs. Rows that have finished are kept; `rowmill retry` processes the others.",
    ).action((runs) =>
      actOnRuns(cli, runs, {
        act: (rowmill, id) => rowmill.runs.cancel(id, { signal: cli.signal }),
        // Rows in flight end first.
        next: ({ id, state }) => `rowmill ${state === "canceled" ? "retry" : "watch"} ${id}`,
      }),
    ),
};
