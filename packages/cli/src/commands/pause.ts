import type { CommandFile } from "../frame/command.ts";
import { actOnRuns, runsCommand } from "../runs/actions.ts";

export const pause: CommandFile = {
  examples: [
    ["rowmill pause", "the last run: no further row is begun"],
    ["rowmill pause run_01jd3v run_01jd3w --json", "several, for programs"],
  ],
  create: (cli) =>
    runsCommand("pause", "Pause runs: no further row is begun, and nothing is lost.").action((runs) =>
      actOnRuns(cli, runs, {
        act: (rowmill, id) => rowmill.runs.pause(id, { signal: cli.signal }),
        next: ({ id }) => `rowmill resume ${id}`,
      }),
    ),
};
