/**
 * Whether the store can be reached, for those who watch the service. Without it uploads and downloads fail and all else goes on, so
 * it is reported and does not take the service out of use.
 */
import type { Log } from "../log.ts";

/** A look is a small read, paid for by some operators: as often as probes of usual kinds need it. */
const KEPT_MS = 10_000;
/** Whoever asks does not wait for longer; the SDK tries for minutes. */
const TIMEOUT_MS = 3_000;

export interface StoreHealth {
  isAvailable(): Promise<boolean>;
}

export function createStoreHealth(
  look: () => Promise<void>,
  log: Log,
  { now = () => performance.now(), timeoutMs = TIMEOUT_MS }: { now?: () => number; timeoutMs?: number } = {},
): StoreHealth {
  let looking: Promise<boolean> | undefined;
  let known: { isAvailable: boolean; until: number } | undefined;

  async function lookOnce(): Promise<boolean> {
    let failure: { error: unknown } | undefined;
    try {
      await withTimeout(look(), timeoutMs);
    } catch (error) {
      failure = { error };
    }
    const isAvailable = failure === undefined;
    const wasAvailable = known?.isAvailable ?? true;
    if (failure !== undefined && wasAvailable)
      log.error({ err: failure.error }, "the store cannot be used: uploads and downloads fail");
    if (isAvailable && !wasAvailable) log.info("the store can be used again");
    known = { isAvailable, until: now() + KEPT_MS };
    return isAvailable;
  }

  return {
    isAvailable() {
      if (known !== undefined && now() < known.until) return Promise.resolve(known.isAvailable);
      looking ??= lookOnce().finally(() => (looking = undefined));
      return looking;
    },
  };
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the store does not respond in time")), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
