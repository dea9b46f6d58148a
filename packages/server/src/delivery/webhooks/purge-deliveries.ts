/** Old deliveries and their events are removed. */
import { sql } from "../../platform/database/database.ts";
import { inGroups } from "../../platform/database/in-groups.ts";
import type { Database } from "../../platform/database/database.ts";
import { DELETED_AT_ONCE, deleteEnded } from "../claims/delete-ended.ts";

/** A delivery that still waits is kept however old it is, and so is its event. */
export async function purgeOldDeliveries(database: Database, retentionDays: number): Promise<void> {
  await deleteEnded(database, "webhook_deliveries", retentionDays);
  // Those of a run's log belong to the run. What a delivery still needs stays: a replay may be younger than its event.
  await inGroups(
    database.db,
    DELETED_AT_ONCE,
    sql`
    delete from events where (organization_id, id) in (
      select e.organization_id, e.id from events e
      where e.created_at < now() - make_interval(days => ${retentionDays}) and e.sequence is null and e.is_fanned_out
        and not exists (select from webhook_deliveries d
          where d.organization_id = e.organization_id and d.event_id = e.id and d.kind = 'event')
        and not exists (select from webhook_deliveries d
          where d.organization_id = e.organization_id and d.event_id = e.id and d.kind = 'replay')
      limit ${DELETED_AT_ONCE} for update skip locked)`,
  );
}
