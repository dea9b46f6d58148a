/** What new events mean for webhook endpoints: a delivery for each endpoint that subscribes to the event's type. */
import { sql } from "../../platform/database/database.ts";
import type { FanOutTarget } from "../fan-out/fan-out.ts";

/** What the dispatchers of all workers listen to. A lost notification only costs the time until their timers. */
export const DELIVERIES_CHANNEL = "rowmill_webhook_deliveries";

/**
 * A UUIDv7 made in SQL of the time of the statement and of what it is for: the rows are never brought here to be numbered, and
 * a volatile function is not needed.
 */
export const deliveryIdSql = (salt: string) => sql`(
  lpad(to_hex((extract(epoch from statement_timestamp()) * 1000)::bigint), 12, '0') || '7' ||
  substr(md5(${salt}::text || e.id::text || w.id::text), 1, 3) || '8' ||
  substr(md5(${salt}::text || w.id::text || e.id::text), 4, 15))::uuid`;

/** As `matchesEventType` of the contract; a test compares the two. */
export const subscribesSql = sql`(
  e.type = any(w.event_types) or '*' = any(w.event_types) or split_part(e.type, '.', 1) || '.*' = any(w.event_types))`;

/** Whether the endpoint is of those for whom a row event was written. */
export const isForAudienceSql = sql`(
  e.row_audience is null or (e.row_audience = 'both_types') = (
    w.event_types && '{*,row.*}'::text[] or w.event_types @> '{row.succeeded,row.failed}'::text[]))`;

/** `firstDelaySeconds`: the schedule's wait before a first attempt. */
export function fanOutToEndpoints(firstDelaySeconds: number): FanOutTarget {
  return async (tx, eventIds) => {
    const { numAffectedRows } = await sql`
      insert into webhook_deliveries (organization_id, id, webhook_endpoint_id, event_id, event_type, next_attempt_at, created_at, updated_at)
      select e.organization_id, ${deliveryIdSql("event")}, w.id, e.id, e.type,
        least(now(), e.created_at) + make_interval(secs => ${firstDelaySeconds}), now(), now()
      from events e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.enabled and w.deleted_at is null
      where e.id = any(${eventIds}::uuid[]) and not e.is_fanned_out
        and w.created_at <= e.created_at and ${subscribesSql} and ${isForAudienceSql}
      order by e.id
      on conflict (organization_id, event_id, webhook_endpoint_id) where kind = 'event' do nothing`.execute(tx);
    if (numAffectedRows !== undefined && numAffectedRows > 0n)
      await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(tx);
  };
}
