/**
 * Decides which events become alerts. A reconciler over `alert_candidates`, one rule at a time. The next rule is one of the organization
 * that has used the least time, and within it to the next of its rules:
 *
 *     take an organization ──► claim a rule of it by lease ──► ask its filter, outside any transaction ──► in one transaction: lock the rule, remove the
 *     candidates, write alerts and suppressed records, and what the rule remembers
 *
 * Candidates go only with what was decided on them, so after a crash the next pass finds them, and an event that two
 * workers evaluated is decided by the one that removes it. A rule that was changed meanwhile is evaluated again.
 */
import type { RawBuilder, Selectable } from "kysely";
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import type { Conditions, Evaluation } from "../../platform/conditions/conditions.ts";
import { sql } from "../../platform/database/database.ts";
import type { Database, OrganizationDatabase, Transaction } from "../../platform/database/database.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import type { AlertDeliveriesTable } from "../../platform/database/alert-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { FairShare } from "../../platform/fair-share.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import { makeAlert } from "./alert.ts";
import type { RuleRow } from "../../resources/alert-rules/alert-rules.ts";
import { countOf } from "./event-count.ts";
import { decide } from "./trigger.ts";
import type { Decision, Firing } from "./trigger.ts";
import { storableJson } from "../../platform/text.ts";

/** Far longer than the time that a call may take (`CALL_LIMIT_MS` of conditions). */
const LEASE_SECONDS = 30;

/** A rule whose filter took too long waits this long before it is evaluated again: the others must not wait for it every time. */
const EXPENSIVE_PAUSE_SECONDS = 60;

/** Envelopes of up to 4 KB, evaluated together; then another rule follows. */
const EVENTS_AT_ONCE = 200;

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** What dispatchers of all workers listen to. */
export const ALERTS_CHANNEL = "rowmill_alert_deliveries";

export interface EvaluationParts {
  database: Database;
  tasks: Pick<Tasks, "of">;
  conditions: Conditions;
  publicUrl: () => string;
  /** The schedule's wait before a first attempt. */
  firstDelaySeconds: number;
}

/** Organizations that are looked for at once. The others are found when these have nothing left, or by the next look. */
const ORGANIZATIONS_AT_ONCE = 200;

/** Each call evaluates one group of events of one rule; returns false when no rule waits. */
export function createRuleEvaluator(parts: EvaluationParts): () => Promise<boolean> {
  const shares = new FairShare<"evaluation">();
  const waiting = new Set<string>();
  /** The rule of each organization that was evaluated last. */
  const lastRules = new Map<string, string>();
  let lastOrganization = NIL_UUID;

  /** New ones are found at each pass, so that none waits until those before it are done. */
  async function findWaiting(): Promise<void> {
    const found = await findOrganizations(parts.database, lastOrganization);
    if (found.length < ORGANIZATIONS_AT_ONCE && lastOrganization !== NIL_UUID)
      found.push(...(await findOrganizations(parts.database, NIL_UUID)));
    lastOrganization = found.length < ORGANIZATIONS_AT_ONCE ? NIL_UUID : (found.at(-1) ?? NIL_UUID);
    for (const organizationId of found) {
      if (waiting.has(organizationId)) continue;
      waiting.add(organizationId);
      shares.add({ organizationId, ownerId: "rules" }, "evaluation");
    }
  }

  async function evaluateOne(organizationId: string): Promise<boolean> {
    const afterRuleId = lastRules.get(organizationId) ?? NIL_UUID;
    const rule =
      (await claimRule(parts.database, organizationId, afterRuleId)) ??
      (await claimRule(parts.database, organizationId, NIL_UUID));
    if (rule === undefined) {
      lastRules.delete(organizationId);
      return false;
    }
    lastRules.set(organizationId, rule.id);
    await evaluateRule(parts, rule);
    return true;
  }

  return async () => {
    await findWaiting();
    for (let next = shares.take(); next !== null; next = shares.take()) {
      const { party } = next;
      waiting.delete(party.organizationId);
      const startedAt = performance.now();
      try {
        if (await evaluateOne(party.organizationId)) return true;
      } finally {
        shares.finish(party, performance.now() - startedAt, false);
      }
    }
    return false;
  };
}

/** Those that have a rule which may be evaluated now: of each, its rules are looked through until one is found. */
async function findOrganizations(database: Database, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id) as (
      (select organization_id from alert_candidates where organization_id > ${after} order by organization_id limit 1)
      union all
      select (select c.organization_id from alert_candidates c where c.organization_id > w.id order by c.organization_id limit 1)
      from waiting w where w.id is not null
    )
    select w.id from waiting w where w.id is not null and exists (${freeRules(sql`w.id`, NIL_UUID)})
    limit ${ORGANIZATIONS_AT_ONCE}`.execute(database.db);
  return rows.map(({ id }) => id);
}

/** Ids of rules with something to evaluate, in their order: one step of the index for each, however much that is. */
const freeRules = (organizationId: RawBuilder<unknown>, afterRuleId: string): RawBuilder<unknown> => sql`
  with recursive rule (id) as (
    (select alert_rule_id from alert_candidates
      where organization_id = ${organizationId} and alert_rule_id > ${afterRuleId} order by alert_rule_id limit 1)
    union all
    select (select c.alert_rule_id from alert_candidates c
      where c.organization_id = ${organizationId} and c.alert_rule_id > rule.id order by c.alert_rule_id limit 1)
    from rule where rule.id is not null
  )
  select rule.id from rule join alert_rules r on r.organization_id = ${organizationId} and r.id = rule.id
  where r.leased_until is null or r.leased_until < now()`;

async function claimRule(
  database: Database,
  organizationId: string,
  afterRuleId: string,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    with free as (
      select r.id from alert_rules r join (${freeRules(sql`${organizationId}::uuid`, afterRuleId)}) found on found.id = r.id
      where r.organization_id = ${organizationId} and (r.leased_until is null or r.leased_until < now())
      limit 1 for update of r skip locked
    )
    update alert_rules r set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from free where r.organization_id = ${organizationId} and r.id = free.id
    returning r.*`.execute(database.db);
  return rows[0];
}

async function evaluateRule(parts: EvaluationParts, rule: RuleRow): Promise<void> {
  const database = parts.tasks.of(rule.organizationId);
  const candidates = await readCandidates(database, rule);
  const evaluation = await askFilter(parts, rule, candidates);
  await database.transaction((tx) => settle(tx, rule, candidates, evaluation, parts));
}

interface Candidate {
  id: string;
  /** Null if the event is no longer kept. */
  payload: string | null;
  createdAt: Date | null;
}

async function readCandidates(database: OrganizationDatabase, rule: RuleRow): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select c.event_id as id, e.payload, e.created_at
    from alert_candidates c left join events e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = ${rule.organizationId} and c.alert_rule_id = ${rule.id}
    order by c.event_id limit ${EVENTS_AT_ONCE}`.execute(database.db);
  return rows;
}

async function askFilter(
  { conditions, publicUrl }: EvaluationParts,
  rule: RuleRow,
  candidates: readonly Candidate[],
): Promise<Evaluation | null> {
  if (rule.filter === null || !isOpen(rule)) return null;
  return conditions.evaluate(
    { source: rule.filter, variable: "event" },
    candidates.map(({ payload }) => (payload === null ? "{}" : renderEnvelope(payload, publicUrl()))),
    { organizationId: rule.organizationId, ownerId: rule.id },
  );
}

const isOpen = (rule: RuleRow): boolean => rule.enabled && rule.deletedAt === null;

async function settle(
  tx: Transaction,
  claimed: RuleRow,
  candidates: readonly Candidate[],
  evaluation: Evaluation | null,
  parts: EvaluationParts,
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
  await insertAlerts(tx, rule, decision.alerts, envelopes, parts);
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
  return rows[0]?.now ?? new Date();
}

async function insertAlerts(
  tx: Transaction,
  rule: RuleRow,
  firings: readonly Firing[],
  envelopes: ReadonlyMap<string, EventEnvelope>,
  { firstDelaySeconds }: EvaluationParts,
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
      where ${isRow(rule, present)}`.execute(tx);
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
