/**
 * From events to what delivers them. One transaction takes a batch of events that nobody has fanned out, lets every target
 * (webhook endpoints, alert rules) insert its rows for them, and marks them. There is no other way to a delivery and no
 * recovery path: whatever dies before the commit leaves the events unmarked, and the next turn of any worker takes them.
 * Workers skip each other's batches.
 */
import { sql } from "../platform/database/database.ts";
import type { Database, Transaction } from "../platform/database/database.ts";

/** Times the 200 endpoints an organization may have, 50 000 deliveries: a second of work in one transaction. */
const EVENTS_AT_ONCE = 250;

/** Inserts what one kind of receiver gets of these events. Their rows are locked and still `not is_fanned_out`. */
export type FanOutTarget = (tx: Transaction, eventIds: readonly string[]) => Promise<void>;

/** One batch; answers whether there may be more. */
export async function fanOutEvents(database: Database, targets: readonly FanOutTarget[]): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select id from events where not is_fanned_out order by id limit ${EVENTS_AT_ONCE} for update skip locked`.execute(
      tx,
    );
    if (rows.length === 0) return false;
    const ids = rows.map((row) => row.id);
    for (const target of targets) await target(tx, ids);
    await sql`update events set is_fanned_out = true where not is_fanned_out and id = any(${ids}::uuid[])`.execute(tx);
    return rows.length === EVENTS_AT_ONCE;
  });
}
