import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";

export const stop: CommandFile = {
  examples: [
    ["rowmill stop", "end the local service that `rowmill map --keep` has left running"],
    ["rowmill stop --json", "the same, for programs"],
  ],
  create: (cli) =>
    new Command("stop").action(async () => {
      const { stopLocalService } = await import("../local/join.ts");
      const wasRunning = await stopLocalService(cli.terminal.environment);
      cli.output.result({ wasRunning }, () =>
        wasRunning ? "The local service has stopped." : "No local service is running.",
      );
    }),
};
