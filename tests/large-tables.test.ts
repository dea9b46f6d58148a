/**
 * What lets the tables that grow with the rows be spread over several databases one day (decision 0016): each belongs to one dataset
 * or run by the first column of every unique key, and nothing in the database ties its rows to those of another table.
 */
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMigratedDatabase } from "@rowmill/server/testing/test-database";
import type { TestDatabase } from "@rowmill/server/testing/test-database";

/** Tables with a number of rows that grows with those of datasets and runs, and the column by which they could be spread. */
const owners: Record<string, "dataset_id" | "run_id"> = {
  dataset_chunks: "dataset_id",
  run_chunks: "run_id",
  run_segments: "run_id",
  run_failures: "run_id",
  run_row_keys: "run_id",
};

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createMigratedDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test.each(Object.entries(owners))("every unique key of %s begins with %s", async (table, column) => {
  const { rows } = await client.query<{ name: string; first: string }>(
    `select i.indexrelid::regclass::text as name, a.attname as first
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = $1::regclass and i.indisunique`,
    [table],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ first }) => first !== column)).toEqual([]);
});

test("no trigger and no foreign key leads out of them or into them", async () => {
  const names = Object.keys(owners);
  const { rows: triggers } = await client.query(
    "select tgname from pg_trigger where tgrelid = any($1::regclass[]) and not tgisinternal",
    [names],
  );
  expect(triggers).toEqual([]);
  const { rows: keys } = await client.query(
    "select conname from pg_constraint where contype = 'f' and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))",
    [names],
  );
  expect(keys).toEqual([]);
});
