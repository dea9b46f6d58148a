/**
 * What `rowmill database distribute` makes of the policies that the migrations have written. On a cluster:
 * `tests/distributed.citus.test.ts`.
 */
import { expect, test } from "vitest";
import { Client } from "pg";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { simplifyPolicies, withoutSubquery } from "./distribute.ts";
import { largeTableNames } from "./large-tables.ts";

test("policies of large tables lose their subqueries, and nothing else", async () => {
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const read = async (): Promise<string[]> =>
    (
      await client.query<{ text: string }>(
        `select concat(polrelid::regclass, ' ', polname, ' ', pg_get_expr(polqual, polrelid), ' ', pg_get_expr(polwithcheck, polrelid)) as text
         from pg_policy where polrelid = any($1::regclass[]) order by polrelid, polname`,
        [largeTableNames],
      )
    ).rows.map(({ text }) => text);
  const before = await read();
  expect(before.filter((text) => text.includes("SELECT"))).toHaveLength(largeTableNames.length);
  for (const table of largeTableNames) await simplifyPolicies(client, table);
  const after = await read();
  expect(after.filter((text) => text.includes("SELECT"))).toEqual([]);
  expect(after).toEqual(before.map(withoutSubquery));
  await client.end();
});
