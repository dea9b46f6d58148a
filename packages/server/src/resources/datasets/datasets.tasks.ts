/** Deletes the chunks of deleted datasets, a bounded number at a time, so that no transaction grows with the dataset. */
import { sql } from "../../platform/database/database.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import { rememberFailures, untilNoneLeft } from "../../platform/database/failures-by-organization.ts";
import { isRow } from "../../platform/database/row-key.ts";

/** About 50 MB of ordinary rows: a second of work. */
const CHUNKS_AT_ONCE = 1_000;

export async function purgeDeletedDatasets(
  { database, tasks }: AllOrganizations,
  former = rememberFailures(),
): Promise<void> {
  await untilNoneLeft(async (failures, note) => {
    const dataset = await database.db
      .selectFrom("datasets")
      .select(["organizationId", "id"])
      .where("deletedAt", "is not", null)
      .where(failures.leftOut("organization_id", "id"))
      .orderBy("deletedAt")
      .limit(1)
      .executeTakeFirst();
    if (!dataset) return false;
    note(dataset);
    const { db } = tasks.of(dataset.organizationId);
    const { numAffectedRows } = await sql`
      delete from dataset_chunks where dataset_id = ${dataset.id} and chunk_no in (
        select chunk_no from dataset_chunks where dataset_id = ${dataset.id} order by chunk_no limit ${CHUNKS_AT_ONCE})`.execute(
      db,
    );
    if (numAffectedRows !== undefined && numAffectedRows > 0n) return true;
    // Another process may be deleting them just now. Without the dataset nobody would find what it leaves; it goes on, or the next pass.
    const { rows: left } = await sql`select 1 from dataset_chunks where dataset_id = ${dataset.id} limit 1`.execute(db);
    if (left.length > 0) return false;
    await db.deleteFrom("datasets").where(isRow(dataset, dataset.id)).execute();
    return true;
  }, former("purge"));
}
