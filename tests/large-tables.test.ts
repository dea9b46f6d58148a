/**
 * What lets the tables that grow with the rows be spread over several databases (decision 0025): each belongs to one dataset
 * or run by the first column of every unique key, and nothing in the database ties its rows to those of another table.
 */
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { largeTableNames, largeTables } from "@rowmill/server/platform/database/large-tables";
import { createMigratedDatabase } from "@rowmill/server/testing/test-database";
import type { TestDatabase } from "@rowmill/server/testing/test-database";

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

test.each(Object.entries(largeTables))("every unique key of %s begins with %s", async (table, column) => {
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
  const { rows: triggers } = await client.query(
    "select tgname from pg_trigger where tgrelid = any($1::regclass[]) and not tgisinternal",
    [largeTableNames],
  );
  expect(triggers).toEqual([]);
  const { rows: keys } = await client.query(
    "select conname from pg_constraint where contype = 'f' and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))",
    [largeTableNames],
  );
  expect(keys).toEqual([]);
});

test("every table whose rows belong to a chunk or row of a run or dataset is one of them, or says why not", async () => {
  const { rows } = await client.query<{ table: string }>(
    `select distinct c.relname as "table" from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname in ('chunk_no', 'row_index')
     order by 1`,
  );
  expect(rows.map(({ table }) => table)).toEqual(largeTableNames.toSorted());
});
