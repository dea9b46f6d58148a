/** `rowmill server`: the service as a child in this terminal. */
import { spawn } from "node:child_process";
import type { Cli } from "../frame/command.ts";
import { serverArguments } from "./server-program.ts";

/** Resolves with its exit code. */
export function runServer(cli: Cli, settings: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(process.execPath, serverArguments(), {
    stdio: "inherit",
    env: { ...cli.terminal.environment, ...settings },
  });
  // Ctrl-C reaches the child by itself; a signal that was sent to this process alone is passed on. Two at once do no harm.
  const giveBack = cli.onInterrupt(() => void child.kill("SIGTERM"));
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  }).finally(giveBack);
}
