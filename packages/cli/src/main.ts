/** The command `rowmill`. */
import { createRequire } from "node:module";
import { commands } from "./commands.ts";
import { exitCodes } from "./frame/exit-codes.ts";
import { reachThisMachineWithoutProxy } from "./frame/loopback-proxy.ts";
import { runCli } from "./frame/run-command.ts";
import { processTerminal } from "./frame/terminal.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of our output may leave early (`| head`): that is no error.
  if (error.code === "EPIPE") process.exit(exitCodes.success.code);
  const what = error.code === "ENOSPC" ? "The disk is full." : `The output cannot be written: ${error.message}.`;
  process.stderr.write(`rowmill: ${what}\n  Free some space or write elsewhere, and repeat the command.\n`);
  process.exit(exitCodes.error.code);
});

// Where nobody reads the messages any more (`2>&1 | head`), or their disk is full, the work goes on and has its exit code.
process.stderr.on("error", () => undefined);

// An older Node that started us under this one, with a channel of messages, has been killed: nobody is left who waits for us.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// Listening to it alone must not keep this process running.
process.channel?.unref();

reachThisMachineWithoutProxy(process.env);

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };
process.exitCode = await runCli(commands, process.argv.slice(2), processTerminal(), version);
