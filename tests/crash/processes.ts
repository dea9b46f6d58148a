/** Processes of this machine, as Linux shows them. */
import { existsSync, readFileSync, readdirSync } from "node:fs";

export interface FoundProcess {
  pid: number;
  parent: number;
  /** With its arguments, each ended by a zero byte. */
  command: string;
}

export const processesMissing = (): string | undefined =>
  existsSync("/proc/self/stat") ? undefined : "needs /proc, as Linux has it";

/** All that have not ended. */
export const findProcesses = (): FoundProcess[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));

export const childrenOf = (pid: number): number[] =>
  findProcesses().flatMap((one) => (one.parent === pid ? [one.pid] : []));

/** One that may have ended by itself. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // an error of the system has a code
  }
}

function readProcess(pid: number): FoundProcess[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return [];
    return [{ pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8") }];
  } catch {
    // It has ended.
    return [];
  }
}
