/** How many datasets an organization has is kept beside them: from the migration on, by every change that is committed. */
import type { Pool, PoolClient } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "../../platform/database/migrate.ts";
import { newUuid } from "../../platform/ids.ts";
import { createTestDatabase, openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";

const MIGRATIONS = new URL("../../platform/database/migrations/", import.meta.url);
/** Of the version before. */
const WITHOUT_COUNTS = 43;

/** Of the version before the counts, with room for as many connections. */
async function openOldDatabase(connections: number) {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url, connections);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await migrateDatabase(pool, MIGRATIONS, { count: WITHOUT_COUNTS });
  return pool;
}

const insertDatasets = async (by: Queries, organizationId: string, count: number, deleted = 0): Promise<void> =>
  void (await by.query(
    `insert into datasets (organization_id, id, name, state, upload_id, deleted_at)
     select $1, gen_random_uuid(), 'x', 'ready', gen_random_uuid(), case when n <= $3 then now() end from generate_series(1, $2) n`,
    [organizationId, count, deleted],
  ));

type Queries = Pick<Pool | PoolClient, "query">;

test("datasets of before are counted by the migration, and changes when they are committed", async () => {
  const pool = await openOldDatabase(2);
  const [one, two] = [newUuid(), newUuid()];
  const counts = async () =>
    (
      await pool.query<{ datasets: number }>(
        "select datasets::int as datasets from dataset_counts order by organization_id = $1 desc",
        [one],
      )
    ).rows;
  await insertDatasets(pool, one, 5, 2);
  await insertDatasets(pool, two, 1, 0);
  await migrateDatabase(pool, MIGRATIONS);
  expect(await counts()).toEqual([{ datasets: 3 }, { datasets: 1 }]);

  await insertDatasets(pool, one, 4, 1);
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
    await insertDatasets(pool, one, 1, 0);
    expect(await counts()).toEqual([{ datasets: 7 }, { datasets: 0 }]);
    await client.query("commit");
  } finally {
    client.release();
  }
  expect(await counts()).toEqual([{ datasets: 1 }, { datasets: 0 }]);
});

test("changes that are under way while the migration comes are counted once", async () => {
  const pool = await openOldDatabase(10);
  const [one, two] = [newUuid(), newUuid()];
  await insertDatasets(pool, one, 6, 1);
  await insertDatasets(pool, two, 3);
  const begin = async (first: (client: PoolClient) => Promise<unknown>): Promise<PoolClient> => {
    const client = await pool.connect();
    onTestFinished(() => client.release());
    await client.query("begin");
    await first(client);
    return client;
  };
  const change = (how: string) => (client: PoolClient) =>
    client.query(
      `${how} where id = (select id from datasets where organization_id = $1 and deleted_at is null limit 1)`,
      [one],
    );
  const committed = [
    await begin((client) => insertDatasets(client, one, 4, 1)),
    await begin(change("update datasets set deleted_at = now()")),
    await begin((client) => client.query("delete from datasets where organization_id = $1", [two])),
  ];
  const takenBack = await begin((client) => insertDatasets(client, one, 7));
  const reader = await begin((client) => client.query("select count(*) from datasets"));

  // It is not to be tried again, however busy the machine is.
  const migrated = migrateDatabase(pool, MIGRATIONS, { tableWaitMs: 60_000 });
  await waitFor(async () => (await countWaiting(pool)) === 1);
  const late = insertDatasets(pool, two, 2);
  await waitFor(async () => (await countWaiting(pool)) === 2);
  // A writer goes on while the migration waits for it.
  for (const writer of committed) await insertDatasets(writer, two, 1);
  for (const writer of committed) await writer.query("commit");
  await takenBack.query("rollback");
  await Promise.all([migrated, late]);
  await insertDatasets(reader, one, 1);
  await reader.query("commit");

  const { rows } = await pool.query(
    `select organization_id, datasets::int as counted,
       (select count(*)::int from datasets d where d.organization_id = c.organization_id and deleted_at is null) as there
     from dataset_counts c order by organization_id = $1 desc`,
    [one],
  );
  expect(rows).toEqual([
    { organization_id: one, counted: 8, there: 8 },
    { organization_id: two, counted: 5, there: 5 },
  ]);
});

/** Who waits to change datasets, or to count the changes. */
async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from pg_locks where relation = 'datasets'::regclass and not granted",
  );
  return rows[0]?.count ?? 0;
}
