/**
 * What attempts have become, written down: many at once, since each costs the database a transaction otherwise. The
 * deliveries, the health of their endpoints, and the disabling of receivers that are gone stand or fall together.
 */
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { alwaysById } from "../../platform/database/row-key.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import { disableEndpoint } from "../../resources/webhook-endpoints/disabling.ts";
import { lockEndpoints, summarizeHealth, writeHealth } from "./health.ts";
import type { HealthObservation } from "./health.ts";
import { isGone, isSuccess } from "./webhook-attempt.ts";
import type { AttemptRecord, AttemptResult } from "./webhook-attempt.ts";
import type { ClaimedDelivery } from "../claims/claim-deliveries.ts";
import { nextDelayMs } from "./retry-schedule.ts";
import { storableJson } from "../../platform/text.ts";

export interface FinishedAttempt {
  claim: ClaimedDelivery;
  result: AttemptResult;
  finishedAt: Date;
}

export interface RecordParts {
  tasks: Pick<Tasks, "of">;
  schedule: readonly number[];
}

/** What was recorded; an attempt whose claim has passed to another worker is not. */
export interface Recorded {
  /** Until the earliest of the next attempts is due. */
  nextDelayMs: number | undefined;
  hasFailures: boolean;
}

/** `attempts` of one organization, in the order in which they ended. */
export async function recordAttempts(
  parts: RecordParts,
  organizationId: string,
  attempts: readonly FinishedAttempt[],
): Promise<Recorded> {
  return parts.tasks.of(organizationId).transaction(async (tx) => {
    // Endpoints before deliveries: see "The order of locks" in `docs/architecture.md`.
    const byEndpoint = Map.groupBy(attempts, ({ claim }) => claim.endpoint.id);
    const keys = [...byEndpoint.values()].flatMap(([first]) => (first === undefined ? [] : [keyOf(first)]));
    const open = (await lockEndpoints(tx, keys)).filter((endpoint) => endpoint.isOpen);
    const openIds = new Set(open.map(({ id }) => id));
    const writes = attempts.map((attempt) =>
      toDeliveryWrite(attempt, parts.schedule, openIds.has(attempt.claim.endpoint.id)),
    );
    const recordedIds = await writeDeliveries(tx, writes);

    const changes = open.map(({ organizationId, id }) => {
      const own = (byEndpoint.get(id) ?? []).filter(({ claim }) => recordedIds.has(claim.id));
      return { organizationId, id, ...summarizeHealth(own.map(observe)) };
    });
    await writeHealth(tx, changes);
    for (const { organizationId, id } of open) {
      const own = (byEndpoint.get(id) ?? []).filter(({ claim }) => recordedIds.has(claim.id));
      if (own.some(({ result }) => isGone(result)))
        await disableEndpoint(tx, { kind: "system" }, { organizationId, id }, "receiver_gone");
    }
    const delaysMs = writes.flatMap(({ delayMs }) => delayMs ?? []);
    return {
      nextDelayMs: delaysMs.length === 0 ? undefined : Math.min(...delaysMs),
      hasFailures: writes.some((write) => write.status !== "succeeded"),
    };
  });
}

const keyOf = ({ claim }: FinishedAttempt) => ({ organizationId: claim.organizationId, id: claim.endpoint.id });

interface DeliveryWrite {
  organizationId: string;
  id: string;
  claimNo: number;
  attempt: AttemptRecord;
  status: "pending" | "succeeded" | "failed" | "canceled";
  /** Until the next attempt. */
  delayMs: number | null;
}

function toDeliveryWrite(
  { claim, result }: FinishedAttempt,
  schedule: readonly number[],
  isEndpointOpen: boolean,
): DeliveryWrite {
  const { retryAfterSeconds, ...record } = result;
  const attemptsMade = claim.attemptsMade + 1;
  const { organizationId, id, claimNo } = claim;
  const write = { organizationId, id, claimNo, attempt: { number: attemptsMade, ...record }, delayMs: null };
  if (isSuccess(result)) return { ...write, status: "succeeded" };
  if (isGone(result)) return { ...write, status: "failed" };
  const delayMs = nextDelayMs({ schedule, attemptsMade, retryAfterSeconds, random: Math.random() });
  if (delayMs === undefined) return { ...write, status: "failed" };
  if (!isEndpointOpen) return { ...write, status: "canceled" };
  return { ...write, status: "pending", delayMs };
}

/**
 * The ids of those whose claim was still valid. What else must hold of them is in a form that no index serves: with statistics that say that
 * nothing waits, all that waits in the organization would be read.
 */
async function writeDeliveries(tx: Transaction, writes: readonly DeliveryWrite[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries d set
      status = r.status, next_attempt_at = now() + r."delayMs" * interval '1 millisecond', attempts = d.attempts || r.attempt,
      attempts_made = d.attempts_made + 1, claimed_until = null, updated_at = now()
    from jsonb_to_recordset(${storableJson(writes)}::jsonb) as r (
      "organizationId" uuid, id uuid, "claimNo" int, attempt jsonb, status text, "delayMs" float8)
    where d.organization_id = r."organizationId" and d.id = r.id${sql.raw(alwaysById("webhookDeliveries", "d"))}
      and case when d.claim_no = r."claimNo" then d.status end = 'pending'
    returning d.id`.execute(tx);
  return new Set(rows.map((row) => row.id));
}

const observe = ({ claim, result, finishedAt }: FinishedAttempt): HealthObservation => ({
  at: finishedAt,
  isSuccess: isSuccess(result),
  hasResponse: result.responseStatus !== null,
  isTimeout: result.outcome === "timeout",
  isFirstAttempt: claim.attemptsMade === 0,
});
