/** How much a call into the engine may compute: a count of the engine's questions, and processor time of this thread. */
import { MAX_CPU_MS, MAX_INTERRUPTS } from "./transform-limits.ts";

export interface Budget {
  renew(): void;
  /** The engine asks whether it shall stop. */
  spend(): boolean;
  isSpent(): boolean;
  /** From 0 to 1. */
  spent(): number;
}

export function createBudget(): Budget {
  let interrupts = 0;
  let cpuAtStart = threadCpuMs();
  let cpuMs = 0;
  const isSpent = () => interrupts > MAX_INTERRUPTS || cpuMs > MAX_CPU_MS;
  return {
    renew() {
      interrupts = 0;
      cpuMs = 0;
      cpuAtStart = threadCpuMs();
    },
    spend() {
      interrupts++;
      // Reading takes about 1 µs. A tight loop asks every 35 µs, one that throws and catches hardly once a second.
      cpuMs = threadCpuMs() - cpuAtStart;
      return isSpent();
    },
    isSpent,
    spent: () => Math.min(1, Math.max(interrupts / MAX_INTERRUPTS, (threadCpuMs() - cpuAtStart) / MAX_CPU_MS)),
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
