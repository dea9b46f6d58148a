import { totalmem } from "node:os";

/** Bytes that this process may use: those of the machine, or the limit of its container. */
export const usableMemoryBytes = (): number => leastLimit(totalmem(), process.constrainedMemory());

/** `constrained` is 0 where no limit is known, and more than the machine has where there is none. */
export const leastLimit = (total: number, constrained: number): number =>
  constrained === 0 ? total : Math.min(total, constrained);
