/** Sends the alerts that are due, in every worker process: claims, attempts, records. */
import { startWakefulLoop } from "../../platform/wakeful-loop.ts";
import type { Services } from "../../services.ts";
import { sql } from "../../platform/database/database.ts";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { nextDelayMs } from "../webhooks/retry-schedule.ts";
import { attemptAlert } from "./alert-attempt.ts";
import type { AttemptResult } from "./alert-attempt.ts";
import { claimAlerts, releaseAlerts } from "../claims/claim-alerts.ts";
import type { ClaimedAlert } from "../claims/claim-alerts.ts";
import { settledWithin } from "../../platform/settled-within.ts";
import { storableJson } from "../../platform/text.ts";

/** In this process: many more than people can be alerted by, so that those to dead destinations do not fill it. */
const SLOTS = 128;

/** With no hint of anything sooner: what another worker made due is found by then at the latest. */
const POLL_MS = 1_000;

/** A claim costs the database some milliseconds. */
const LEAST_PAUSE_MS = 10;

/** Attempts in flight at a stop get this long to end; the rest is released. */
const STOP_MS = 10_000;

export interface Dispatcher {
  /** Something may be due. */
  wake(): void;
  stop(): Promise<void>;
}

export function startDispatcher(services: Services, schedule: readonly number[]): Dispatcher {
  const { database, tasks, log, egress, sealer, mailer, config, publicUrl } = services;
  const parts = { egress, sealer, mailer, headerPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX, publicUrl, log };
  const ending = new AbortController();
  const attempts = new Set<Promise<void>>();
  const canceled: ClaimedAlert[] = [];
  /** When something that this process has recorded is due again. */
  let nextDue = Number.POSITIVE_INFINITY;

  async function attempt(claim: ClaimedAlert): Promise<void> {
    try {
      const result = await attemptAlert(parts, claim, ending.signal);
      if (result === undefined) canceled.push(claim);
      else {
        const nextMs = await recordAttempt(tasks.of(claim.organizationId), schedule, claim, result);
        if (nextMs !== undefined) nextDue = Math.min(nextDue, performance.now() + nextMs);
      }
    } catch (error) {
      // A bug, the database away, or a secret that does not open. The claim's lease ends by itself: no tight loop.
      log.error({ err: error, alertDelivery: claim.id }, "an alert could not be attempted and will be retried");
    }
  }

  const loop = startWakefulLoop(log, {
    name: "send alerts",
    leastPauseMs: LEAST_PAUSE_MS,
    pass: async () => {
      if (nextDue <= performance.now()) nextDue = Number.POSITIVE_INFINITY;
      const free = SLOTS - attempts.size;
      const claims = free > 0 ? await claimAlerts(database, free) : [];
      for (const claim of claims) {
        const attempting = attempt(claim).finally(() => {
          attempts.delete(attempting);
          loop.wake();
        });
        attempts.add(attempting);
      }
      return Math.min(POLL_MS, Math.max(LEAST_PAUSE_MS, nextDue - performance.now()));
    },
  });

  return {
    wake: () => loop.wake(),
    async stop() {
      await loop.stop();
      await settledWithin(STOP_MS, attempts);
      ending.abort();
      await Promise.all(attempts);
      if (canceled.length > 0) await releaseAlerts(database, canceled);
    },
  };
}

/** Milliseconds until it is due again; nothing is written if the claim has passed to another worker. */
async function recordAttempt(
  database: OrganizationDatabase,
  schedule: readonly number[],
  { organizationId, id, claimNo, attemptsMade }: ClaimedAlert,
  { record, isSuccess, isFinal, retryAfterSeconds }: AttemptResult,
): Promise<number | undefined> {
  const number = attemptsMade + 1;
  const delayMs =
    isSuccess || isFinal
      ? undefined
      : nextDelayMs({ schedule, attemptsMade: number, retryAfterSeconds, random: Math.random() });
  const status = isSuccess ? "succeeded" : delayMs === undefined ? "failed" : "pending";
  // Alerts of a rule that was deleted meanwhile stay failed.
  await sql`
    update alert_deliveries set attempts = attempts || ${storableJson({ number, ...record })}::jsonb, attempts_made = ${number},
      status = case when status = 'pending' or ${isSuccess} then ${status} else status end,
      next_attempt_at = case when status = 'pending' then now() + ${delayMs ?? null}::float8 * interval '1 millisecond' end,
      claimed_until = null, updated_at = now()
    where ${isRowOf("alertDeliveries", { organizationId }, id)} and claim_no = ${claimNo} and claimed_until is not null`.execute(
    database.db,
  );
  return delayMs;
}
