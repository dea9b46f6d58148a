/**
 * What a rule would have done with the events of the last days: the filter and the trigger of `evaluate-rules.ts`, each event at its own
 * time, and nothing is written. It reads the newest events only: a year of row events must not be a request's work.
 */
import { MAX_PREVIEW_EVENTS, PREVIEW_DAYS } from "@rowmill/contract/alert-previews";
import type { AlertPreview } from "@rowmill/contract/alert-previews";
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Conditions } from "../../platform/conditions/conditions.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import { formatId, uuidAt } from "../../platform/ids.ts";
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import { DEFAULT_COOLDOWN_SECONDS } from "../../resources/alert-rules/alert-rules.ts";
import { checkEventType, checkFilter } from "../../resources/alert-rules/rule-conditions.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import { decide } from "./trigger.ts";
import type { Firing, RuleMemory } from "./trigger.ts";
import { countOf } from "./event-count.ts";
import { sharedMs } from "../../platform/shared-time.ts";

/** Events of every type that are passed on the way to those of the rule's: a second of reading at most. */
const MAX_PASSED_EVENTS = 200_000;
/** As a rule evaluates them: each call has a time limit of its own. */
const EVENTS_AT_ONCE = 200;
const NEWEST = 10;
const DAY_MS = 86_400_000;

type Body = Input<Operations["previewAlertRule"]>["body"];

interface PreviewParts {
  conditions: Conditions;
  publicUrl: () => string;
}

export const previewAlertRule: PrepareFunction<"previewAlertRule", PreviewParts> = async (
  db,
  caller,
  { body },
  parts,
) => {
  const preview = await previewRule(db, caller, body, parts);
  return () => Promise.resolve(preview);
};

async function previewRule(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { eventType, filter, trigger = { type: "each" }, cooldownSeconds = DEFAULT_COOLDOWN_SECONDS, days }: Body,
  { conditions, publicUrl }: PreviewParts,
): Promise<AlertPreview> {
  checkEventType(eventType);
  await checkFilter(conditions, organizationId, filter);
  const asked = new Date(sharedMs() - (days ?? PREVIEW_DAYS) * DAY_MS);
  const { events, passed } = await readEvents(db, organizationId, eventType, asked);
  const isCut = events.length > MAX_PREVIEW_EVENTS || passed >= MAX_PASSED_EVENTS;
  const oldestFirst = events
    .slice(0, MAX_PREVIEW_EVENTS)
    .toReversed()
    .map((event) => ({ ...event, payload: renderEnvelope(event.payload, publicUrl()) }));
  const evaluated = await evaluateFilter(conditions, organizationId, filter ?? null, oldestFirst);

  let memory: RuleMemory = { counted: [], coolingUntil: null };
  let suppressed = 0;
  const alerts: Firing[] = [];
  for (const { id, createdAt, payload } of evaluated.matching) {
    const event = { id, atMs: createdAt.getTime(), count: countOf(JSON.parse(payload) as EventEnvelope) }; // written by recordEvent
    const decision = decide({ trigger, cooldownSeconds }, memory, [event], createdAt);
    memory = decision.memory;
    alerts.push(...decision.alerts);
    if (decision.suppressed !== null) suppressed += 1;
  }
  const byId = new Map(oldestFirst.map((event) => [event.id, event]));
  const sample = oldestFirst.at(-1);
  return {
    since: ((isCut ? oldestFirst[0]?.createdAt : undefined) ?? asked).toISOString(),
    isCut,
    events: oldestFirst.length,
    matches: evaluated.matching.length,
    alerts: alerts.length,
    suppressed,
    filterErrors: evaluated.errors,
    filterError: evaluated.firstError,
    newest: alerts
      .slice(-NEWEST)
      .toReversed()
      .flatMap(({ eventId, eventCount }) => {
        const event = byId.get(eventId);
        if (event === undefined) return [];
        return [
          {
            eventId: formatId("event", eventId),
            eventCount,
            createdAt: event.createdAt.toISOString(),
            event: envelopeOf(event.payload),
          },
        ];
      }),
    sample: sample === undefined ? null : envelopeOf(sample.payload),
  };
}

const envelopeOf = (payload: string): Record<string, unknown> => JSON.parse(payload) as Record<string, unknown>; // written by recordEvent

interface PastEvent {
  id: string;
  payload: string;
  createdAt: Date;
}

/** The newest first, one more than are evaluated; and how many events of any type were passed. */
async function readEvents(
  db: Queryable,
  organizationId: string,
  eventType: string,
  since: Date,
): Promise<{ events: PastEvent[]; passed: number }> {
  const passing = sql`
    select id, type, payload, created_at from events
    where organization_id = ${organizationId} and id >= ${uuidAt(since)}
    order by id desc limit ${MAX_PASSED_EVENTS}`;
  const { rows } = await sql<PastEvent>`
    select id, payload, created_at from (${passing}) passing where type = ${eventType}
    order by id desc limit ${MAX_PREVIEW_EVENTS + 1}`.execute(db);
  if (rows.length > MAX_PREVIEW_EVENTS) return { events: rows, passed: rows.length };
  const { rows: counted } = await sql<{
    count: number;
  }>`select count(*)::int as count from (${passing}) passing`.execute(db);
  return { events: rows, passed: counted[0]?.count ?? 0 };
}

async function evaluateFilter(
  conditions: Conditions,
  organizationId: string,
  filter: string | null,
  events: PastEvent[],
): Promise<{ matching: PastEvent[]; errors: number; firstError: string | null }> {
  if (filter === null) return { matching: events, errors: 0, firstError: null };
  const found = { matching: [] as PastEvent[], errors: 0, firstError: null as string | null };
  for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
    const page = events.slice(at, at + EVENTS_AT_ONCE);
    const { results, firstError, isTooExpensive } = await conditions.evaluate(
      { source: filter, variable: "event" },
      page.map(({ payload }) => payload),
      { organizationId, ownerId: "alert previews" },
    );
    found.matching.push(...page.filter((_event, i) => results[i] === "match"));
    found.errors += results.filter((result) => result === "error").length;
    found.firstError ??= firstError?.message ?? null;
    // Each further page would take as long.
    if (isTooExpensive) break;
  }
  return found;
}
