/**
 * The memory that rows in flight may take together in this process. A job spec can ask for a thousand rows at once with a prompt
 * or a response of 8 MiB each, which would end the process, and the work of everybody in it.
 *
 * What a row takes at most is set aside before it is sent. An organization may have as much as is left for the others: one
 * alone has half of all, a second one half of the rest. A caller that has reserved nothing is never refused, so that all make progress.
 */
import { totalmem } from "node:os";

/** The rest is for rows and outputs, the database, files, and what V8 has not collected yet. */
const SHARE_OF_MACHINE = 1 / 4;
/** Half of what a heap has by default: prompts are strings. */
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

export interface ReservedMemory {
  /** Waits until there is room. Returns what releases it. Rejects with the signal's reason. */
  take(organizationId: string, bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  bytes: number;
  admit: () => void;
}

interface Holder {
  bytes: number;
  waiting: Set<Waiter>;
}

export function createReservedMemory(totalBytes: number): ReservedMemory {
  const holders = new Map<string, Holder>();
  let free = totalBytes;

  const fits = (holder: Holder, bytes: number): boolean => holder.bytes === 0 || holder.bytes + bytes <= free;

  function hold(holder: Holder, bytes: number): void {
    holder.bytes += bytes;
    free -= bytes;
  }

  /** First come, first served within an organization. */
  function admitWaiting(): void {
    for (const [organizationId, holder] of holders) {
      for (const waiter of holder.waiting) {
        if (!fits(holder, waiter.bytes)) break;
        holder.waiting.delete(waiter);
        hold(holder, waiter.bytes);
        waiter.admit();
      }
      if (holder.bytes === 0 && holder.waiting.size === 0) holders.delete(organizationId);
    }
  }

  return {
    async take(organizationId, bytes, signal) {
      signal.throwIfAborted();
      const holder = holders.get(organizationId) ?? { bytes: 0, waiting: new Set() };
      holders.set(organizationId, holder);
      if (holder.waiting.size === 0 && fits(holder, bytes)) hold(holder, bytes);
      else
        await new Promise<void>((resolve, reject) => {
          const waiter: Waiter = {
            bytes,
            admit: () => {
              signal.removeEventListener("abort", leave);
              resolve();
            },
          };
          const leave = (): void => {
            holder.waiting.delete(waiter);
            admitWaiting();
            reject(signal.reason as Error); // of the row's time, or of the run
          };
          signal.addEventListener("abort", leave, { once: true });
          holder.waiting.add(waiter);
        });
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        hold(holder, -bytes);
        admitWaiting();
      };
    },
  };
}

/** Of this process, whatever its runs are. */
export const reservedMemory = createReservedMemory(
  Math.min(MAX_BYTES, (process.constrainedMemory() || totalmem()) * SHARE_OF_MACHINE),
);
