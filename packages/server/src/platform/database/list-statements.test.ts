import { beforeAll, expect, test } from "vitest";
import { pino } from "pino";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { parseId } from "../ids.ts";
import { queueTables } from "../queue/queue-tables.ts";
import { executeList, openDatabase, sql } from "./database.ts";
import type { Database, Queryable } from "./database.ts";
import { ListStatements, MOST_PREPARED } from "./list-statements.ts";
import { prepareRoles } from "./roles.ts";
import { createTenants } from "./tenants.ts";
import type { Tenants } from "./tenants.ts";

let service: TestService;
let organizations: TestOrganization[];
/** Of one connection. */
let database: Database;
let tenants: Tenants;
beforeAll(async () => {
  service = await startTestService();
  organizations = [await service.newOrganization(), await service.newOrganization()];
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  const roles = await prepareRoles(database.pool, queueTables, "required", pino({ level: "silent" }));
  tenants = createTenants(database, roles.tenant ?? "", { lists: true });
});

const idOf = (n: number): string => parseId("organization", organizations[n]?.organizationId ?? "") ?? "";
const names = (db: Queryable, like: string): Promise<{ id: string; name: string }[]> =>
  executeList(db, sql<{ id: string; name: string }>`select t.* from organizations t where name like ${like}`);
const preparedOf = async (): Promise<{ statement: string; generic: number; custom: number }[]> =>
  (
    await sql<{ statement: string; generic: number; custom: number }>`
      select statement, generic_plans::int as generic, custom_plans::int as custom
      from pg_prepared_statements where name like 'list\\_%'`.execute(database.db)
  ).rows;

test("the statement that was used last stays the longest", () => {
  const lists = new ListStatements();
  const first = lists.nameOf("text 0").name;
  for (let n = 1; n < MOST_PREPARED; n++) expect(lists.nameOf(`text ${n}`).closing).toBe(undefined);
  expect(lists.nameOf("text 0")).toEqual({ name: first, closing: undefined });
  const second = lists.nameOf("one more").closing;
  const again = lists.nameOf("text 1");
  expect(again.name).toBe(second);
  expect([first, second]).not.toContain(again.closing);
});

test("a list is planned once, whatever it asks for and of which organization", async () => {
  for (const [n, like] of [
    [0, "%"],
    [1, "%"],
    [0, "no such name"],
  ] as const) {
    const found = await names(tenants(idOf(n)).db, like);
    expect(found.map(({ id }) => id)).toEqual(like === "%" ? [idOf(n)] : []);
  }
  expect(await preparedOf()).toMatchObject([{ generic: 3, custom: 0 }]);
});

test("within a transaction it is planned as everything else", async () => {
  const before = await preparedOf();
  await tenants(idOf(0)).transaction((tx) => names(tx, "Other %"));
  expect(await preparedOf()).toEqual(before);
});

test("a connection has so many at most, and the others are prepared again", async () => {
  const { db } = tenants(idOf(0));
  const ask = (n: number) => executeList(db, sql<{ n: number }>`select ${sql.lit(n)} + ${1}::int as n`);
  for (let n = 0; n < MOST_PREPARED + 2; n++) expect(await ask(n)).toEqual([{ n: n + 1 }]);
  expect(await ask(0)).toEqual([{ n: 1 }]);
  const prepared = await preparedOf();
  expect(prepared.length).toBe(MOST_PREPARED);
  expect(prepared.some(({ statement }) => statement.startsWith("select 0 +"))).toBe(true);
  expect(prepared.some(({ statement }) => statement.startsWith("select 2 +"))).toBe(false);
});

test("a column that a newer version adds meanwhile is no error", async () => {
  const { db } = tenants(idOf(0));
  expect((await names(db, "Test%")).length).toBe(1);
  await service.query("alter table organizations add column from_the_future int not null default 7");
  expect(await names(db, "Test%")).toMatchObject([{ fromTheFuture: 7 }]);
  await service.query("alter table organizations drop column from_the_future");
  expect((await names(db, "Test%")).length).toBe(1);
});
