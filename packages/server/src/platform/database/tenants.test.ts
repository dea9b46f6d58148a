/** What binds a statement to an organization ends with it, whatever happens to either or to the connection. */
import { once } from "node:events";
import { connect } from "node:net";
import { Client } from "pg";
import { pino } from "pino";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { parseId } from "../ids.ts";
import { openDatabase, pgCode, statementsOf } from "./database.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { prepareRoles } from "./roles.ts";
import { queueTables } from "../queue/queue-tables.ts";
import { createTenants } from "./tenants.ts";
import type { Tenants } from "./tenants.ts";

const DIVISION_BY_ZERO = "22012";

/** The least the setting allows: soon every connection has been used. */
const FEW_CONNECTIONS = 5;

let service: TestService;
let organizations: TestOrganization[];
let ids: string[];
/** Of one connection: each statement is the next user of the one before. */
let database: Database;
let role: string;
let tenants: Tenants;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_DATABASE_CONNECTIONS: String(FEW_CONNECTIONS) });
  organizations = [await service.newOrganization(), await service.newOrganization()];
  ids = organizations.map(({ organizationId }) => parseId("organization", organizationId) ?? "");
  database = openTestDatabase(1);
  role = (await prepareRoles(database.pool, queueTables, "required", pino({ level: "silent" }))).tenant ?? "";
  tenants = createTenants(database, role);
});

function openTestDatabase(max: number): Database {
  const opened = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max, onError: () => {} });
  cleanUpLater(() => opened.close());
  return opened;
}

const [first, second] = [() => ids[0] ?? "", () => ids[1] ?? ""];

interface Standing {
  role: string;
  organization: string;
  pid: number;
}
const whoAmI = sql<Standing>`
  select current_user::text as role, coalesce(current_setting('app.organization_id', true), '') as organization,
    pg_backend_pid() as pid`;
const standing = async (db = database.db): Promise<Standing | undefined> => (await whoAmI.execute(db)).rows[0];

/** The connection's next user is nobody's tenant, and sees all. */
async function expectUnbound(pid?: number): Promise<void> {
  const now = await standing();
  expect(now).toMatchObject({ organization: "", ...(pid === undefined ? {} : { pid }) });
  expect(now?.role).not.toBe(role);
  expect((await database.db.selectFrom("organizations").select("id").execute()).length).toBe(2);
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => "no error",
    (error: unknown) => pgCode(error) ?? String(error),
  );
}

describe("the connection's next user is not bound", () => {
  test("after a statement", async () => {
    const bound = await standing(tenants(first()).db);
    expect(bound).toMatchObject({ role, organization: first() });
    await expectUnbound(bound?.pid);
  });

  test("after a transaction that commits, and one that is rolled back", async () => {
    const inside = await tenants(first()).transaction(async (tx) => standing(tx));
    expect(inside).toMatchObject({ role, organization: first() });
    await expectUnbound(inside?.pid);
    const failed = tenants(first()).transaction(async (tx) => {
      await standing(tx);
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    await expectUnbound(inside?.pid);
  });

  test("after statements that fail: when they are read, run, or committed", async () => {
    const { db, transaction } = tenants(first());
    expect(await codeOf(sql`select * from no_such_table`.execute(db))).toBe("42P01");
    await expectUnbound();
    expect(await codeOf(sql`select 1 / (n - 3) from generate_series(1, 5) n`.execute(db))).toBe(DIVISION_BY_ZERO);
    await expectUnbound();
    expect(await codeOf(sql`select ${"x"}::int`.execute(db))).toBe("22P02");
    await expectUnbound();
    expect(await codeOf(transaction((tx) => sql`select 1 / 0`.execute(tx)))).toBe(DIVISION_BY_ZERO);
    await expectUnbound();
  });

  test("after its backend was killed, with a statement or a transaction under way", async () => {
    const { db, transaction } = tenants(first());
    const killed = [() => whoSleeps(db), () => transaction((tx) => whoSleeps(tx))];
    for (const work of killed) {
      const code = codeOf(work());
      await waitFor(
        async () => {
          const [ended] = await service.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
          );
          return ended !== undefined;
        },
        { what: "the backend is killed" },
      );
      // What PostgreSQL says, or, if the connection was gone first, what `pg` does.
      expect(await code).toMatch(/57P01|Connection terminated/);
      await expectUnbound();
    }
  });
  const whoSleeps = (db: Database["db"]) => sql`select pg_sleep(60)`.execute(db);

  test("after a statement whose binding fails: that statement is not run", async () => {
    const astray = createTenants(database, "rowmill_no_such_role")(first());
    await expect(sql`create table left_behind ()`.execute(astray.db)).rejects.toThrow("rowmill_no_such_role");
    const inTransaction = astray.transaction((tx) => sql`create table left_behind ()`.execute(tx));
    await expect(inTransaction).rejects.toThrow("rowmill_no_such_role");
    expect(await service.query("select 1 from pg_class where relname = 'left_behind'")).toEqual([]);
    await expectUnbound();
  });

  test("when many take turns on few connections", async () => {
    const shared = openTestDatabase(3);
    const both = createTenants(shared, role);
    const keysSeen = async (db: Database["db"]): Promise<string[]> => {
      const rows = await db.selectFrom("apiKeys").select("organizationId").execute();
      return [...new Set(rows.map((row) => row.organizationId))].toSorted();
    };
    await Promise.all(
      Array.from({ length: 300 }, async (_, round) => {
        const id = round % 2 === 0 ? first() : second();
        const kinds = [
          () => keysSeen(shared.db),
          () => codeOf(sql`select 1 / 0`.execute(both(id).db)),
          () => both(id).transaction((tx) => keysSeen(tx)),
          () => keysSeen(both(id).db),
          () => keysSeen(both(id).db),
        ];
        const seen = await kinds[round % 5]?.();
        expect(seen).toEqual([ids.toSorted(), DIVISION_BY_ZERO, [id], [id], [id]][round % 5]);
      }),
    );
  });

  test("after requests that their clients aborted", async () => {
    const blocker = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("lock table datasets, job_specs");
    const { hostname, port } = new URL(service.url);
    const sockets = await Promise.all(
      ["GET /v1/datasets", "GET /v1/job-specs", "DELETE /v1/job-specs/spec_01jd3v8m7qe6t9yb4c2xk5w0hz"].map(
        async (line) => {
          const socket = connect(Number(port), hostname);
          await once(socket, "connect");
          socket.write(
            `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${organizations[0]?.apiKey}\r\nConnection: close\r\n\r\n`,
          );
          return socket;
        },
      ),
    );
    await waitFor(
      async () => {
        const waiting = await service.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length === sockets.length;
      },
      { what: "the requests wait" },
    );
    for (const socket of sockets) socket.destroy();
    await blocker.query("commit");
    await blocker.end();
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(
        Array.from({ length: FEW_CONNECTIONS }, () => service.api("GET", "/v1/organizations")),
      );
      for (const { body } of responses) expect(body.data.length).toBe(2);
    }
  });
});

describe("a bound statement", () => {
  test("behaves as an unbound one: rows, counts, types, no rows, many of them", async () => {
    const { db } = tenants(first());
    expect(
      (await sql`select 1::bigint as n, null as none, '{"a": 1}'::jsonb as j where false`.execute(db)).rows,
    ).toEqual([]);
    const [row] = (await sql`select 1::bigint as n, null as none, ${"é"} as t, '{"aB": 1}'::jsonb as j`.execute(db))
      .rows;
    expect(row).toEqual({ n: 1, none: null, t: "é", j: { aB: 1 } });
    expect((await sql`select n from generate_series(1, 5000) n`.execute(db)).rows.length).toBe(5000);
    const renamed = await db.updateTable("apiKeys").set({ name: "Renamed" }).executeTakeFirst();
    expect(renamed.numUpdatedRows).toBe(1n);
    const named = await statementsOf(db).query<{ organization_id: string }>({
      name: "keys",
      text: "select organization_id from api_keys where name = $1",
      values: ["Renamed"],
    });
    expect(named).toEqual({ rows: [{ organization_id: first() }], rowCount: null });
  });

  test("that is prepared is described once, and finds its columns again on each connection", async () => {
    const statement = (value: string) => ({
      name: "twice",
      text: "select $1::text as a_b, now() as at",
      values: [value],
    });
    const { statements } = tenants(first());
    for (const value of ["one", "two"]) {
      const { rows } = await statements.query<{ a_b: string; at: Date }>(statement(value));
      expect([rows.length, rows[0]?.a_b, rows[0]?.at instanceof Date]).toEqual([1, value, true]);
    }
    const other = openTestDatabase(1);
    expect((await createTenants(other, role)(first()).statements.query(statement("three"))).rows).toMatchObject([
      { a_b: "three" },
    ]);
    await expect(statements.query({ ...statement("x"), text: "select 1" })).rejects.toThrow(
      "two statements have the name",
    );
    await expectUnbound();
  });

  test.each([
    ["a transaction", "alone"],
    ["alone", "a transaction"],
  ])("that is prepared names its columns for %s, and then for %s on the same connection", async (...ways) => {
    const findKeys = prepared(`find_keys_${ways.join()}`, ["organizationId"], (builder, at) =>
      builder
        .selectFrom("apiKeys")
        .select(["organizationId", "revokedAt"])
        .where("organizationId", "=", at.organizationId),
    );
    const { statements, transaction } = tenants(first());
    const values = { organizationId: first() };
    for (const way of [...ways, ...ways]) {
      const rows = await (way === "alone" ? findKeys(statements, values) : transaction((tx) => findKeys(tx, values)));
      expect(rows).toEqual([{ organizationId: first(), revokedAt: null }]);
    }
  });

  test("fails alone where a value cannot be written, or a column cannot be read", async () => {
    const { statements } = tenants(first());
    const unwritable = {
      toPostgres: () => {
        throw new Error("this has no text");
      },
    };
    const text = "select $1::text as t";
    await expect(statements.query({ name: "write", text, values: [unwritable] })).rejects.toThrow("this has no text");
    expect((await statements.query({ name: "write", text, values: ["now"] })).rows).toEqual([{ t: "now" }]);
    await expect(
      statements.query({ name: "read", text: "select 9007199254740993::bigint as n", values: [] }),
    ).rejects.toThrow("does not fit a number");
    await expectUnbound();
  });

  test("stands alone: a transaction is to be asked for where transactions are bound", async () => {
    await expect(
      tenants(first())
        .db.transaction()
        .execute(async () => {}),
    ).rejects.toThrow("transaction");
    await expectUnbound();
  });

  test("takes no connection while it is not under way", async () => {
    const { db } = tenants(first());
    await standing(db);
    expect([database.pool.idleCount, database.pool.totalCount]).toEqual([1, 1]);
  });
});

test("reads at one moment's state take a transaction that may be isolated further", async () => {
  const level = await tenants(first()).transaction(
    async (tx) =>
      (await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(tx)).rows,
    "repeatable read",
  );
  expect(level).toEqual([{ level: "repeatable read" }]);
});
