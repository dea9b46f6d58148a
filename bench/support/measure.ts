/** Small statistics and the memory of a process, for the benchmarks. */
import { readFileSync } from "node:fs";

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
  if (value === undefined) throw new Error("no values");
  return value;
}

/** By nearest rank: the smallest value that so many percent of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.ceil((percent * sorted.length) / 100) - 1];
  if (value === undefined) throw new Error("no values");
  return value;
}

/** By how much the values grow from one to the next: that of the straight line with the least squares. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [product, square] = [0, 0];
  for (const [at, value] of values.entries()) {
    product += (at - middle) * (value - mean);
    square += (at - middle) ** 2;
  }
  return product / square;
}

export const thousands = (rowsPerSecond: number): string => `${(rowsPerSecond / 1000).toFixed(1)}k`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
export const verdict = (isMet: boolean, target: string): string => `${isMet ? "met" : "MISSED"} (target ${target})`;

/** The largest resident set of a process while it is watched (Linux). */
export function watchMemory(pid: number): { stop(): number } {
  const WATCH_EVERY_MS = 50;
  let peak = 0;
  const look = (): void => {
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    peak = Math.max(peak, Number(rss ?? 0) * 1024);
  };
  look();
  const timer = setInterval(look, WATCH_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
