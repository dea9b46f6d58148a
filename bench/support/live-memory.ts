/** How much memory of a service lives: what is left of its heap and its buffers once all garbage has been collected. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const LOOK_EVERY_MS = 50;
/** A collection of a heap of this size takes a tenth of a second; a busy machine gives it less than one. */
const LONGEST_MS = 60_000;

/** Of a service that can report it: options of its process, and the variables of its environment. */
export function reportingLiveMemory(file: string): { nodeOptions: string[]; environment: Record<string, string> } {
  const reporter = fileURLToPath(new URL("report-live-memory.ts", import.meta.url));
  return { nodeOptions: ["--expose-gc", `--import=${reporter}`], environment: { BENCH_LIVE_MEMORY_FILE: file } };
}

/** In bytes. `file` is that of the service's `reportingLiveMemory`. */
export async function readLiveMemory(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  const until = Date.now() + LONGEST_MS;
  while (!existsSync(file)) {
    if (Date.now() > until) throw new Error("the service has not reported its memory");
    await pause(LOOK_EVERY_MS);
  }
  return Number(readFileSync(file, "utf8"));
}
