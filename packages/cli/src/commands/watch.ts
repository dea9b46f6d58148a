import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { agreeToReplace } from "../map/consent.ts";
import { followToEnd, tableFile } from "../runs/follow-to-end.ts";
import { outputOption } from "../runs/run-options.ts";

export const watch: CommandFile = {
  examples: [
    ["rowmill watch", "the last run, until it has ended; the exit code says how"],
    ["rowmill watch run_01jd3v -o labeled.csv", "a run, and its table at the end"],
    ["rowmill watch @last --stream-json", "an event a second, for programs"],
  ],
  create: (cli) =>
    new Command("watch")
      .description("Watch a run until it has ended. Ctrl-C leaves it; it goes on.")
      .argument("[run]", "id, beginning of it, name, or @last", "@last")
      .addOption(outputOption())
      .option("--force", "replace a file that exists")
      .action(async (typed, options) => {
        const file = tableFile(options.output);
        if (file !== undefined) await agreeToReplace(cli, options, file.path);
        const rowmill = await cli.client();
        const id = await findId(rowmill, "run", typed);
        await followToEnd(cli, await rowmill.runs.get(id, { signal: cli.signal }), file);
      }),
};
