/**
 * The waits of the client: between two attempts of a request, and between two readings of something that the service works on. They end
 * as soon as it is known that waiting is of no use. Uploads and exports wait until the disk of the service has room, without a sign of it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Problem } from "./problem.ts";

const LOOK_INTERVAL_MS = 3_000;
const LOOK_LIMIT_MS = 2_000;

export interface Awaited {
  url: string;
  /** Of the command's own service: rejects when it ends. */
  gone?: Promise<never>;
  /** Of the command's own service: throws where its disk is full. */
  requireSpace?: () => void;
}

export function attentiveSleep(
  { url, gone, requireSpace }: Awaited,
  lookIntervalMs = LOOK_INTERVAL_MS,
): (ms: number, signal?: AbortSignal) => Promise<void> {
  // One listener, however often is waited: each race with a promise that stays pending would be kept in memory.
  const lost = new AbortController();
  gone?.catch((reason: unknown) => lost.abort(reason));
  let nextLookAt = Date.now() + lookIntervalMs;
  return async (ms, signal) => {
    const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
    ended.throwIfAborted();
    requireSpace?.();
    if (Date.now() >= nextLookAt) {
      nextLookAt = Date.now() + lookIntervalMs;
      if (await isDiskLow(url, ended)) throw diskIsLow();
    }
    await pause(ms, undefined, { signal: ended }).catch(() => ended.throwIfAborted());
  };
}

const diskIsLow = (): Problem =>
  new Problem(
    "The service has too little free space, and waits until there is more.",
    "Free some space on the service's disk and repeat the command: it goes on where it was.",
    { code: "insufficient_storage" },
  );

/** False where that is not known: the request that waits says what is wrong. */
async function isDiskLow(url: string, ended: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(LOOK_LIMIT_MS)]);
    const { disk } = (await (await fetch(`${url}/readyz`, { signal })).json()) as { disk?: string };
    return disk === "low";
  } catch {
    ended.throwIfAborted();
    return false;
  }
}
