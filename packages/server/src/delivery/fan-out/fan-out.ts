/**
 * From events to what delivers them. One transaction takes some events that nobody has fanned out, lets every target (webhook
 * endpoints, alert rules) insert its rows for them, and gives them their positions in the log of their organization. There is no
 * other way to a delivery and no recovery path: a crash before the commit leaves the events unmarked, and the next pass of
 * any worker takes them.
 *
 * A transaction locks the logs of its organizations, and workers skip the logs that another one has locked. So the positions of
 * an organization have no gaps and are committed in their order: a reader that has seen position n has missed nothing before it.
 */
import { isUnavailable, sql } from "../../platform/database/database.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { forEachOwned } from "../../platform/database/failures-by-organization.ts";

/** Times the 200 endpoints an organization may have, 50 000 deliveries: a second of work in one transaction. */
const EVENTS_AT_ONCE = 250;
/** The others come in the next transactions. */
const ORGANIZATIONS_AT_ONCE = 50;
/** Somebody may have repaired what was broken. */
const LEFT_OUT_MS = 60_000;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** What streams of events listen to. A lost notification only costs the time until their timers. */
export const EVENT_LOG_CHANNEL = "rowmill_event_log";

/** Inserts what one kind of receiver gets of these events. Their rows are locked and still `not is_fanned_out`. */
export type FanOutTarget = (tx: Transaction, eventIds: readonly string[]) => Promise<void>;

/**
 * Fans some events out at each call; returns whether there may be more. Organizations alternate. One whose events cannot be fanned out is
 * left out for a while; it is logged by who catches `OrganizationsFailedError`.
 */
export function createFanOut(database: Database, targets: readonly FanOutTarget[]): () => Promise<boolean> {
  let lastOrganization = BEFORE_ALL;
  /** Until when each is left out. */
  const leftOut = new Map<string, number>();

  async function findWaiting(after: string): Promise<{ found: string[]; waiting: string[] }> {
    const found = await findOrganizations(database, after);
    const now = performance.now();
    for (const [id, until] of leftOut) if (until <= now) leftOut.delete(id);
    return { found, waiting: found.filter((id) => !leftOut.has(id)) };
  }

  const fanOutOf = (organizations: string[]): Promise<boolean> =>
    database.transaction((tx) => fanOut(tx, organizations, targets));

  async function fanOutEach(organizations: readonly string[]): Promise<boolean> {
    let isMore = false;
    const owners = organizations.map((organizationId) => ({ organizationId }));
    await forEachOwned(owners, async ({ organizationId }) => {
      try {
        if (await fanOutOf([organizationId])) isMore = true;
      } catch (error) {
        if (!isUnavailable(error)) leftOut.set(organizationId, performance.now() + LEFT_OUT_MS);
        throw error;
      }
    });
    return isMore;
  }

  return async () => {
    let { found, waiting } = await findWaiting(lastOrganization);
    if (found.length === 0 && lastOrganization !== BEFORE_ALL) ({ found, waiting } = await findWaiting(BEFORE_ALL));
    lastOrganization = found.length < ORGANIZATIONS_AT_ONCE ? BEFORE_ALL : (found.at(-1) ?? BEFORE_ALL);
    if (waiting.length === 0) return lastOrganization !== BEFORE_ALL;
    try {
      return await fanOutOf(waiting);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // One of them is the cause, and its events must not keep those of the others.
      return fanOutEach(waiting);
    }
  };
}

/** Organizations with events that nobody has fanned out: one look into the index for each. */
async function findOrganizations(database: Database, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id) as (
      (select organization_id from events
        where not is_fanned_out and organization_id > ${after} order by organization_id limit 1)
      union all
      select (select e.organization_id from events e
        where not e.is_fanned_out and e.organization_id > w.id order by e.organization_id limit 1)
      from waiting w where w.id is not null
    )
    select id from waiting where id is not null limit ${ORGANIZATIONS_AT_ONCE}`.execute(database.db);
  return rows.map(({ id }) => id);
}

async function fanOut(tx: Transaction, waiting: string[], targets: readonly FanOutTarget[]): Promise<boolean> {
  await sql`insert into event_logs (organization_id) select unnest(${waiting}::uuid[]) on conflict do nothing`.execute(
    tx,
  );
  const { rows: locked } = await sql<{ id: string }>`
    select organization_id as id from event_logs
    where organization_id = any(${waiting}::uuid[]) order by organization_id for update skip locked`.execute(tx);
  if (locked.length === 0) return false;
  const { rows } = await sql<{ id: string }>`
    select e.id from unnest(${locked.map(({ id }) => id)}::uuid[]) o (id)
    cross join lateral (
      select id from events where organization_id = o.id and not is_fanned_out
      order by id limit ${Math.ceil(EVENTS_AT_ONCE / locked.length)} for update) e`.execute(tx);
  if (rows.length === 0) return false;
  const ids = rows.map((row) => row.id);
  for (const target of targets) await target(tx, ids);
  await appendToLogs(tx, ids);
  return true;
}

/**
 * By time. The events of a run keep their own order: they may come from processes whose clocks differ, and whose ids with them.
 */
async function appendToLogs(tx: Transaction, ids: string[]): Promise<void> {
  await sql`
    with keyed as (
      select organization_id, id, sequence,
        max(id::text collate "C") over (partition by organization_id, coalesce(run_id, id) order by sequence) as key
      from events where id = any(${ids}::uuid[]) and not is_fanned_out
    ), numbered as (
      select organization_id, id, row_number() over (partition by organization_id order by key, sequence, id) as number from keyed
    ), logs as (
      update event_logs l set last_position = l.last_position + c.events
      from (select organization_id, count(*) as events from numbered group by organization_id) c
      where l.organization_id = c.organization_id
      returning l.organization_id, l.last_position - c.events as position_before
    )
    update events e set is_fanned_out = true, position = l.position_before + n.number
    from numbered n join logs l on l.organization_id = n.organization_id
    where e.organization_id = n.organization_id and e.id = n.id`.execute(tx);
  await sql`select pg_notify(${EVENT_LOG_CHANNEL}, '')`.execute(tx);
}
