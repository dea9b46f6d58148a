import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "../../testing/service.ts";
import { openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { analyzeGrownTables } from "./analyze-tables.ts";
import { openDatabase, withClient } from "./database.ts";

/** No worker of the service analyzes. */
const service = await startTestService({ ROWMILL_ROLE: "api" });
const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
const others = openTestPool(service.settings["ROWMILL_DATABASE_URL"], 1);
afterAll(async () => {
  await others.end();
  await database.close();
});

const addEvents = (count: number) =>
  service.query(
    `insert into alert_candidates (organization_id, alert_rule_id, event_id)
     select '00000000-0000-0000-0000-000000000001', gen_random_uuid(), gen_random_uuid() from generate_series(1, $1)`,
    [count],
  );
const statistics = () => service.query("select attname from pg_stats where tablename = 'alert_candidates'");
/** What is analyzed once the server has counted these changes. */
const untilCounted = (count: number) =>
  waitFor(
    async () => {
      const [found] = await service.query<{ n: number }>(
        "select n_mod_since_analyze as n from pg_stat_user_tables where relname = 'alert_candidates'",
      );
      return found?.n === count;
    },
    { what: `${count} changes are counted` },
  );

test("a table that has just been filled gets statistics, once a minute at most, and small changes do not count", async () => {
  await service.query("alter table alert_candidates set (autovacuum_enabled = false)");
  await addEvents(500);
  await untilCounted(500);
  expect(await analyzeGrownTables(database)).not.toContain("alert_candidates");
  await addEvents(4_500);
  await untilCounted(5_000);
  expect(await analyzeGrownTables(database)).toContain("alert_candidates");
  expect(await statistics()).toHaveLength(3);
  await addEvents(6_000);
  await untilCounted(6_000);
  expect(await analyzeGrownTables(database)).not.toContain("alert_candidates");
});

test("of a large table a fiftieth and twenty thousand new rows are enough", async () => {
  await service.query("alter table row_cache set (autovacuum_enabled = false)");
  const addRows = (count: number) =>
    service.query(
      `insert into row_cache (organization_id, key, output, expires_at)
       select '00000000-0000-0000-0000-000000000001', uuid_send(gen_random_uuid()), '{}', now() from generate_series(1, $1)`,
      [count],
    );
  const changes = async () => {
    const [found] = await service.query<{ n: number }>(
      "select n_mod_since_analyze as n from pg_stat_user_tables where relname = 'row_cache'",
    );
    return found?.n;
  };
  await addRows(100_000);
  await waitFor(async () => (await changes()) === 100_000, { what: "the rows are counted" });
  // The size is known from here on, and no row counts as new.
  await service.query("vacuum row_cache");
  await service.query("select pg_stat_reset_single_table_counters('row_cache'::regclass)");
  await addRows(20_000);
  await waitFor(async () => (await changes()) === 20_000, { what: "the first new rows are counted" });
  expect(await analyzeGrownTables(database)).not.toContain("row_cache");
  await addRows(3_000);
  await waitFor(async () => (await changes()) === 23_000, { what: "all new rows are counted" });
  // Another one locks it, as a vacuum does.
  await withClient(others, async (client) => {
    await client.query("begin; lock table row_cache in share update exclusive mode");
    expect(await analyzeGrownTables(database)).not.toContain("row_cache");
    await client.query("rollback");
  });
  expect(await analyzeGrownTables(database)).toContain("row_cache");
});

describe("a function that works with its owner's rights", () => {
  test("reads no table or view that a request has made", async () => {
    const seen = await withClient(database.pool, async (client) => {
      await client.query("begin");
      const { rows } = await client.query<{ role: string }>(
        "select quote_ident('rowmill_tenant_' || current_user::regrole::oid) as role",
      );
      await client.query(`set local role ${rows[0]?.role ?? ""}`);
      await client.query(`
        create temp table seen (who text);
        grant insert on seen to public;
        create function pg_temp.spy() returns bigint language plpgsql as
          $$ begin insert into pg_temp.seen values (current_user); return 5; end $$;
        create temp view storage_usage as select pg_temp.spy() as declared_bytes;
        create temp view pg_stat_user_tables as select null::oid as relid, pg_temp.spy() as n_mod_since_analyze,
          null::timestamptz as last_analyze, null::timestamptz as last_autoanalyze;
        grant select on storage_usage, pg_stat_user_tables to public;
        select declared_bytes_of_all();
        select analyze_grown_table()`);
      const found = await client.query<{ who: string }>("select who from seen");
      await client.query("rollback");
      return found.rows;
    });
    expect(seen).toEqual([]);
  });

  test("is no trigger of a table that a request has made", async () => {
    await withClient(database.pool, async (client) => {
      await client.query("begin");
      const { rows } = await client.query<{ role: string }>(
        "select quote_ident('rowmill_tenant_' || current_user::regrole::oid) as role",
      );
      await client.query(`set local role ${rows[0]?.role ?? ""}`);
      await client.query("create temp table mine (organization_id uuid, deleted_at timestamptz)");
      await expect(
        client.query("create trigger counts after insert on mine for each row execute function count_datasets()"),
      ).rejects.toThrow("permission denied for function count_datasets");
      await client.query("rollback");
    });
  });

  test("has the temporary schema at the end of its search path, whichever it is", async () => {
    const found = await service.query<{ name: string; path: string | null }>(
      `select p.oid::regprocedure::text as name, array_to_string(p.proconfig, ';') as path from pg_proc p
       where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ path }) => !/^search_path=(?:.*, )?pg_temp$/.test(path ?? ""))).toEqual([]);
  });
});
