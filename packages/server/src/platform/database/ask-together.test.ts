/** Several statements at once: their results, their errors, and how often PostgreSQL is asked. */
import { pino } from "pino";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { countRoundTrips } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";
import { parseId } from "../ids.ts";
import { queueTables } from "../queue/queue-tables.ts";
import { askTogether } from "./ask-together.ts";
import { openDatabase, pgCode, sendLater } from "./database.ts";
import type { Database, OrganizationDatabase } from "./database.ts";
import { prepared } from "./prepared.ts";
import { prepareRoles } from "./roles.ts";
import { createTenants } from "./tenants.ts";

const DIVISION_BY_ZERO = "22012";

let database: Database;
let role: string;
let organization: string;
/** Of one connection. */
let tenant: OrganizationDatabase;
let roundTrips: { count: number };

beforeAll(async () => {
  const service = await startTestService();
  const { organizationId } = await service.newOrganization();
  organization = parseId("organization", organizationId) ?? "";
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  role = (await prepareRoles(database.pool, queueTables, "required", pino({ level: "silent" }))).tenant ?? "";
  tenant = createTenants(database, role)(organization);
  roundTrips = await countRoundTrips(database.pool);
});

beforeEach(() => {
  roundTrips.count = 0;
});

const findOrganization = prepared("find_organization_together", ["id"], (db, at) =>
  db.selectFrom("organizations").select(["id", "createdAt"]).where("id", "=", at.id),
);
const divide = prepared("divide_together", ["by"], (db, at) =>
  db.selectNoFrom(sql<number>`12 / ${at.by}::int`.as("wholeQuotient")),
);
const count = prepared("count_together", ["to"], (db, at) =>
  db.selectNoFrom(sql<number>`generate_series(1, ${at.to}::int)`.as("n")),
);

const asked = () =>
  [findOrganization.asked({ id: organization }), divide.asked({ by: "4" }), count.asked({ to: "3" })] as const;
const found = () => [
  [{ id: organization, createdAt: expect.any(Date) as Date }],
  [{ wholeQuotient: 3 }],
  [{ n: 1 }, { n: 2 }, { n: 3 }],
];

test("of a transaction: the rows of each, in one round trip with what begins it, also when they are asked for again", async () => {
  for (let i = 0; i < 2; i++) expect(await tenant.transaction((tx) => askTogether(tx, asked()))).toEqual(found());
  // With a commit each.
  expect(roundTrips.count).toBe(4);
});

test("behind what was to be sent later, and before what comes", async () => {
  await tenant.transaction(async (tx) => {
    await sendLater(tx, { name: "set_note", text: "select set_config('app.note', 'sent', true)", values: [] });
    const read = prepared("read_note", [], (db) =>
      db.selectNoFrom(sql<string>`current_setting('app.note')`.as("note")),
    );
    expect(await askTogether(tx, [read.asked({}), divide.asked({ by: "3" })])).toEqual([
      [{ note: "sent" }],
      [{ wholeQuotient: 4 }],
    ]);
    expect(await count(tx, { to: "1" })).toEqual([{ n: 1 }]);
  });
  expect(roundTrips.count).toBe(3);
});

test("none: no results, and nothing is sent", async () => {
  expect(await tenant.transaction((tx) => askTogether(tx, []))).toEqual([]);
  expect(await askTogether(tenant.db, [])).toEqual([]);
  expect(roundTrips.count).toBe(0);
});

test("where one fails, its error is that of all, and the transaction is rolled back", async () => {
  const work = tenant.transaction((tx) =>
    askTogether(tx, [
      divide.asked({ by: "6" }),
      divide.asked({ by: "0" }),
      findOrganization.asked({ id: organization }),
    ]),
  );
  expect(await work.then(() => "no error", pgCode)).toBe(DIVISION_BY_ZERO);
  expect(await tenant.transaction((tx) => askTogether(tx, asked()))).toEqual(found());
});

test("where nothing can be sent together, they are asked one after the other", async () => {
  expect(await database.transaction((tx) => askTogether(tx, asked()))).toEqual(found());
  // Begin and commit, too.
  expect(roundTrips.count).toBe(5);
  const unbound = createTenants(database, undefined)(organization);
  expect(await unbound.transaction((tx) => askTogether(tx, asked()))).toEqual(found());
});

test("for single statements, each with its binding", async () => {
  expect(await askTogether(tenant.db, asked())).toEqual(found());
});
