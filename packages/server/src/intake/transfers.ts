/** Who sends content to which upload session in pieces: one at a time, over all processes. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { SessionLocks } from "../platform/database/session-locks.ts";

/**
 * A sender whose network went away leaves a connection that looks open for long. Who comes back then need not wait for it,
 * if nothing has come through it for this long.
 */
const STALLED_MS = 5_000;

export interface Transfer {
  /** Somebody else may write now. */
  lost: AbortSignal;
  /** Bytes are being received by this request; undefined: no longer. */
  receive(body: IncomingMessage | undefined): void;
  noteBytes(): void;
  end(): Promise<void>;
}

export interface Transfers {
  /** Undefined: somebody else is at it. */
  begin(uploadId: string): Promise<Transfer | undefined>;
}

interface Underway {
  body: IncomingMessage | undefined;
  receivedAt: number;
  ended: AbortController;
}

/** With `closing`, when the service stops, transfers are broken off: their clients go on with another process. */
export function createTransfers(locks: SessionLocks, closing: AbortSignal): Transfers {
  const underway = new Map<string, Underway>();
  closing.addEventListener("abort", () => {
    for (const { body } of underway.values()) breakOff(body);
  });

  async function endStalled(uploadId: string): Promise<void> {
    const other = underway.get(uploadId);
    if (other?.body === undefined || performance.now() - other.receivedAt < STALLED_MS) return;
    const ended = once(other.ended.signal, "abort");
    other.body.destroy();
    await ended;
  }

  return {
    async begin(uploadId) {
      await endStalled(uploadId);
      const lock = await locks.tryHold(`content of upload ${uploadId}`);
      if (lock === undefined) return undefined;
      const own: Underway = { body: undefined, receivedAt: performance.now(), ended: new AbortController() };
      underway.set(uploadId, own);
      return {
        lost: lock.lost,
        receive(body) {
          own.body = body;
          own.receivedAt = performance.now();
          if (closing.aborted) breakOff(body);
        },
        noteBytes() {
          own.receivedAt = performance.now();
        },
        async end() {
          underway.delete(uploadId);
          await lock.release();
          own.ended.abort();
        },
      };
    },
  };
}

/** What has come whole is taken. */
function breakOff(body: IncomingMessage | undefined): void {
  if (body?.complete === false) body.destroy();
}
