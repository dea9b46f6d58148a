/** Processor time of processes, by what Linux counts in `/proc`. */
import { readFileSync, readdirSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface Stat {
  parent: number;
  /** Of its threads, and of children that have ended. */
  cpuSeconds: number;
}

/** Seconds that the process and all of its descendants have used. */
export function cpuSecondsOfTree(root: number): number {
  return [...statsOfTree(root)].reduce((sum, [, { cpuSeconds }]) => sum + cpuSeconds, 0);
}

/** Process ids of the process and all of its descendants. */
export const processTree = (root: number): number[] => statsOfTree(root).map(([pid]) => pid);

function statsOfTree(root: number): [number, Stat][] {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat !== undefined) stats.set(pid, stat);
  }
  const isInTree = (pid: number): boolean => {
    for (let at = pid; at > 1; at = stats.get(at)?.parent ?? 0) if (at === root) return true;
    return false;
  };
  return [...stats].filter(([pid]) => isInTree(pid));
}

function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
  // The name of the program may have spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return { parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND };
}
