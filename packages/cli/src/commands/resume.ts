import type { CommandFile } from "../frame/command.ts";
import { budgetOf } from "../map/things.ts";
import { actOnRuns, runsCommand } from "../runs/actions.ts";
import { maxCostOption } from "../runs/run-options.ts";

export const resume: CommandFile = {
  examples: [
    ["rowmill resume", "the last run goes on where it was"],
    ["rowmill resume run_01jd3v --max-cost 20", "with a larger budget"],
  ],
  create: (cli) =>
    runsCommand("resume", "Resume paused runs: they go on where they were.")
      .addOption(maxCostOption())
      .action((runs, { maxCost }) =>
        actOnRuns(cli, runs, {
          act: async (rowmill, id) => {
            const { signal } = cli;
            if (maxCost !== undefined) await rowmill.runs.update(id, budgetOf(maxCost), { signal });
            return rowmill.runs.resume(id, { signal });
          },
          next: ({ id }) => `rowmill watch ${id}`,
        }),
      ),
};
