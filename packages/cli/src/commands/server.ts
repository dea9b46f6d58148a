import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";

export const server: CommandFile = {
  examples: [
    ["rowmill server", "the service on http://127.0.0.1:8080, with data in ./data"],
    ["ROWMILL_PORT=9000 ROWMILL_DATA_DIR=/var/lib/rowmill rowmill server", "with settings of the environment"],
  ],
  create: (cli) =>
    new Command("server")
      .description(
        "Start the service in this terminal, until Ctrl-C. Settings are environment variables (ROWMILL_PORT, ROWMILL_DATA_DIR, …).",
      )
      .action(async () => {
        const { runServer } = await import("../local/service-process.ts");
        await runServer(cli);
      }),
};
