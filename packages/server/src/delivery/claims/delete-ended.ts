/** Deliveries that have ended are removed when they are old, a bounded number at a time: so that the tables do not grow for ever. */
import type { Database } from "../../platform/database/database.ts";
import { sql } from "../../platform/database/database.ts";
import { inGroups } from "../../platform/database/in-groups.ts";
import type { DeliveriesTable } from "./delivery-leases.ts";

/** Less than a second of work. */
export const DELETED_AT_ONCE = 5_000;

/** One that still waits is kept however old it is. */
export async function deleteEnded(database: Database, name: DeliveriesTable, retentionDays: number): Promise<void> {
  const table = sql.table(name);
  await inGroups(
    database.db,
    DELETED_AT_ONCE,
    sql`
      delete from ${table} where (organization_id, id) in (
        select organization_id, id from ${table}
        where created_at < now() - make_interval(days => ${retentionDays}) and status <> 'pending' and claimed_until is null
        limit ${DELETED_AT_ONCE} for update skip locked)`,
  );
}
