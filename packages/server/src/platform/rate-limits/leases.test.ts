import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createMigratedDatabase, openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { createLog } from "../log.ts";
import { createLeases } from "./leases.ts";

/** Far above what is taken. */
const BURST = 600;

test("unspent tokens are put back in the order of the buckets, so that two processes never wait for each other", async () => {
  const server = await createMigratedDatabase();
  cleanUpLater(() => server.drop());
  const pool = openTestPool(server.url, 2);
  cleanUpLater(() => pool.end());
  const other = new Client({ connectionString: server.url });
  await other.connect();
  cleanUpLater(() => other.end());

  const leases = createLeases(pool, createLog("silent"));
  const organizationId = randomUUID();
  const [first = "", second = ""] = [randomUUID(), randomUUID()].toSorted();
  // Taken, stored and known to this process in the opposite order.
  for (const subjectId of [second, first])
    await leases.take({ organizationId, subjectId, perMinute: BURST, burst: BURST });
  const lock = (subjectId: string) =>
    other.query("select 1 from rate_limit_buckets where subject_id = $1 for update nowait", [subjectId]);
  await other.query("begin");
  await lock(first);
  const stopped = leases.stop();
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitFor(async () => (await other.query(waiting)).rows.length > 0, { what: "the statement waits for a lock" });
  // The first is what it waits for, and it has not locked the second.
  await lock(second);
  await other.query("commit");
  await stopped;

  const { rows } = await other.query<{ tokens: number }>("select tokens from rate_limit_buckets");
  expect(rows.map(({ tokens }) => Math.round(tokens))).toEqual([BURST - 1, BURST - 1]);
});
