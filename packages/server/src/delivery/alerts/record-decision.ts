/** What the evaluation of a rule writes, in the transaction that removes the candidates. */
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import type { Selectable } from "kysely";
import type { Evaluation } from "../../platform/conditions/conditions.ts";
import type { AlertDeliveriesTable } from "../../platform/database/alert-tables.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { isRow, isRowOf } from "../../platform/database/row-key.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { storableJson } from "../../platform/text.ts";
import type { RuleRow } from "../../resources/alert-rules/alert-rules.ts";
import { makeAlert } from "./alert.ts";
import { countOf } from "./event-count.ts";
import { decide } from "./trigger.ts";
import type { Decision, Firing } from "./trigger.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** A rule whose filter took too long waits this long before it is evaluated again: the others must not wait for it every time. */
const EXPENSIVE_PAUSE_SECONDS = 60;

/** What dispatchers of all workers listen to. */
export const ALERTS_CHANNEL = "rowmill_alert_deliveries";

export interface AlertOptions {
  /** The schedule's wait before a first attempt. */
  firstDelaySeconds: number;
}

/** An event that may become an alert of the rule. */
export interface Candidate {
  id: string;
  /** Null if the event is no longer kept. */
  payload: string | null;
  createdAt: Date | null;
}

export const isOpen = (rule: RuleRow): boolean => rule.enabled && rule.deletedAt === null;

/** Writes what follows from the candidates that have passed: alerts, what a cooldown suppresses, and what the rule remembers. */
export async function recordDecision(
  tx: Transaction,
  claimed: RuleRow,
  candidates: readonly Candidate[],
  evaluation: Evaluation | null,
  options: AlertOptions,
): Promise<void> {
  const { organizationId, id } = claimed;
  const rule = await tx
    .selectFrom("alertRules")
    .selectAll()
    .where(isRow({ organizationId }, id))
    .forUpdate()
    .executeTakeFirst();
  if (rule?.revision !== claimed.revision) return;
  const removed = await removeCandidates(tx, rule, candidates);
  const events = candidates.flatMap((candidate, i) => {
    const passes = evaluation === null || evaluation.results[i] === "match";
    if (!removed.has(candidate.id) || !passes || candidate.payload === null || candidate.createdAt === null) return [];
    const envelope = JSON.parse(candidate.payload) as EventEnvelope; // written by recordEvent
    return [{ id: candidate.id, atMs: candidate.createdAt.getTime(), count: countOf(envelope), envelope }];
  });
  const now = await readNow(tx);
  const decision = decide(rule, rule, isOpen(rule) ? events : [], now);
  const envelopes = new Map(events.map((event) => [event.id, event.envelope]));
  await insertAlerts(tx, rule, decision.alerts, envelopes, options);
  const suppressedDeliveryId = await recordSuppressed(tx, rule, decision, now);
  await tx
    .updateTable("alertRules")
    .set({
      counted: JSON.stringify(decision.memory.counted),
      coolingUntil: decision.memory.coolingUntil,
      suppressedDeliveryId,
      leasedUntil: evaluation?.isTooExpensive ? new Date(now.getTime() + EXPENSIVE_PAUSE_SECONDS * 1_000) : null,
      ...filterErrorOf(evaluation, candidates, now),
    })
    .where(isRow({ organizationId }, id))
    .execute();
}

/** Those that were still there: another worker may have decided on the others. */
async function removeCandidates(
  tx: Transaction,
  rule: RuleRow,
  candidates: readonly Candidate[],
): Promise<Set<string>> {
  const { rows } = await sql<{ eventId: string }>`
    delete from alert_candidates where organization_id = ${rule.organizationId} and alert_rule_id = ${rule.id}
      and event_id = any(${candidates.map((candidate) => candidate.id)}::uuid[])
    returning event_id`.execute(tx);
  return new Set(rows.map(({ eventId }) => eventId));
}

/** The database's clock: cooldowns must mean the same to all workers. */
async function readNow(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx);
  return rows[0]?.now ?? sharedNow();
}

async function insertAlerts(
  tx: Transaction,
  rule: RuleRow,
  firings: readonly Firing[],
  envelopes: ReadonlyMap<string, EventEnvelope>,
  { firstDelaySeconds }: AlertOptions,
): Promise<void> {
  const rows = firings.flatMap((firing) => {
    const envelope = envelopes.get(firing.eventId);
    if (envelope === undefined) return [];
    const id = newUuid();
    const since = new Date(firing.sinceMs);
    const alert = makeAlert({ deliveryId: id, rule, envelope, ...firing, since, isTest: false });
    return [{ id, eventId: firing.eventId, eventCount: firing.eventCount, alert: storableJson(alert) }];
  });
  if (rows.length === 0) return;
  await sql`
    insert into alert_deliveries (organization_id, id, alert_rule_id, event_id, event_type, event_count, alert, status, next_attempt_at)
    select ${rule.organizationId}, a.id, ${rule.id}, a."eventId", ${rule.eventType}, a."eventCount", a.alert, 'pending',
      now() + make_interval(secs => ${firstDelaySeconds})
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a (id uuid, "eventId" uuid, "eventCount" int, alert text)`.execute(
    tx,
  );
  await sql`select pg_notify(${ALERTS_CHANNEL}, '')`.execute(tx);
}

/** Returns the record that counts what the present cooldown suppresses, if there is one. */
async function recordSuppressed(
  tx: Transaction,
  rule: RuleRow,
  { alerts, suppressed }: Decision,
  now: Date,
): Promise<string | null> {
  // An alert began a new cooldown: what it suppresses is counted apart.
  const present = alerts.length > 0 ? null : rule.suppressedDeliveryId;
  if (suppressed === null) return present;
  if (present !== null) {
    await sql`
      update alert_deliveries set event_count = least(event_count::bigint + ${suppressed.eventCount}, 2147483647), updated_at = ${now}
      where ${isRowOf("alertDeliveries", rule, present)}`.execute(tx);
    return present;
  }
  const id = newUuid();
  await tx
    .insertInto("alertDeliveries")
    .values({
      organizationId: rule.organizationId,
      id,
      alertRuleId: rule.id,
      eventId: suppressed.eventId,
      eventType: rule.eventType,
      eventCount: suppressed.eventCount,
      status: "suppressed",
      createdAt: now,
      updatedAt: now,
    } satisfies Partial<Selectable<AlertDeliveriesTable>>)
    .execute();
  return id;
}

function filterErrorOf(
  evaluation: Evaluation | null,
  candidates: readonly Candidate[],
  now: Date,
): { filterError?: string } {
  const error = evaluation?.firstError;
  const eventId = error ? candidates[error.at]?.id : undefined;
  if (!error || eventId === undefined) return {};
  return {
    filterError: storableJson({
      message: error.message,
      eventId: formatId("event", eventId),
      at: now.toISOString(),
    }),
  };
}
