import { afterAll, expect, test } from "vitest";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { analyzeGrownTables } from "./analyze-tables.ts";
import { openDatabase } from "./database.ts";

/** No worker of the service analyzes. */
const service = await startTestService({ ROWMILL_ROLE: "api" });
const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
afterAll(() => database.close());

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
