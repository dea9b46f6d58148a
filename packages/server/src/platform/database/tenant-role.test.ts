/** The role of tenants: made where that is allowed, by several at once, and asked for in words where it is not. */
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { Pool } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { openQueue } from "../queue/queue.ts";
import { openDatabase } from "./database.ts";
import { migrateDatabase } from "./migrate.ts";
import { prepareTenantRole } from "./tenant-role.ts";

const silent = pino({ level: "silent" });
const directory = new URL("migrations/", import.meta.url);

let superuser: Pool;

/** When the databases in which they have rights are gone. */
const loginsToDrop: string[] = [];

beforeAll(async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  superuser = openPool(database.url);
  cleanUpLater(async () => {
    for (const name of loginsToDrop) await superuser.query(`drop role if exists ${name}`);
  });
});

function openPool(url: string): Pool {
  const database = openDatabase(url, { max: 2, onError: () => {} });
  cleanUpLater(() => database.close());
  return database.pool;
}

/** A role that can log in. */
async function newLogin(options: string): Promise<{ name: string; as: (url: string) => string }> {
  const name = `owner_${randomBytes(6).toString("hex")}`;
  await superuser.query(`create role ${name} login password 'secret' ${options}`);
  const { rows } = await superuser.query<{ oid: string }>("select oid::text from pg_roles where rolname = $1", [name]);
  loginsToDrop.push(`rowmill_tenant_${rows[0]?.oid}`, name);
  return {
    name,
    as: (url) => Object.assign(new URL(url), { username: name, password: "secret" }).href,
  };
}

/** A database with all tables, which the login owns. */
async function newDatabase(login: { name: string; as: (url: string) => string }): Promise<{ url: string; pool: Pool }> {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  await superuser.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${login.name}`);
  const url = login.as(database.url);
  const pool = openPool(url);
  await migrateDatabase(pool, directory);
  const queue = await openQueue(url, ["work"], silent);
  await queue.stop();
  return { url, pool };
}

test("an owner that may create roles has one of its own, for all its databases, however many start at once", async () => {
  const owner = await newLogin("createrole");
  const databases = [await newDatabase(owner), await newDatabase(owner)];
  const names = await Promise.all(
    [...databases, ...databases, ...databases].map(({ pool }) => prepareTenantRole(pool, "required", silent)),
  );
  expect(new Set(names)).toEqual(new Set([expect.stringMatching(/^rowmill_tenant_\d+$/)]));
  const { rows } = await superuser.query(
    "select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolinherit from pg_roles where rolname = $1",
    [names[0]],
  );
  expect(rows).toEqual([
    { rolcanlogin: false, rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolinherit: true },
  ]);
});

describe("an owner that may not create roles", () => {
  test("is told in one warning what to do, and goes on without; or does not start, if it is to be required", async () => {
    const owner = await newLogin("");
    const { pool } = await newDatabase(owner);
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    expect(await prepareTenantRole(pool, "if_possible", log)).toBeUndefined();
    expect(lines.length).toBe(1);
    const advice = /create role "rowmill_tenant_\d+" nologin; grant "rowmill_tenant_\d+" to "owner_\w+";/;
    const { msg } = JSON.parse(lines[0] ?? "") as { msg: string }; // as pino writes it
    expect(msg).toMatch(advice);
    await expect(prepareTenantRole(pool, "required", log)).rejects.toThrow(advice);

    // As the warning says.
    await superuser.query(advice.exec(msg)?.[0] ?? "");
    expect(await prepareTenantRole(pool, "required", log)).toMatch(/^rowmill_tenant_\d+$/);
    expect(lines.length).toBe(1);
  });

  test("is not given one that row-level security does not hold for", async () => {
    const owner = await newLogin("");
    const { pool } = await newDatabase(owner);
    const { rows } = await superuser.query<{ oid: string }>("select oid::text from pg_roles where rolname = $1", [
      owner.name,
    ]);
    const role = `rowmill_tenant_${rows[0]?.oid}`;
    await superuser.query(`create role ${role} nologin bypassrls; grant ${role} to ${owner.name}`);
    await expect(prepareTenantRole(pool, "if_possible", silent)).rejects.toThrow("is not bound by row-level security");
    await superuser.query(`alter role ${role} nobypassrls`);
    expect(await prepareTenantRole(pool, "if_possible", silent)).toBe(role);
  });
});

describe("tables that another role owns", () => {
  test("would look empty: the start is refused", async () => {
    const owner = await newLogin("");
    const { url } = await newDatabase(owner);
    const user = await newLogin("");
    const pool = openPool(user.as(url));
    await expect(prepareTenantRole(pool, "if_possible", silent)).rejects.toThrow("belong to another role");
  });

  test("are ours if we are a member of it", async () => {
    const owner = await newLogin("");
    const { url } = await newDatabase(owner);
    const user = await newLogin(`createrole in role ${owner.name}`);
    expect(await prepareTenantRole(openPool(user.as(url)), "required", silent)).toMatch(/^rowmill_tenant_\d+$/);
  });
});
