/**
 * Sends what is due, in every worker process: claims, attempts, records. An attempt in flight keeps its slot until it is
 * recorded, so memory is bounded also while the database is away.
 */
import { startWakefulLoop } from "../../platform/wakeful-loop.ts";
import type { Services } from "../../services.ts";
import { attemptDelivery } from "./webhook-attempt.ts";
import { claimDeliveries, releaseDeliveries, SLOW_AFTER_MS } from "../claims/claim-deliveries.ts";
import type { ClaimedDelivery, FreeSlots, SlotKind } from "../claims/claim-deliveries.ts";
import { settledWithin } from "../../platform/settled-within.ts";
import { createRecorder } from "./recorder.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Attempts in flight in this process. Each is a socket and a few kilobytes; those of one kind never wait for another's. */
const SLOTS: FreeSlots = { first: 192, retry: 64, slow: 256 };

/** With no hint of anything sooner: what another worker made due is found by then at the latest. */
const IDLE_POLL_MS = 1_000;

/** While something is in flight, which may become slow and so make room. */
const BUSY_POLL_MS = SLOW_AFTER_MS / 2;

/** A claim costs the database some milliseconds: under load each takes more deliveries instead of there being more. */
const LEAST_PAUSE_MS = 5;

/** Attempts in flight at a stop get this long to end; the rest is released. */
const STOP_MS = 10_000;

export interface Dispatcher {
  /** Something may be due. */
  wake(): void;
  stop(): Promise<void>;
}

interface InFlight {
  claim: ClaimedDelivery;
  since: number;
}

export function startDispatcher(services: Services, schedule: readonly number[], onFailures: () => void): Dispatcher {
  const { database, tasks, log, egress, sealer, config, publicUrl } = services;
  const parts = { egress, sealer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX, publicUrl };
  const ending = new AbortController();
  const inFlight = new Set<InFlight>();
  const attempts = new Set<Promise<void>>();
  const canceled: ClaimedDelivery[] = [];
  /** When something that this process has recorded is due again, on the clock of `performance`, which nobody sets. */
  let nextDue = Number.POSITIVE_INFINITY;

  const recorder = createRecorder({ tasks, schedule }, services, ({ nextDelayMs, hasFailures }) => {
    if (nextDelayMs !== undefined) nextDue = Math.min(nextDue, performance.now() + nextDelayMs);
    if (hasFailures) onFailures();
  });

  async function attempt(claim: ClaimedDelivery): Promise<void> {
    const entry: InFlight = { claim, since: performance.now() };
    inFlight.add(entry);
    try {
      const result = await attemptDelivery(parts, claim, ending.signal);
      if (result === undefined) canceled.push(claim);
      else await recorder.record({ claim, result, finishedAt: sharedNow() });
    } catch (error) {
      // A bug, or a secret that does not open. The claim's lease ends by itself: no tight loop.
      log.error({ err: error, webhookDelivery: claim.id }, "a webhook delivery could not be attempted");
    }
    inFlight.delete(entry);
    loop.wake();
  }

  const loop = startWakefulLoop(log, {
    name: "dispatch webhook deliveries",
    leastPauseMs: LEAST_PAUSE_MS,
    pass: async () => {
      const free = freeSlots(inFlight);
      if (free.first + free.retry + free.slow > 0) {
        if (nextDue <= performance.now()) nextDue = Number.POSITIVE_INFINITY;
        for (const claim of await claimDeliveries(database.pool, free)) {
          const attempting = attempt(claim).finally(() => attempts.delete(attempting));
          attempts.add(attempting);
        }
      }
      const untilDueMs = Math.max(LEAST_PAUSE_MS, nextDue - performance.now());
      return Math.min(untilDueMs, inFlight.size > 0 ? BUSY_POLL_MS : IDLE_POLL_MS);
    },
  });

  return {
    wake: () => loop.wake(),
    async stop() {
      await loop.stop();
      await settledWithin(STOP_MS, attempts);
      ending.abort();
      recorder.stopRetrying();
      await Promise.all(attempts);
      if (canceled.length > 0) await releaseDeliveries(database.pool, canceled);
    },
  };
}

function freeSlots(inFlight: ReadonlySet<InFlight>): FreeSlots {
  const free: Record<SlotKind, number> = { ...SLOTS };
  const slowSince = performance.now() - SLOW_AFTER_MS;
  for (const { claim, since } of inFlight) free[since < slowSince ? "slow" : claim.slotKind] -= 1;
  return { first: Math.max(0, free.first), retry: Math.max(0, free.retry), slow: Math.max(0, free.slow) };
}
