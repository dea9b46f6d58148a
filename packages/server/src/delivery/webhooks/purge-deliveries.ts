/** Old deliveries and their events are removed, a bounded number at a time: so that neither table grows for ever. */
import { sql } from "../../platform/database/database.ts";
import { inGroups } from "../../platform/database/in-groups.ts";
import type { Database } from "../../platform/database/database.ts";

/** Less than a second of work. */
const PURGED_AT_ONCE = 5_000;

/** A delivery that still waits is kept however old it is, and so is its event. */
export async function purgeOldDeliveries(database: Database, retentionDays: number): Promise<void> {
  await inGroups(
    database.db,
    PURGED_AT_ONCE,
    sql`
    delete from webhook_deliveries where (organization_id, id) in (
      select organization_id, id from webhook_deliveries
      where created_at < now() - make_interval(days => ${retentionDays}) and status <> 'pending' and claimed_until is null
      limit ${PURGED_AT_ONCE} for update skip locked)`,
  );
  // Those of a run's log belong to the run. What a delivery still needs stays: a replay may be younger than its event.
  await inGroups(
    database.db,
    PURGED_AT_ONCE,
    sql`
    delete from events where (organization_id, id) in (
      select e.organization_id, e.id from events e
      where e.created_at < now() - make_interval(days => ${retentionDays}) and e.sequence is null and e.is_fanned_out
        and not exists (select from webhook_deliveries d
          where d.organization_id = e.organization_id and d.event_id = e.id and d.kind = 'event')
        and not exists (select from webhook_deliveries d
          where d.organization_id = e.organization_id and d.event_id = e.id and d.kind = 'replay')
      limit ${PURGED_AT_ONCE} for update skip locked)`,
  );
}
