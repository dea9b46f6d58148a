/** What a transaction sends together, and that nothing of it is committed where a part has failed. */
import type pg from "pg";
import { pino } from "pino";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { countRoundTrips } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { parseId } from "../ids.ts";
import { queueTables } from "../queue/queue-tables.ts";
import { openDatabase, pgCode, sendLater, statementsOf } from "./database.ts";
import type { OrganizationDatabase, Transaction } from "./database.ts";
import { prepared } from "./prepared.ts";
import { prepareRoles } from "./roles.ts";
import { createTenants } from "./tenants.ts";

const DIVISION_BY_ZERO = "22012";
const UNIQUE_VIOLATION = "23505";
/** More than others of this process may begin timers meanwhile. */
const STATEMENTS = 100;

let service: TestService;
/** Of one connection: what a transaction leaves behind meets the next one. */
let tenant: OrganizationDatabase;
let owner: pg.Pool;
let role: string;
let organization: string;
let roundTrips: { count: number };

beforeAll(async () => {
  service = await startTestService();
  const { organizationId } = await service.newOrganization();
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  owner = database.pool;
  role = (await prepareRoles(owner, queueTables, "required", pino({ level: "silent" }))).tenant ?? "";
  await owner.query("create table notes (id int primary key, text text not null)");
  await owner.query(`grant all on notes to ${role}`);
  organization = parseId("organization", organizationId) ?? "";
  tenant = createTenants(database, role)(organization);
  roundTrips = await countRoundTrips(owner);
});

beforeEach(async () => {
  await owner.query("truncate notes");
  roundTrips.count = 0;
});

const insertNote = (id: number, text: string | null = "x") => ({
  name: "insert_note",
  text: "insert into notes (id, text) values ($1, $2)",
  values: [id, text],
});
const noteIds = async (): Promise<number[]> =>
  (await owner.query<{ id: number }>("select id from notes order by id")).rows.map(({ id }) => id);
const idsIn = async (tx: Transaction): Promise<number[]> =>
  (await sql<{ id: number }>`select id from notes order by id`.execute(tx)).rows.map(({ id }) => id);
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => "no error",
    (error: unknown) => pgCode(error) ?? String(error),
  );

test("begins with the first statement, and commits with what was sent later: two round trips", async () => {
  const seen = await tenant.transaction(async (tx) => {
    const before = await idsIn(tx);
    await sendLater(tx, insertNote(1));
    await sendLater(tx, insertNote(2));
    return before;
  });
  expect([seen, roundTrips.count]).toEqual([[], 2]);
  expect(await noteIds()).toEqual([1, 2]);
});

test("with nothing but statements that are sent later, is one round trip; without a statement, none", async () => {
  await tenant.transaction((tx) => sendLater(tx, insertNote(1)));
  expect(roundTrips.count).toBe(1);
  expect(await tenant.transaction(async () => "nothing asked")).toBe("nothing asked");
  expect(roundTrips.count).toBe(1);
  expect(await noteIds()).toEqual([1]);
});

test("sends what waits before the next statement, which sees it", async () => {
  const seen = await tenant.transaction(async (tx) => {
    await sendLater(tx, insertNote(7));
    return idsIn(tx);
  });
  expect(seen).toEqual([7]);
});

test("sends what a prepared statement was given for later", async () => {
  const note = prepared("insert_note_later", ["organizationId", "type"], (db, at) =>
    db.insertInto("events").values({ organizationId: at.organizationId, type: at.type } as never),
  );
  // The table needs more: what matters is that the error is that of the commit.
  const work = tenant.transaction(async (tx) => {
    await note.later(tx, { organizationId: "00000000-0000-7000-8000-000000000000", type: "run.created" });
    return "done";
  });
  expect(await codeOf(work)).toMatch(/^(23502|42501)$/);
  expect(roundTrips.count).toBe(2);
});

test("commits nothing where a statement that was sent later fails, and its connection goes on", async () => {
  const work = tenant.transaction(async (tx) => {
    await sql`insert into notes values (1, 'first')`.execute(tx);
    await sendLater(tx, insertNote(2));
    await sendLater(tx, insertNote(2));
    await sendLater(tx, insertNote(3));
    return "done";
  });
  expect(await codeOf(work)).toBe(UNIQUE_VIOLATION);
  expect(await noteIds()).toEqual([]);
  await tenant.transaction((tx) => sendLater(tx, insertNote(4)));
  expect(await noteIds()).toEqual([4]);
});

test("fails the statement that comes behind one that was sent later and failed", async () => {
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, insertNote(1, null));
    await idsIn(tx);
  });
  expect(await codeOf(work)).toBe("23502");
  expect(await noteIds()).toEqual([]);
});

test("commits nothing where a value cannot be written", async () => {
  const unwritable = {
    toPostgres: () => {
      throw new Error("this has no text");
    },
  };
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, insertNote(1));
    await sendLater(tx, { ...insertNote(2), values: [2, unwritable] });
  });
  await expect(work).rejects.toThrow("this has no text");
  expect(await noteIds()).toEqual([]);
});

test("sends nothing of what waits where it is rolled back", async () => {
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, insertNote(1));
    throw new Error("changed my mind");
  });
  await expect(work).rejects.toThrow("changed my mind");
  expect(roundTrips.count).toBe(0);
  expect(await noteIds()).toEqual([]);
});

test("knows which names PostgreSQL has skipped: they are prepared when they come again", async () => {
  const named = (value: string) => ({ name: "skipped", text: "select $1::text as value", values: [value] });
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, { name: "divide", text: "select 1 / 0", values: [] });
    await statementsOf(tx).query(named("never"));
  });
  expect(await codeOf(work)).toBe(DIVISION_BY_ZERO);
  const found = await tenant.transaction(async (tx) => (await statementsOf(tx).query(named("now"))).rows);
  expect(found).toEqual([{ value: "now" }]);
});

test("forgets a name that was sent with a value that cannot be written, behind a statement that failed", async () => {
  const named = (value: unknown) => ({ name: "unsent", text: "select $1::text as value", values: [value] });
  const unwritable = {
    toPostgres: () => {
      throw new Error("this has no text");
    },
  };
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, { name: "divide", text: "select 1 / 0", values: [] });
    await statementsOf(tx).query(named(unwritable));
  });
  expect(await codeOf(work)).toBe(DIVISION_BY_ZERO);
  const found = await tenant.transaction(async (tx) => (await statementsOf(tx).query(named("now"))).rows);
  expect(found).toEqual([{ value: "now" }]);
});

test("keeps its connection after a commit that a statement made fail", async () => {
  const pidOf = async (): Promise<unknown> => (await owner.query("select pg_backend_pid() as pid")).rows;
  const before = await pidOf();
  const work = tenant.transaction((tx) => sendLater(tx, { name: "divide", text: "select 1 / 0", values: [] }));
  expect(await codeOf(work)).toBe(DIVISION_BY_ZERO);
  expect(await pidOf()).toEqual(before);
});

test("knows no count where PostgreSQL has none", async () => {
  const locked = await tenant.transaction((tx) => sql`lock table notes in share mode`.execute(tx));
  expect(locked).toEqual({ rows: [] });
});

test("leaves no timer behind where the connection string limits the time of a query", async () => {
  const url = new URL(service.settings["ROWMILL_DATABASE_URL"] ?? "");
  url.searchParams.set("query_timeout", "600000");
  const database = openDatabase(url.href, { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const statements = createTenants(database, role)(organization).statements;
  const ask = () => statements.query({ name: "one", text: "select 1 as one", values: [] });
  await ask();
  const before = timers();
  for (let i = 0; i < STATEMENTS; i++) await ask();
  // Others in this process have timers, too.
  expect(timers() - before).toBeLessThan(STATEMENTS / 2);
});

test("is rolled back where its work has swallowed the error of a statement", async () => {
  const work = tenant.transaction(async (tx) => {
    await sendLater(tx, insertNote(1));
    expect(await codeOf(sql`select 1 / 0`.execute(tx))).toBe(DIVISION_BY_ZERO);
    return "done";
  });
  await expect(work).rejects.toThrow("a statement in it had failed");
  expect(await noteIds()).toEqual([]);
});
