/** Runs one command of the test suite with a time limit, and ends everything it has started when the limit is reached. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

/** Enough to see why a step failed; more would push the other steps' results off the screen. */
const TAIL_LINES = 120;
/** A step that prints without end must not fill the memory. */
const TAIL_CHARACTERS = 200_000;
/** From the polite end to the hard one: a server under test flushes and stops in this time. */
const KILL_AFTER_MS = 10_000;
/** A process left behind can hold the pipe open after its parent is gone; what it prints later is of no interest. */
const PIPE_GRACE_MS = 1_000;

export interface CommandResult {
  outcome: "exited" | "killed" | "timed_out" | "not_started";
  exitCode: number | null;
  tail: string;
  /** All of it that was kept. */
  output: string;
}

export interface CommandOptions {
  timeoutMs: number;
  /** Print the output while it comes, too. */
  isLive?: boolean;
  /** Where it runs; where we do if absent. */
  directory?: string;
  /** Added to our own environment. */
  env?: Record<string, string>;
}

const running = new Set<ChildProcess>();

export function runCommand(command: string, args: string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    // Its own process group, so that workers and servers that it started end with it. The output is piped and never
    // inherited: a process left behind must not keep the pipe of our reader open.
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.directory === undefined ? {} : { cwd: options.directory }),
      detached: process.platform !== "win32",
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }), ...options.env },
    });
    running.add(child);
    let output = "";
    let hasTimedOut = false;
    let killTimer: NodeJS.Timeout | undefined;

    const take = (text: string) => {
      if (options.isLive) process.stdout.write(text);
      output = (output + text).slice(-TAIL_CHARACTERS);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);

    const timer = setTimeout(() => {
      hasTimedOut = true;
      signalGroup(child, "SIGTERM");
      killTimer = setTimeout(() => signalGroup(child, "SIGKILL"), KILL_AFTER_MS);
    }, options.timeoutMs);

    const end = (outcome: CommandResult["outcome"], exitCode: number | null) => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      running.delete(child);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ outcome: hasTimedOut ? "timed_out" : outcome, exitCode, tail: lastLines(output), output });
    };
    child.on("error", (error) => {
      take(`${error.message}\n`);
      end("not_started", null);
    });
    child.on("exit", (exitCode, signal) => {
      const outcome = signal === null ? "exited" : "killed";
      const grace = setTimeout(() => end(outcome, exitCode), PIPE_GRACE_MS);
      child.on("close", () => {
        clearTimeout(grace);
        end(outcome, exitCode);
      });
    });
  });
}

/** For a suite that is interrupted: its steps have process groups of their own and would outlive it. */
export function endRunningCommands(): void {
  for (const child of running) signalGroup(child, "SIGTERM");
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: the group ended by itself in the meantime, which is what was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
