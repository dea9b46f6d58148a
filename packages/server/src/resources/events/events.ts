/**
 * Domain events. Recorded in the transaction of the change that they report; what delivers them reads this table, so an
 * event that committed is delivered, and one that did not never happened. The payload is the envelope, stored as it is sent but for its
 * `url`: that is a path here, and absolute in what leaves the service (`renderEnvelope`).
 */
import type { EventData, EventEnvelope } from "@rowmill/contract/event-payloads";
import { matchesEventType } from "@rowmill/contract/events";
import type { DeliverableEventType, EventType } from "@rowmill/contract/events";
import { sendLater, sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { RowAudience } from "../../platform/database/event-tables.ts";
import { namedStatement } from "../../platform/database/named-statement.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { RowKey } from "../../platform/database/row-key.ts";
import { formatId, newUuid } from "../../platform/ids.ts";

/** Receivers get a thin envelope: ids and states, never contents. `data.url` is the path of the API where the object is read. */
export type TypedData<T extends DeliverableEventType = DeliverableEventType> = {
  [K in T]: { type: K; data: EventData<K> };
}[T];

export type NewEvent<T extends DeliverableEventType = DeliverableEventType> = TypedData<T> & {
  organizationId: string;
  /** Of row events; absent: all who listen to the type. */
  rowAudience?: RowAudience;
};

export function makeEnvelope(event: NewEvent, eventUuid: string, createdAt: Date, test: boolean): EventEnvelope {
  const { type, data }: TypedData = event;
  return {
    id: formatId("event", eventUuid),
    type,
    apiVersion: "v1",
    createdAt: createdAt.toISOString(),
    organizationId: formatId("organization", event.organizationId),
    test,
    data,
  } as EventEnvelope; // type and data are of one event
}

/** An envelope, or alert, as receivers get it: `url` is absolute. Older events were stored so. */
export const withPublicUrl = <E extends { data: { url: string } }>(envelope: E, publicUrl: string): E => ({
  ...envelope,
  data: { ...envelope.data, url: absoluteUrl(envelope.data.url, publicUrl) },
});

/** A stored payload as receivers get it. */
export function renderEnvelope(payload: string, publicUrl: string): string {
  const envelope = JSON.parse(payload) as EventEnvelope; // written by this file
  return JSON.stringify(withPublicUrl<{ data: { url: string } }>(envelope, publicUrl));
}

const absoluteUrl = (url: string, publicUrl: string): string => (url.startsWith("/") ? publicUrl + url : url);

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

/** Events of a run's log, numbered without gaps: the update of the run's row makes writers wait for each other. */
export async function recordRunEvents(tx: Transaction, run: RowKey, events: readonly NewEvent[]): Promise<void> {
  const { eventSequence } = await tx
    .updateTable("runs")
    .set((eb) => ({ eventSequence: eb("eventSequence", "+", events.length) }))
    .where(isRowOf("runs", run, run.id))
    .returning("eventSequence")
    .executeTakeFirstOrThrow();
  await recordCountedRunEvents(tx, { id: run.id, eventSequence }, events);
}

/** The same where a change of the run in this transaction has counted them in its `eventSequence`. */
export async function recordCountedRunEvents(
  tx: Transaction,
  { id, eventSequence }: { id: string; eventSequence: number },
  events: readonly NewEvent[],
): Promise<void> {
  const before = eventSequence - events.length;
  await insertEvents(
    tx,
    events.map((event, i) => ({ ...event, runId: id, sequence: before + i + 1 })),
  );
}

/** The first event of a run that this transaction has made with an `eventSequence` of one. */
export async function recordFirstRunEvent(tx: Transaction, runId: string, event: NewEvent): Promise<void> {
  await insertEvents(tx, [{ ...event, runId, sequence: 1 }]);
}

/**
 * The time of an event, of an endpoint and of an alert rule: these get what is recorded after they are made. It is the time of the
 * database, since the clocks of processes differ, and of the statement, since its transaction may have begun much earlier. In
 * milliseconds, as in the API.
 */
const RECORDED_AT_TEXT = "date_trunc('milliseconds', statement_timestamp())";
export const RECORDED_AT = sql.raw<Date>(RECORDED_AT_TEXT);

/** The envelope, cut where the time of its row belongs: receivers, lists and streams show one time. */
function cutAtTime(event: NewEvent, id: string): [string, string] {
  const anyTime = new Date(0);
  const json = JSON.stringify(makeEnvelope(event, id, anyTime, false));
  // The first: nothing before it is a time.
  const at = json.indexOf(anyTime.toISOString());
  return [json.slice(0, at), json.slice(at + anyTime.toISOString().length)];
}

async function insertEvents(
  tx: Transaction,
  events: (NewEvent & { runId: string | null; sequence: number | null })[],
): Promise<void> {
  const ids = events.map(() => newUuid());
  const payloads = events.map((event, i) => cutAtTime(event, ids[i] ?? ""));
  await sendLater(
    tx,
    insertStatement({
      organizationIds: events.map((event) => event.organizationId),
      ids,
      types: events.map((event) => event.type),
      runIds: events.map((event) => event.runId),
      sequences: events.map((event) => event.sequence),
      beforeTime: payloads.map(([before]) => before),
      afterTime: payloads.map(([, after]) => after),
      rowAudiences: events.map((event) => event.rowAudience ?? null),
    }),
  );
}

/** What the fan-out listens to. A lost notification only costs the time until its timer. */
export const EVENTS_CHANNEL = "rowmill_events";

/** An element of each list is an event. */
const insertStatement = namedStatement<{
  organizationIds: string[];
  ids: string[];
  types: EventType[];
  runIds: (string | null)[];
  sequences: (number | null)[];
  beforeTime: string[];
  afterTime: string[];
  rowAudiences: (RowAudience | null)[];
}>(
  "insert_events",
  `with recorded as (
    insert into events (organization_id, id, type, run_id, sequence, payload, row_audience, created_at)
    select e.organization_id, e.id, e.type, e.run_id, e.sequence,
      e.before_time || to_char(${RECORDED_AT_TEXT} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || e.after_time,
      e.row_audience, ${RECORDED_AT_TEXT}
    from unnest(:organizationIds::uuid[], :ids::uuid[], :types::text[], :runIds::uuid[], :sequences::int[], :beforeTime::text[],
      :afterTime::text[], :rowAudiences::text[])
      as e (organization_id, id, type, run_id, sequence, before_time, after_time, row_audience))
  select pg_notify('${EVENTS_CHANNEL}', '')`,
);

/**
 * Which of these types any receiver of the organization, or an open stream, listens to: row events that nobody wants are not even written.
 */
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
