import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";

export const mcp: CommandFile = {
  examples: [
    ["rowmill mcp", "serve the tools for agents on stdin and stdout; agents start this command themselves"],
    ["claude mcp add rowmill -- rowmill mcp --profile work", "such an agent, with the service of a profile"],
  ],
  create: (cli) =>
    new Command("mcp")
      .description(
        "Tools for agents by the Model Context Protocol over stdio. They are those of `POST /mcp` of the service, with the key of this command.",
      )
      .action(async () => {
        const { url, apiKey, gone } = await cli.service();
        const { bridge } = await import("../mcp/bridge.ts");
        const { stdin, stdout } = cli.terminal;
        await Promise.race([bridge({ url, apiKey, stdin, stdout, signal: cli.signal }), gone]);
      }),
};
