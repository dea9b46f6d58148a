/** `rowmill backup` and `rowmill restore` as a child with the settings of the service. */
import { spawn } from "node:child_process";
import type { Cli } from "../frame/command.ts";
import { Interrupted, Problem, usageProblem } from "../frame/problem.ts";
import { backupArguments } from "./server-program.ts";

interface Failure {
  type: "failed";
  message: string;
  advice?: string;
  code?: string;
  path?: string;
}
type Message<T> = { type: "done"; report: T } | Failure;

/** Resolves with the report of the child. */
export async function runBackupProgram<T extends object>(cli: Cli, ...args: readonly string[]): Promise<T> {
  const child = spawn(process.execPath, [...backupArguments(), ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: cli.terminal.environment,
    cwd: cli.terminal.directory,
  });
  const isRestore = args[0] === "restore";
  let isInterrupted = false;
  const releaseInterrupt = cli.onInterrupt(() => {
    isInterrupted = true;
    child.kill("SIGTERM");
  });
  let message: Message<T> | undefined;
  child.on("message", (received) => (message = received as Message<T>)); // as the program sends it
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => resolve());
    });
  } finally {
    releaseInterrupt();
  }
  if (message?.type === "done") return message.report;
  if (isInterrupted) {
    cli.output.note(
      isRestore
        ? "Stopped. If it had begun to restore files, no service starts here before the same command has ended."
        : "Stopped.",
    );
    throw new Interrupted();
  }
  throw problemOf(message ?? { type: "failed", message: "The program ended without a result." });
}

function problemOf({ message, advice, code, path }: Failure): Error {
  if (advice !== undefined) return usageProblem(message, advice);
  // The disk is full, for instance: every command says that alike.
  if (code !== undefined) return Object.assign(new Error(message), { code, path });
  return new Problem(message, "Correct that and repeat the command.");
}
