import { expect, test } from "vitest";
import { newUuid } from "../../platform/ids.ts";
import { openDatabase, sql } from "../../platform/database/database.ts";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createMigratedDatabase, openTestPool } from "../../testing/test-database.ts";
import { recordTestUsage } from "./usage.ts";

test("what a test of a job spec has used is counted once, on the day of its calls, where it is written again on the next day", async () => {
  const made = await createMigratedDatabase();
  cleanUpLater(() => made.drop());
  const pool = openTestPool(made.url, 1);
  // The clock of the database, which a test can set.
  await pool.query("create schema clock");
  await pool.query("create table clock.time (now timestamptz)");
  await pool.query("create function clock.now() returns timestamptz language sql as 'select now from clock.time'");
  await pool.query("insert into clock.time values ('2026-11-27T23:59:59.9Z')");
  await pool.query(
    `do $$ begin execute format('alter database %I set search_path = clock, pg_catalog, public', current_database()); end $$`,
  );
  await pool.end();
  const database = openDatabase(made.url, { max: 1, onError: () => undefined });
  cleanUpLater(() => database.close());

  const caller = { organizationId: newUuid(), apiKeyId: newUuid() } as OrganizationCaller; // as much of it as is looked at
  const used = { uuid: newUuid(), jobSpecId: newUuid(), jobSpecVersion: 1, usage: { requests: 1, costUsd: "0.5" } };
  const write = () => recordTestUsage(database.db, caller, { ...used, endedAt: new Date("2026-11-27T23:59:59.8Z") });
  // The response to the first one is lost.
  await write();
  await sql`update clock.time set now = '2026-11-28T00:00:00.9Z'`.execute(database.db);
  await write();
  const { rows } = await sql`select day::text, requests, cost_usd from usage_days`.execute(database.db);
  expect(rows).toEqual([{ day: "2026-11-27", requests: 1, costUsd: "0.5" }]);
});
