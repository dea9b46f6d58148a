/**
 * How workers claim deliveries. A claim is a lease written on the delivery (`claimed_until`, `claim_no`): a worker that
 * dies leaves it to end, and the delivery is attempted again; a record is fenced by the number, so that a worker which was
 * believed dead cannot write late.
 *
 * All fairness is in the claim's one statement, and claims of all workers run one after the other, so the counts it uses are exact:
 *
 *     lanes     every endpoint that has something due, none behind another
 *     due       of each lane the oldest, as many as the endpoint may have in flight
 *     pools     first attempts, retries, and slow endpoints draw on separate slots, so none of them delays another;
 *               alternating by organization, then by endpoint, then by age
 *
 * An endpoint is slow while an attempt has been unanswered for longer than a quarter of a second, or its last one timed out. A slow
 * endpoint leaves its share of the quick slots to those that respond: dead endpoints delay only each other.
 *
 * What is due to endpoints of a suspended organization is not claimed: it waits as it is until the organization is active again.
 */
import type pg from "pg";
import { withClient } from "../../platform/database/database.ts";
import type { PreviousSecret } from "../../resources/webhook-endpoints/signing-secrets.ts";
import { endLeasesText, isAnyText, lanesText, releaseStatement, stillWaitsText } from "./delivery-leases.ts";

/** Twice the longest attempt: an honest worker has recorded it by then. */
const LEASE_MS = 30_000;

/** Most receivers respond sooner. One that does not loses only its share of the quick slots. */
export const SLOW_AFTER_MS = 250;

/** More at once is what a receiver would call an attack. */
const IN_FLIGHT_PER_ENDPOINT = 8;

/** So that the first attempts of an endpoint which has come back are not behind its backlog. */
const RETRIES_PER_ENDPOINT = 4;

/** A receiver that has never responded, or has failed to respond this often in a row, may have one attempt in flight. */
const TIMEOUTS_UNTIL_SINGLE = 5;

/** Of the quick slots, and as many of the slow ones. */
const IN_FLIGHT_PER_ORGANIZATION = 32;
const RETRIES_PER_ORGANIZATION = 16;

/** Any number, the same for all workers: "whook" in ASCII. */
const CLAIM_LOCK = 0x77_68_6f_6f_6b;

/** A worker that is stopped in the middle of a claim must not hold up all others. */
const CLAIM_IDLE_TIMEOUT = "5s";

/** Which slots an attempt takes one of. */
export type SlotKind = "first" | "retry" | "slow";
export type FreeSlots = Readonly<Record<SlotKind, number>>;

export interface ClaimedDelivery {
  organizationId: string;
  id: string;
  claimNo: number;
  eventId: string;
  attemptsMade: number;
  payload: string;
  slotKind: SlotKind;
  endpoint: {
    organizationId: string;
    id: string;
    url: string;
    signingSecret: string;
    previousSecrets: readonly PreviousSecret[];
  };
}

/** Claims up to this many due deliveries for each kind of slot. The caller must attempt them at once. */
export async function claimDeliveries(pool: pg.Pool, free: FreeSlots): Promise<ClaimedDelivery[]> {
  return withClient(pool, async (client) => {
    // Planning the claim takes milliseconds: a service without anything to send looks every second.
    const { rows: found } = await client.query<{ isAny: boolean }>({ name: "any_webhook_deliveries", text: IS_ANY });
    if (found[0]?.isAny !== true) return [];
    // The planner knows neither how few are claimed at any time nor how soon each part stops: by its numbers it would read
    // the whole table.
    await client.query(
      `begin; set local idle_in_transaction_session_timeout = '${CLAIM_IDLE_TIMEOUT}';
       set local jit = off; set local enable_seqscan = off;
       select pg_advisory_xact_lock(${CLAIM_LOCK});
       ${END_LEASES}`,
    );
    const { rows } = await client.query<ClaimRow>({
      name: "claim_webhook_deliveries",
      text: CLAIM,
      values: [
        free.first,
        free.retry,
        free.slow,
        LEASE_MS / 1000,
        SLOW_AFTER_MS / 1000,
        IN_FLIGHT_PER_ENDPOINT,
        RETRIES_PER_ENDPOINT,
        TIMEOUTS_UNTIL_SINGLE,
        IN_FLIGHT_PER_ORGANIZATION,
        RETRIES_PER_ORGANIZATION,
      ],
    });
    const claimed = rows.flatMap((row) => (row.payload === null ? [] : [toClaimed(row, row.payload)]));
    if (claimed.length < rows.length) await cancelWithoutEvent(client, rows);
    await client.query("commit");
    return claimed;
  });
}

/** Events are kept for as long as a delivery of them waits; one that somebody removed by hand must not come back for ever. */
async function cancelWithoutEvent(client: pg.PoolClient, rows: readonly ClaimRow[]): Promise<void> {
  const ids = rows.filter((row) => row.payload === null).map((row) => row.id);
  await client.query(
    `update webhook_deliveries set status = 'canceled', next_attempt_at = null, claimed_until = null, updated_at = now()
     where id = any($1::uuid[]) and claimed_until is not null`,
    [ids],
  );
}

/** Releases claims without a record: another worker may take them at once. */
export async function releaseDeliveries(pool: pg.Pool, claims: readonly ClaimedDelivery[]): Promise<void> {
  const { text, values } = releaseStatement("webhook_deliveries", claims);
  await pool.query(text, values);
}

const IS_ANY = isAnyText("webhook_deliveries", "webhook_endpoint_id");
const END_LEASES = endLeasesText("webhook_deliveries");

const CLAIM = `
  with recursive lane as (
    -- The endpoints that have something waiting.
    ${lanesText("webhook_deliveries", "webhook_endpoint_id")}
  ), in_hand as materialized (
    -- Alone: beside the endpoints, the planner might look through all deliveries of each.
    select organization_id, webhook_endpoint_id, is_retry, claimed_until from webhook_deliveries where claimed_until is not null
  ), in_flight as materialized (
    select d.organization_id, d.webhook_endpoint_id, count(*) as n, count(*) filter (where d.is_retry) as retries,
      w.consecutive_timeouts > 0
        or min(d.claimed_until) < now() + make_interval(secs => $4) - make_interval(secs => $5) as is_slow
    from in_hand d
    join webhook_endpoints w on w.organization_id = d.organization_id and w.id = d.webhook_endpoint_id
    group by d.organization_id, d.webhook_endpoint_id, w.consecutive_timeouts
  ), busy as materialized (
    select organization_id, is_slow, sum(n) as n, sum(retries) as retries from in_flight group by organization_id, is_slow
  ), lane_in_flight as (
    -- Both grouped, since the planner would compare each of the ones with each of the others.
    select organization_id, webhook_endpoint_id, sum(n) as n, sum(retries) as retries, bool_or(is_slow) as is_slow
    from (select organization_id, webhook_endpoint_id, 0 as n, 0 as retries, false as is_slow, true as is_waiting from lane
      union all
      select organization_id, webhook_endpoint_id, n, retries, is_slow, false from in_flight) both_kinds
    group by organization_id, webhook_endpoint_id having bool_or(is_waiting)
  ), open_lane as (
    select l.organization_id, l.webhook_endpoint_id, c.is_slow, c.slots, $7::int - l.retries as retry_slots
    from lane_in_flight l
    join webhook_endpoints w on w.organization_id = l.organization_id and w.id = l.webhook_endpoint_id
    join organizations o on o.id = l.organization_id and o.state = 'active'
    cross join lateral (select
      l.is_slow or w.consecutive_timeouts > 0 as is_slow,
      case when w.last_answer_at is null or w.consecutive_timeouts >= $8::int then 1 else $6::int end - l.n as slots) c
    where w.enabled and w.deleted_at is null and c.slots > 0
  ), due as (
    select o.organization_id, o.webhook_endpoint_id, o.is_slow, d.id, d.next_attempt_at,
      case when o.is_slow then 'slow' when d.is_retry then 'retry' else 'first' end as slot_kind,
      row_number() over (partition by o.webhook_endpoint_id order by d.next_attempt_at) as line_no
    from open_lane o cross join lateral (
      select * from (
        (select id, is_retry, next_attempt_at from webhook_deliveries
          where webhook_endpoint_id = o.webhook_endpoint_id and status = 'pending' and claimed_until is null
            and not is_retry and next_attempt_at <= now()
          order by next_attempt_at limit case when o.is_slow then least(o.slots, $3::int) else least(o.slots, $1::int) end)
        union all
        (select id, is_retry, next_attempt_at from webhook_deliveries
          where webhook_endpoint_id = o.webhook_endpoint_id and status = 'pending' and claimed_until is null
            and is_retry and next_attempt_at <= now()
          order by next_attempt_at
          limit greatest(0, least(o.slots, o.retry_slots, case when o.is_slow then $3::int else $2::int end)))
      ) either order by next_attempt_at limit o.slots
    ) d
  ), in_organization as (
    select *, row_number() over (partition by organization_id, slot_kind order by line_no, next_attempt_at) as organization_line_no
    from due
  ), in_kind as (
    select i.*, coalesce(b.n, 0) as busy,
      row_number() over (partition by slot_kind order by organization_line_no, next_attempt_at) as kind_line_no
    from in_organization i
    left join busy b on b.organization_id = i.organization_id and b.is_slow = i.is_slow
    where organization_line_no <= case when slot_kind = 'retry' then $10::int - coalesce(b.retries, 0) else $9::int - coalesce(b.n, 0) end
  ), within_organization as (
    select *, row_number() over (partition by organization_id, is_slow order by organization_line_no, next_attempt_at) as last_line_no
    from in_kind
    where kind_line_no <= case slot_kind when 'first' then $1::int when 'retry' then $2::int else $3::int end
  ), locked as (
    select d.organization_id, d.id, c.slot_kind, c.kind_line_no
    from within_organization c
    join webhook_deliveries d on d.organization_id = c.organization_id and d.id = c.id
    where c.last_line_no <= $9::int - c.busy and ${stillWaitsText("d")}
    for update of d skip locked
  ), claimed as (
    update webhook_deliveries d
    set claimed_until = now() + make_interval(secs => $4), claim_no = d.claim_no + 1
    from locked l where d.organization_id = l.organization_id and d.id = l.id
    returning d.organization_id, d.id, d.claim_no, d.webhook_endpoint_id, d.event_id, d.attempts_made, d.payload, l.slot_kind, l.kind_line_no
  )
  select c.organization_id, c.id, c.claim_no, c.webhook_endpoint_id, c.event_id, c.attempts_made, c.slot_kind,
    coalesce(c.payload, e.payload) as payload, w.url, w.signing_secret, w.previous_secrets
  from claimed c
  join webhook_endpoints w on w.organization_id = c.organization_id and w.id = c.webhook_endpoint_id
  left join events e on e.organization_id = c.organization_id and e.id = c.event_id
  order by c.kind_line_no`;

interface ClaimRow {
  organization_id: string;
  id: string;
  claim_no: number;
  webhook_endpoint_id: string;
  event_id: string;
  attempts_made: number;
  slot_kind: SlotKind;
  payload: string | null;
  url: string;
  signing_secret: string;
  previous_secrets: PreviousSecret[];
}

function toClaimed(row: ClaimRow, payload: string): ClaimedDelivery {
  return {
    organizationId: row.organization_id,
    id: row.id,
    claimNo: row.claim_no,
    eventId: row.event_id,
    attemptsMade: row.attempts_made,
    payload,
    slotKind: row.slot_kind,
    endpoint: {
      organizationId: row.organization_id,
      id: row.webhook_endpoint_id,
      url: row.url,
      signingSecret: row.signing_secret,
      previousSecrets: row.previous_secrets,
    },
  };
}
