/** Loaded into the service of a benchmark (`live-memory.ts`): on SIGUSR2 it collects all garbage and writes how many bytes are left. */
import { renameSync, writeFileSync } from "node:fs";
import { memoryUsage } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/** What a collection has found unreachable may hold something that only the next one frees. */
const COLLECTIONS = 3;
const BETWEEN_COLLECTIONS_MS = 50;

const file = process.env["BENCH_LIVE_MEMORY_FILE"];
if (file !== undefined && isMainThread) process.on("SIGUSR2", () => void report(file));

async function report(to: string): Promise<void> {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    globalThis.gc?.();
    await pause(BETWEEN_COLLECTIONS_MS);
  }
  const { heapUsed, external } = memoryUsage();
  // The reader finds all of it, or nothing.
  writeFileSync(`${to}.part`, String(heapUsed + external));
  renameSync(`${to}.part`, to);
}
