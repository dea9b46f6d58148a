/** The log of an organization's events: read by positions, and listened to. */
import { alertableEventTypes, eventTypes } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { newUuid } from "../../platform/ids.ts";
import { showRuns } from "../../resources/runs/runs.ts";

/** A stream renews its entry with every heartbeat; one of a process that died is forgotten after this. */
const LISTENER_SECONDS = 60;
/** As many as an organization has in progress by default. More would be a list and not a glance. */
const MAX_RUNS_IN_PROGRESS = 100;

export const rowEventTypes: readonly EventType[] = alertableEventTypes.filter(
  (type) => eventTypes[type].object === "run_row",
);

export interface LogRange {
  organizationId: string;
  /** Positions: the first is excluded. */
  after: number;
  upTo: number;
  types: readonly EventType[];
  /** Positions, whatever their types. */
  limit: number;
}

export interface LoggedEvent {
  position: number;
  type: string;
  /** The envelope; null for an event that is not asked for. */
  payload: string | null;
}

export async function newestPosition(db: Queryable, organizationId: string): Promise<number> {
  const log = await db
    .selectFrom("eventLogs")
    .select("lastPosition")
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return log?.lastPosition ?? 0;
}

/** Events that nobody asked for are read without their envelopes: their positions show that none is missing. */
export async function readEventLog(db: Queryable, range: LogRange): Promise<LoggedEvent[]> {
  const { organizationId, after, upTo, types, limit } = range;
  const wantsBoth = rowEventTypes.every((type) => types.includes(type));
  const { rows } = await sql<LoggedEvent>`
    select position, type, case when type = any(${types}::text[])
      and (row_audience is null or (row_audience = 'both_types') = ${wantsBoth}) then payload end as payload
    from events where organization_id = ${organizationId} and position > ${after} and position <= ${upTo}
    order by position limit ${limit}`.execute(db);
  return rows;
}

export async function readRunsInProgress(db: Queryable, organizationId: string): Promise<Run[]> {
  const running = await db
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("state", "in", ["running", "canceling"])
    .where("deletedAt", "is", null)
    .orderBy("id", "desc")
    .limit(MAX_RUNS_IN_PROGRESS)
    .execute();
  return showRuns(db, running);
}

export interface RowListener {
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** While it is renewed, runs record the events of their rows. */
export async function listenToRows(
  db: Queryable,
  organizationId: string,
  types: readonly EventType[],
): Promise<RowListener> {
  const id = newUuid();
  const renew = async (): Promise<void> => {
    await sql`
      insert into event_listeners (organization_id, id, event_types, expires_at)
      values (${organizationId}, ${id}, ${types}::text[], now() + make_interval(secs => ${LISTENER_SECONDS}))
      on conflict (organization_id, id) do update set expires_at = excluded.expires_at`.execute(db);
  };
  await sql`delete from event_listeners where organization_id = ${organizationId} and expires_at < now()`.execute(db);
  await renew();
  return {
    renew,
    close: async () => {
      await sql`delete from event_listeners where ${isRow({ organizationId }, id)}`.execute(db);
    },
  };
}
