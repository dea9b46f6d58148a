/** The roles of the service: made where that is allowed, by several at once, and asked for in words where it is not. */
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { Pool } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { openQueue } from "../queue/queue.ts";
import { openDatabase } from "./database.ts";
import { migrateDatabase } from "./migrate.ts";
import { roleNames } from "./role-rights.ts";
import { prepareRoles } from "./roles.ts";
import { queueTables } from "../queue/queue-tables.ts";

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
  loginsToDrop.push(...roleNames.map((role) => `rowmill_${role}_${rows[0]?.oid}`), name);
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

test("an owner that may create roles has its own, for all its databases, however many start at once", async () => {
  const owner = await newLogin("createrole");
  const databases = [await newDatabase(owner), await newDatabase(owner)];
  const prepared = await Promise.all(
    [...databases, ...databases, ...databases].map(({ pool }) => prepareRoles(pool, queueTables, "required", silent)),
  );
  const names = prepared[0];
  expect(names).toEqual(
    Object.fromEntries(roleNames.map((name) => [name, expect.stringMatching(new RegExp(`^rowmill_${name}_\\d+$`))])),
  );
  for (const others of prepared) expect(others).toEqual(names);
  const { rows } = await superuser.query(
    "select distinct rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolinherit from pg_roles where rolname = any($1)",
    [Object.values(names ?? {})],
  );
  expect(rows).toEqual([
    { rolcanlogin: false, rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolinherit: true },
  ]);
});

test("each role is bound on every table with row-level security, and the service's sees all by a policy of its own", async () => {
  const { pool } = await newDatabase(await newLogin("createrole"));
  const names = await prepareRoles(pool, queueTables, "required", silent);
  const client = await pool.connect();
  for (const role of Object.values(names)) {
    await client.query(`set role ${role}`);
    const { rows } = await client.query<{ active: boolean; tables: number }>(
      "select row_security_active(oid) as active, count(*)::int as tables from pg_class where relrowsecurity group by 1",
    );
    expect([role, rows.map(({ active }) => active)]).toEqual([role, [true]]);
    await client.query("reset role");
  }
  client.release();
  const policies = async () =>
    (
      await pool.query<{ tables: number; all: number }>(`
        select count(distinct c.oid)::int as tables, count(p.oid) filter (where polname = 'all_for_${names.service}')::int as "all"
        from pg_class c left join pg_policy p on p.polrelid = c.oid where c.relrowsecurity`)
    ).rows[0];
  const first = await policies();
  expect(first?.all).toBe(first?.tables);
  // A second start changes nothing.
  await prepareRoles(pool, queueTables, "required", silent);
  expect(await policies()).toEqual(first);
});

describe("an owner that may not create roles", () => {
  const CREATE = /create role "rowmill_(?:tenant|task|service)_\d+" nologin; grant "rowmill_\w+_\d+" to "owner_\w+";/g;

  test("gets one warning with the cure, and goes on without; or does not start, if it is to be required", async () => {
    const owner = await newLogin("");
    const { pool } = await newDatabase(owner);
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    expect(await prepareRoles(pool, queueTables, "if_possible", log)).toEqual({});
    expect(lines.length).toBe(1);
    const { msg } = JSON.parse(lines[0] ?? "") as { msg: string }; // as pino writes it
    const advice = msg.match(CREATE) ?? [];
    expect(advice.length).toBe(roleNames.length);
    expect(msg).toMatch(/^requests and tasks run without row-level security/);
    await expect(prepareRoles(pool, queueTables, "required", log)).rejects.toThrow(advice.join(" "));

    // As the warning says, first for requests, as installations of before have done.
    await superuser.query(advice[0] ?? "");
    expect(Object.keys(await prepareRoles(pool, queueTables, "if_possible", log))).toEqual(["tenant"]);
    expect(lines.length).toBe(2);
    expect(lines[1]).toContain("tasks run without row-level security: ");
    await superuser.query(advice.slice(1).join(""));
    expect(Object.keys(await prepareRoles(pool, queueTables, "required", log))).toEqual([...roleNames]);
    expect(lines.length).toBe(2);
  });

  test.each(roleNames)("is not given a role (%s) that row-level security does not hold for", async (name) => {
    const owner = await newLogin("");
    const { pool } = await newDatabase(owner);
    const { rows } = await superuser.query<{ oid: string }>("select oid::text from pg_roles where rolname = $1", [
      owner.name,
    ]);
    const role = `rowmill_${name}_${rows[0]?.oid}`;
    await superuser.query(`create role ${role} nologin bypassrls; grant ${role} to ${owner.name}`);
    await expect(prepareRoles(pool, queueTables, "if_possible", silent)).rejects.toThrow(
      "is not bound by row-level security",
    );
    await superuser.query(`alter role ${role} nobypassrls`);
    expect(await prepareRoles(pool, queueTables, "if_possible", silent)).toEqual({ [name]: role });
  });
});

describe("tables that another role owns", () => {
  test("would look empty: the start is refused", async () => {
    const owner = await newLogin("");
    const { url } = await newDatabase(owner);
    const user = await newLogin("");
    const pool = openPool(user.as(url));
    await expect(prepareRoles(pool, queueTables, "if_possible", silent)).rejects.toThrow("belong to another role");
  });

  test("are ours if we are a member of it", async () => {
    const owner = await newLogin("");
    const { url } = await newDatabase(owner);
    const user = await newLogin(`createrole in role ${owner.name}`);
    expect(Object.keys(await prepareRoles(openPool(user.as(url)), queueTables, "required", silent))).toEqual([
      ...roleNames,
    ]);
  });
});
