import { Client, Pool } from "pg";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { eventually, PATIENCE_MS, query, start, useTemplate } from "./embedded/embedded-testing.ts";
import { openDatabase, sql } from "./database.ts";
import type { Transaction } from "./database.ts";
import { migrateDatabase } from "./migrate.ts";
import { transactionOnce } from "./transaction-once.ts";
import { newUuid } from "../ids.ts";

const template = useTemplate("once");

test("a transaction that a crash of PostgreSQL has lost is made again, though another one has its id now", async () => {
  const embedded = await start(await template.copy());
  const pool = new Pool({ connectionString: embedded.connectionString });
  await migrateDatabase(pool, new URL("./migrations/", import.meta.url));
  await pool.query("create table counted (n int)");
  // Else what was written just before the crash might be on the disk.
  await pool.query("alter system set wal_writer_delay = '10s'");
  await pool.query("select pg_reload_conf()");
  await pool.end();
  const database = openDatabase(embedded.connectionString, {
    max: 2,
    onError: () => undefined,
    connectTimeoutMs: PATIENCE_MS,
  });
  cleanUpLater(() => database.close());

  const other = new Client({ connectionString: embedded.connectionString });
  other.on("error", () => undefined);
  await other.connect();
  const recovers = new Promise<void>((resolve) => other.once("end", resolve));

  let lostId = 0n;
  const write = async (tx: Transaction): Promise<void> => {
    await sql`insert into counted values (1)`.execute(tx);
    if (lostId !== 0n) return;
    const { rows } = await sql<{ id: string; pid: number }>`
      select pg_current_xact_id()::text as id, pg_backend_pid() as pid`.execute(tx);
    lostId = BigInt(rows[0]?.id ?? 0);
    // PostgreSQL ends all others, too, and recovers: nothing of the transaction is left.
    process.kill(rows[0]?.pid ?? 0, "SIGKILL");
    await sql`select 1`.execute(tx);
  };
  const once = transactionOnce(database, newUuid(), write);
  await expect(once()).rejects.toThrow(/connection|terminat/i);
  expect(lostId).toBeGreaterThan(0n);
  // Until PostgreSQL has noticed the crash, it takes connections, which it ends then.
  await recovers;
  const takeId = async (): Promise<bigint | undefined> => {
    const [taken] = await query(embedded, "select pg_current_xact_id()::text as id").catch(() => []);
    return taken === undefined ? undefined : BigInt(String(taken["id"]));
  };
  await eventually(
    "others have taken ids up to that of the lost one",
    async () => ((await takeId()) ?? -1n) >= lostId || undefined,
  );
  await once();
  expect(await query(embedded, "select n from counted")).toEqual([{ n: 1 }]);
  await once();
  expect(await query(embedded, "select n from counted")).toEqual([{ n: 1 }]);
});
