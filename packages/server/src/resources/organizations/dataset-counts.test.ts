/** How many datasets an organization has is kept beside them: from the migration on, by every change that is committed. */
import { expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "../../platform/database/migrate.ts";
import { newUuid } from "../../platform/ids.ts";
import { createTestDatabase, openTestPool } from "../../testing/test-database.ts";

const MIGRATIONS = new URL("../../platform/database/migrations/", import.meta.url);
/** Of the version before. */
const WITHOUT_COUNTS = 43;

test("datasets of before are counted by the migration, and changes when they are committed", async () => {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url, 2);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const [one, two] = [newUuid(), newUuid()];
  const insert = (organizationId: string, count: number, deleted: number) =>
    pool.query(
      `insert into datasets (organization_id, id, name, state, upload_id, deleted_at)
       select $1, gen_random_uuid(), 'x', 'ready', gen_random_uuid(), case when n <= $3 then now() end from generate_series(1, $2) n`,
      [organizationId, count, deleted],
    );
  const counts = async () =>
    (
      await pool.query<{ datasets: number }>(
        "select datasets::int as datasets from dataset_counts order by organization_id = $1 desc",
        [one],
      )
    ).rows;
  await migrateDatabase(pool, MIGRATIONS, WITHOUT_COUNTS);
  await insert(one, 5, 2);
  await insert(two, 1, 0);
  await migrateDatabase(pool, MIGRATIONS);
  expect(await counts()).toEqual([{ datasets: 3 }, { datasets: 1 }]);

  await insert(one, 4, 1);
  await pool.query("update datasets set name = 'y', deleted_at = now() where organization_id = $1", [two]);
  expect(await counts()).toEqual([{ datasets: 6 }, { datasets: 0 }]);
  // Those that were deleted are removed one day, which changes nothing.
  await pool.query("delete from datasets where organization_id = $1 and deleted_at is not null", [one]);
  expect(await counts()).toEqual([{ datasets: 6 }, { datasets: 0 }]);

  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("delete from datasets where organization_id = $1", [one]);
    // Nobody waits for a transaction that is not at its commit yet.
    await insert(one, 1, 0);
    expect(await counts()).toEqual([{ datasets: 7 }, { datasets: 0 }]);
    await client.query("commit");
  } finally {
    client.release();
  }
  expect(await counts()).toEqual([{ datasets: 1 }, { datasets: 0 }]);
});
