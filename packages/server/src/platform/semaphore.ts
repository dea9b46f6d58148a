/**
 * Runs at most so many pieces of work at once; the others wait, in the order of their arrival. For what one process shares among its
 * own work. What refuses a caller instead of making it wait is `http/concurrency-gate.ts`; what shares fairly is `fair-share.ts`.
 */
export function createSemaphore(slots: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = slots;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      // The slot goes to the next one, and is not free in between.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
