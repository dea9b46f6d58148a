/** Requests that wait in the middle of their transaction, and what tables hold. */
import { Client } from "pg";
import { undo } from "../../testing/cleanup.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

/** Until it is called, creating an organization waits inside its transaction, after its key was written. */
export async function holdCreates(service: TestService): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await client.connect();
  await client.query("begin");
  await client.query("lock table organizations in share mode");
  let released: Promise<void> | undefined;
  const release = () => (released ??= client.query("commit").then(() => client.end()));
  undo.push(release);
  return release;
}
export const waitUntilClaimed = (service: TestService, count: number) =>
  waitFor(
    async () => {
      const waiting = await service.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into \"organizations\"%'",
      );
      return waiting.length === count;
    },
    { what: `${count} creates wait` },
  );

/** Every table of the database that holds the text in any column. */
export async function tablesWith(service: TestService, secret: string): Promise<string[]> {
  const tables = await service.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.query(`select 1 from ${name} t where t::text like $1 limit 1`, [`%${secret}%`]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
