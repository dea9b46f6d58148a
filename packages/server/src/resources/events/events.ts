/**
 * Domain events. Recorded in the transaction of the change that they tell of; what delivers them reads this table, so an
 * event that committed is delivered, and one that did not never happened. The payload is the envelope, stored as it is sent.
 */
import { matchesEventType } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { RowAudience } from "../../platform/database/event-tables.ts";
import { formatId, newUuid } from "../../platform/ids.ts";

/** Receivers get a thin envelope: ids and states, never contents. */
export type EventData = { object: string; url: string } & Record<string, string | number | boolean | null>;

export interface NewEvent {
  organizationId: string;
  type: EventType;
  data: EventData;
  /** Of row events; absent: all who listen to the type. */
  rowAudience?: RowAudience;
}

export interface Envelope {
  id: string;
  type: EventType;
  apiVersion: "v1";
  createdAt: string;
  organizationId: string;
  test: boolean;
  data: EventData;
}

export function makeEnvelope(event: NewEvent, eventUuid: string, createdAt: Date, test: boolean): Envelope {
  return {
    id: formatId("event", eventUuid),
    type: event.type,
    apiVersion: "v1",
    createdAt: createdAt.toISOString(),
    organizationId: formatId("organization", event.organizationId),
    test,
    data: event.data,
  };
}

/** An event of the organization that belongs to no run's log. */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<void> {
  await recordEvents(tx, [event]);
}

export async function recordEvents(tx: Transaction, events: NewEvent[]): Promise<void> {
  await insertEvents(
    tx,
    events.map((event) => ({ ...event, runId: null, sequence: null })),
  );
}

/** An event of a run's log, numbered without gaps: the update of the run's row makes writers take turns. */
export async function recordRunEvent(tx: Transaction, runId: string, event: NewEvent): Promise<void> {
  const { eventSequence } = await tx
    .updateTable("runs")
    .set((eb) => ({ eventSequence: eb("eventSequence", "+", 1) }))
    .where("organizationId", "=", event.organizationId)
    .where("id", "=", runId)
    .returning("eventSequence")
    .executeTakeFirstOrThrow();
  await insertEvents(tx, [{ ...event, runId, sequence: eventSequence }]);
}

async function insertEvents(
  tx: Transaction,
  events: (NewEvent & { runId: string | null; sequence: number | null })[],
): Promise<void> {
  const now = new Date();
  await tx
    .insertInto("events")
    .values(
      events.map((event) => {
        const id = newUuid();
        return {
          organizationId: event.organizationId,
          id,
          type: event.type,
          runId: event.runId,
          sequence: event.sequence,
          payload: JSON.stringify(makeEnvelope(event, id, now, false)),
          rowAudience: event.rowAudience ?? null,
          createdAt: now,
        };
      }),
    )
    .execute();
  await notifyEvents(tx);
}

/** What the fan-out listens to. A lost notification only costs the time until its timer. */
export const EVENTS_CHANNEL = "rowmill_events";

export async function notifyEvents(tx: Transaction): Promise<void> {
  await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(tx);
}

/** Which of these types any receiver of the organization, or an open stream, listens to: row events that nobody wants are not even written. */
export async function listenedTypes(
  db: Queryable,
  organizationId: string,
  types: readonly EventType[],
): Promise<Set<EventType>> {
  const { rows } = await sql<{ eventTypes: string[] }>`
    select event_types from webhook_endpoints
    where organization_id = ${organizationId} and enabled and deleted_at is null
    union all
    select array[event_type] from alert_rules
    where organization_id = ${organizationId} and enabled and deleted_at is null
    union all
    select event_types from event_listeners where organization_id = ${organizationId} and expires_at > now()`.execute(
    db,
  );
  return new Set(types.filter((type) => rows.some((row) => matchesEventType(row.eventTypes, type))));
}
