/** Single key presses, where a person has a terminal. */
import type { Cli } from "../frame/command.ts";

const CTRL_C = "\u0003";

/** Returns what releases the keyboard; undefined where there is no keyboard. */
export function openKeys(cli: Cli, actions: Readonly<Record<string, () => void>>): (() => void) | undefined {
  const { stdin, isInteractive } = cli.terminal;
  if (!isInteractive || !("setRawMode" in stdin)) return undefined;
  const onData = (bytes: Buffer): void => {
    for (const key of bytes.toString("utf8")) {
      // A raw terminal makes no signal of it.
      if (key === CTRL_C) process.kill(process.pid, "SIGINT");
      else actions[key.toLowerCase()]?.();
    }
  };
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.resume();
  return () => {
    stdin.off("data", onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
