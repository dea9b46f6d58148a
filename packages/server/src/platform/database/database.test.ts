import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Client } from "pg";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { BEAT_SECONDS, LOST_AFTER_SECONDS } from "../queue/boss.ts";
import { LONGEST_IDLE_TRANSACTION_MS, isUnavailable, mayBeDone, openDatabase, sql } from "./database.ts";

test("a connection that breaks between two statements of a transaction fails the transaction, and nothing else", async () => {
  const created = await createTestDatabase();
  cleanUpLater(() => created.drop());
  const database = openDatabase(created.url, { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  const broken = database.transaction(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await endBackend(created.url, rows[0]?.pid ?? 0);
    await sql`select 1`.execute(tx);
  });
  await expect(broken).rejects.toSatisfy(isUnavailable);
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);
});

test("what a process has locked that stands still is free within a second of the loss of its jobs, and its transaction fails", async () => {
  const created = await createTestDatabase();
  cleanUpLater(() => created.drop());
  const database = openDatabase(created.url, { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  await database.workAs(undefined);
  const SETTING = "idle_in_transaction_session_timeout";
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting(${SETTING})::interval)::int * 1000 as ms`.execute(database.db);
  expect(rows).toEqual([{ ms: LONGEST_IDLE_TRANSACTION_MS }]);
  expect(LONGEST_IDLE_TRANSACTION_MS).toBeLessThanOrEqual(1_000 * (LOST_AFTER_SECONDS - BEAT_SECONDS + 1));

  const tooLate = database.transaction(async (tx) => {
    const { rows: own } = await sql<{ pid: number }>`
      select pg_backend_pid() as pid, set_config(${SETTING}, '50ms', true)`.execute(tx);
    await expect.poll(() => isConnected(created.url, own[0]?.pid ?? 0)).toBe(false);
    await sql`select 1`.execute(tx);
  });
  await expect(tooLate).rejects.toSatisfy(isUnavailable);
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);
});

test("PostgreSQL looks after clients that are gone without a word: no lock of their sessions stays for longer than half a minute", async () => {
  const created = await createTestDatabase();
  cleanUpLater(() => created.drop());
  const database = openDatabase(created.url, { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  await database.workAs(undefined);
  const { rows } = await sql<{ idle: number; every: number; count: number; unconfirmed: number }>`
    select current_setting('tcp_keepalives_idle')::int as idle, current_setting('tcp_keepalives_interval')::int as every,
      current_setting('tcp_keepalives_count')::int as count,
      current_setting('tcp_user_timeout')::int / 1000 as unconfirmed`.execute(database.db);
  const [{ idle, every, count, unconfirmed } = { idle: 0, every: 0, count: 0, unconfirmed: 0 }] = rows;
  expect(idle * every * count).toBeGreaterThan(0);
  // Only Linux knows it.
  expect(unconfirmed).toBeGreaterThan(process.platform === "linux" ? 0 : -1);
  expect(Math.max(idle + every * count, unconfirmed)).toBeLessThanOrEqual(30);
});

test.each(["08006", "25P03", "53100", "57P01", "57P03", "58030"])(
  "%s is an outage: of the connection, the disk or the server",
  (code) => {
    expect(isUnavailable(Object.assign(new Error("refused"), { code }))).toBe(true);
    expect(isUnavailable(Object.assign(new Error("refused"), { code: "23505" }))).toBe(false);
  },
);

test("a statement may be done whose connection broke meanwhile, and not one that was refused, or never sent", async () => {
  const created = await createTestDatabase();
  cleanUpLater(() => created.drop());
  const database = openDatabase(created.url, { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  const errorOf = (statement: Promise<unknown>): Promise<unknown> =>
    statement.then(
      () => "none",
      (error: unknown) => error,
    );
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
  const broken = errorOf(sql`select pg_sleep(60)`.execute(database.db));
  await endBackend(created.url, rows[0]?.pid ?? 0);
  expect(mayBeDone(await broken)).toBe(true);
  expect(mayBeDone(await errorOf(sql`select 1 / 0`.execute(database.db)))).toBe(false);
  const away = openDatabase("postgres://nobody@localhost:1/nothing", { max: 1, onError: () => {} });
  const neverSent = await errorOf(sql`select 1`.execute(away.db));
  expect([isUnavailable(neverSent), mayBeDone(neverSent)]).toEqual([true, false]);
  await away.close();
  expect(mayBeDone(await errorOf(sql`select 1`.execute(away.db)))).toBe(false);
});

test("what was not sent, since no address of a host could be reached, is not in doubt", () => {
  // As Node makes it: it has the code of the first address, and not what was called.
  const toAddress = (code: string): Error => Object.assign(new Error(code), { code, syscall: "connect" });
  const errors = [toAddress("EHOSTUNREACH"), toAddress("ENETUNREACH")];
  const unreachable = Object.assign(new AggregateError(errors), { code: "EHOSTUNREACH" });
  expect([isUnavailable(unreachable), mayBeDone(unreachable)]).toEqual([true, false]);
  const broken = Object.assign(new Error("read"), { code: "EHOSTUNREACH", syscall: "read" });
  expect(mayBeDone(broken)).toBe(true);
});

test("what was not sent, since the server did not respond to the connection in time, is not in doubt", async () => {
  const silent = createServer();
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  cleanUpLater(async () => void silent.close());
  const { port } = silent.address() as AddressInfo; // it listens at a port
  const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/nothing`, {
    max: 1,
    onError: () => {},
    connectTimeoutMs: 50,
  });
  cleanUpLater(() => database.close());
  const error: unknown = await database.pool.query("select 1").catch((reason: unknown) => reason);
  expect([isUnavailable(error), mayBeDone(error)]).toEqual([true, false]);
});

test("what is asked of a database that the process has closed is an outage, and no defect", async () => {
  const database = openDatabase("postgres://nobody@127.0.0.1:1/nothing", { max: 1, onError: () => {} });
  await database.pool.end();
  await expect(database.pool.query("select 1")).rejects.toSatisfy(isUnavailable);
});

test("a connection that PostgreSQL ends while the process closes its own is not reported as lost", async () => {
  const created = await createTestDatabase();
  cleanUpLater(() => created.drop());
  const reported: string[] = [];
  const database = openDatabase(created.url, { max: 1, onError: ({ message }) => reported.push(message) });
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
  await endBackend(created.url, rows[0]?.pid ?? 0);
  await expect.poll(() => reported).toEqual(["terminating connection due to administrator command"]);

  await sql`select 1`.execute(database.db);
  const closed = database.close();
  database.pool.emit("error", new Error("ended by the server"), new Client());
  await closed;
  expect(reported).toHaveLength(1);
});

/** Returns when it has ended, so that its client has been notified. */
async function endBackend(url: string, pid: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_terminate_backend($1, 5000)", [pid]);
  } finally {
    await client.end();
  }
}

async function isConnected(url: string, pid: number): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query("select 1 from pg_stat_activity where pid = $1", [pid])).rows.length > 0;
  } finally {
    await client.end();
  }
}
