/** The command `rowmill`. */
import { createRequire } from "node:module";
import { commands } from "./commands.ts";
import { runCli } from "./frame/run.ts";
import { processTerminal } from "./frame/terminal.ts";

// The reader of our output may leave early (`| head`): that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };
process.exitCode = await runCli(commands, process.argv.slice(2), processTerminal(), version);
