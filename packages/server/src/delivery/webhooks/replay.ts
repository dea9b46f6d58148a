/**
 * Replay: new deliveries for the events of a period, above all for those that an endpoint missed while it was disabled. Each
 * event comes once, with its id and bytes as they were, and is retried like any other.
 */
import { replayStatuses } from "@rowmill/contract/webhook-endpoints";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { ApiError, invalidState } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { recordAudit } from "../../resources/audit-events/audit-events.ts";
import { checkEventTypes, findEndpoint } from "../../resources/webhook-endpoints/webhook-endpoints.ts";
import { DELIVERIES_CHANNEL, deliveryIdSql, isForAudienceSql, subscribesSql } from "./fan-out-to-endpoints.ts";
import { present } from "../../platform/present.ts";

/** A few seconds of work in one transaction. A longer period is replayed in parts. */
const MAX_DELIVERIES = 100_000;

/**
 * An id has the time of the process that made it, `created_at` the time of the database, which alone decides. The bounds of the ids
 * only save reading the events of other times, so they leave room for a clock that is wrong by an hour.
 */
const ID_SLACK_MS = 2 * 3_600_000;

export const replayWebhookEndpoint: OperationFunction<"replayWebhookEndpoint"> = async (
  tx,
  caller,
  { params, body },
) => {
  const { webhookEndpointId: endpointId } = params;
  const { organizationId } = caller;
  const since = parseTime("since", body.since);
  const until = body.until === undefined ? await readEndOfNow(tx) : parseTime("until", body.until);
  if (body.until !== undefined) checkOrder(since, until);
  const { dryRun = false, statuses = replayStatuses.filter((status) => status !== "succeeded"), eventTypes } = body;
  if (eventTypes !== undefined) checkEventTypes(eventTypes);
  const endpoint = await findEndpoint(tx, caller, endpointId);
  if (!endpoint.enabled && !dryRun) throw invalidState("The endpoint is disabled: enable it first.");

  // Two replays at once would make each delivery twice. The endpoint's row stays free for the records of its attempts.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook replay ${endpointId}`}, 0))`.execute(tx);
  const asked =
    eventTypes === undefined
      ? sql`true`
      : sql`(e.type = any(${eventTypes}::text[]) or '*' = any(${eventTypes}::text[])
          or split_part(e.type, '.', 1) || '.*' = any(${eventTypes}::text[]))`;
  // The latest delivery of the event to this endpoint says what became of it; an event with none was missed.
  const chosen = sql`
    select e.organization_id, e.id, e.type, w.id as endpoint_id
    from events e
    join webhook_endpoints w on w.organization_id = e.organization_id and w.id = ${endpointId}
    left join lateral (
      select status from (${deliveryOfEvent("event")} union all ${deliveryOfEvent("replay")}) either
      order by id desc limit 1) latest on true
    where e.organization_id = ${organizationId} and e.is_fanned_out
      and e.id >= ${lowestUuidAt(since.getTime() - ID_SLACK_MS)} and e.id < ${lowestUuidAt(until.getTime() + ID_SLACK_MS)}
      and e.created_at >= ${since} and e.created_at < ${until}
      and ${subscribesSql} and ${isForAudienceSql} and ${asked}
      and coalesce(latest.status, 'missed') = any(${statuses}::text[])
      and (latest.status is not null or e.type not like 'row.%')`;
  const count = await countUpTo(tx, chosen, MAX_DELIVERIES);
  if (count > MAX_DELIVERIES)
    throw new ApiError(
      "limit_reached",
      `The period has more than ${MAX_DELIVERIES} such events: replay it in parts, or name fewer types.`,
    );
  if (!dryRun) {
    await sql`
      insert into webhook_deliveries (organization_id, id, webhook_endpoint_id, event_id, event_type, kind, next_attempt_at, created_at, updated_at)
      select e.organization_id, ${deliveryIdSql("replay")}, w.id, e.id, e.type, 'replay', now(), now(), now()
      from (${chosen}) e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.id = e.endpoint_id
      order by e.id`.execute(tx);
    await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(tx);
    await recordAudit(tx, caller, "webhook_endpoint.replayed", endpointId, {
      since,
      until,
      statuses,
      ...present({ eventTypes }),
      deliveries: count,
    });
  }
  return { dryRun, deliveries: count };
};

const deliveryOfEvent = (kind: "event" | "replay") => sql`(
  select d.id, d.status from webhook_deliveries d
  where d.organization_id = e.organization_id and d.event_id = e.id and d.webhook_endpoint_id = w.id and d.kind = ${sql.lit(kind)}
  order by d.id desc limit 1)`;

/** Right after all events that are recorded: their times are of the database, in milliseconds. */
async function readEndOfNow(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ end: Date }>`
    select date_trunc('milliseconds', statement_timestamp()) + interval '1 millisecond' as "end"`.execute(tx);
  const [now] = rows;
  if (now === undefined) throw new Error("the database told no time");
  return now.end;
}

function parseTime(param: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new ApiError("invalid_request", `\`${param}\` must be an RFC 3339 timestamp.`, { param });
  return time;
}

/** Times that stand in each other's place would look like a period in which nothing was missed. */
function checkOrder(since: Date, until: Date): void {
  if (until > since) return;
  throw new ApiError("invalid_request", "`until` must be later than `since`.", { param: "until" });
}

async function countUpTo(tx: Transaction, chosen: ReturnType<typeof sql>, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${chosen} limit ${limit + 1}) c`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Ids are UUIDv7: they begin with their time. */
function lowestUuidAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}
