/**
 * Whether the terminal passes its keys to this command. A shell starts `command &` as a background job: the job shares the terminal,
 * but the system stops it at the first read.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** `ps` responds within some milliseconds; a command that waits longer for it would seem to hang. */
const PS_LIMIT_MS = 2_000;

/** Also true where the system does not say it: there are no such jobs on Windows. */
export function isInForeground(): boolean {
  if (process.platform === "linux") return isForegroundStat(readFileSync("/proc/self/stat", "utf8"));
  if (process.platform === "win32") return true;
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], {
    encoding: "utf8",
    timeout: PS_LIMIT_MS,
  });
  return !stdout || stdout.includes("+");
}

/** By proc(5): the process group is the same as that of the terminal's foreground. */
export function isForegroundStat(stat: string): boolean {
  // The name of the program may have spaces and parentheses, so the fields count from its end.
  const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === foregroundGroup;
}
