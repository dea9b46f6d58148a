/** A connection comes back to the pool without a transaction, whatever has failed. On a cluster: `tests/distributed.citus.test.ts`. */
import { expect, test } from "vitest";
import type { Client } from "pg";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { openDatabase } from "./database.ts";
import type { Database } from "./database.ts";
import { createTasks } from "./tenants.ts";

const ORGANIZATION = "00000000-0000-7000-8000-000000000000";

/** Of one connection: each statement is the next user of the one before. */
async function openOne(): Promise<Database> {
  const created = await createMigratedDatabase();
  const database = openDatabase(created.url, { max: 1, onError: () => undefined });
  cleanUpLater(async () => {
    await database.close();
    await created.drop();
  });
  return database;
}

const isFree = async ({ pool }: Database): Promise<boolean> => {
  const { rows } = await pool.query<{ free: boolean }>("select now() = statement_timestamp() as free");
  return rows[0]?.free === true;
};

test("a role that is gone, and a statement that fails, leave no transaction to the next one", async () => {
  const database = await openOne();
  const { db, statements } = createTasks(database, "rowmill_task_0", true).of(ORGANIZATION);
  const asked = { name: "read_chunks", text: "select run_id from run_chunks", values: [] };
  await expect(statements.query(asked)).rejects.toThrow(/role "rowmill_task_0" does not exist/);
  expect(await isFree(database)).toBe(true);
  await expect(db.selectFrom("runChunks").select("runId").execute()).rejects.toThrow(/does not exist/);
  expect(await isFree(database)).toBe(true);
});

test("a connection that does not roll back is closed", async () => {
  const database = await openOne();
  const { statements } = createTasks(database, "rowmill_task_0", true).of(ORGANIZATION);
  const client = (await database.pool.connect()) as unknown as Client & { release(): void };
  const query = client.query.bind(client) as (text: string) => Promise<unknown>;
  client.query = (async (text: string) =>
    text === "rollback" ? Promise.reject(new Error("refused")) : query(text)) as typeof client.query;
  client.release();
  const asked = { name: "read_chunks", text: "select run_id from run_chunks", values: [] };
  await expect(statements.query(asked)).rejects.toThrow(/does not exist/);
  expect(await isFree(database)).toBe(true);
});
