/** Reads that wait until what they read has changed: how many of a key do so at once, and until when. */
import { waitUntil } from "../shared-looks.ts";
import type { Follower } from "../shared-looks.ts";
import type { OrganizationCaller } from "../auth/caller.ts";

/**
 * Waiting reads of one key in one process. It is far below the long requests that a process takes of all tenants, so that no key
 * fills these, and far above what a person or a program follows at once.
 */
export const MAX_WAITS_PER_KEY = 100;

export interface WaitingReads {
  /**
   * Returns when `isOver`, or the record is deleted, `waitSeconds` are over, the client has gone, or the service stops; at once
   * where the key has as many waiting reads as it may have: clients ask again anyway.
   */
  wait<T>(
    caller: Pick<OrganizationCaller, "apiKeyId" | "clientLeft">,
    waitSeconds: number,
    follow: () => Follower<T>,
    isOver: (record: T) => boolean,
  ): Promise<void>;
}

/** `closing` aborts when the service stops. */
export function createWaitingReads(closing: AbortSignal): WaitingReads {
  /** By key. */
  const waits = new Map<string, number>();

  function leave(apiKeyId: string): void {
    const left = (waits.get(apiKeyId) ?? 1) - 1;
    if (left === 0) waits.delete(apiKeyId);
    else waits.set(apiKeyId, left);
  }

  return {
    async wait({ apiKeyId, clientLeft }, waitSeconds, follow, isOver) {
      const ended = clientLeft === undefined ? closing : AbortSignal.any([closing, clientLeft()]);
      const count = waits.get(apiKeyId) ?? 0;
      if (ended.aborted || count >= MAX_WAITS_PER_KEY) return;
      waits.set(apiKeyId, count + 1);
      try {
        await waitUntil(follow(), isOver, waitSeconds, ended);
      } finally {
        leave(apiKeyId);
      }
    },
  };
}
