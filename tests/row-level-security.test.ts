/**
 * The second line of tenant isolation, in the database: statements that forgot their `where`, run through the same object
 * that requests of an organization get; and proof that such requests do get it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase, sql } from "@rowmill/server/platform/database/database";
import type { Database, OrganizationDatabase } from "@rowmill/server/platform/database/database";
import { prepareRoles } from "@rowmill/server/platform/database/roles";
import { queueTables } from "@rowmill/server/platform/queue/queue-tables";
import { createTenants } from "@rowmill/server/platform/database/tenants";
import { parseId } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { Surprises, expectNone } from "./support/collect.ts";
import { entries, readingPathOf } from "./support/operations.ts";
import type { Ids } from "./support/operations.ts";
import { newWorld } from "./support/new-world.ts";
import {
  NEVER_INSERTED,
  OUT_OF_REACH,
  WITHOUT_OWNER,
  countOf,
  fillRareTables,
  ownersOf,
  readTenantTables,
  undoneIn,
} from "./support/tenant-tables.ts";
import type { Table } from "./support/tenant-tables.ts";

const INSUFFICIENT_PRIVILEGE = "42501";
const NOT_NULL_VIOLATION = "23502";
const UNIQUE_VIOLATION = "23505";

let service: TestService;
let database: Database;
let role: string;
let ours: TestOrganization;
let theirs: TestOrganization;
let ids: Ids;
let us: string;
let them: string;
/** As requests of our key get it. */
let bound: OrganizationDatabase;
let tables: Table[];

beforeAll(async () => {
  const receiver = await startReceiver();
  service = await startTestService(receiverSettings(receiver));
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => {} });
  role = (await prepareRoles(database.pool, queueTables, "required", createLog("silent"))).tenant ?? "";
  // Says of each change under which role it was made.
  await service.query("alter table audit_events add column made_by text not null default current_user");
  [ours, theirs] = [await service.newOrganization(), await service.newOrganization()];
  [ids] = await Promise.all([newWorld(ours, receiver), newWorld(theirs, receiver)]);
  us = parseId("organization", ours.organizationId) ?? "";
  them = parseId("organization", theirs.organizationId) ?? "";
  await fillRareTables(service);
  bound = createTenants(database, role)(us);
  tables = await readTenantTables(service);
});
afterAll(() => database.close());

const reachable = (): Table[] => tables.filter(({ name }) => !OUT_OF_REACH.includes(name));
/** Whose the rows are, as their owner sees them. */
const ownersIn = async ({ name, owner }: Table): Promise<string[]> =>
  (await service.query<{ owner: string }>(`select ${owner}::text as owner from ${name}`)).map((row) => row.owner);

const tryOut = <Row>(statement: string): Promise<Row[] | string> => undoneIn<Row>(bound, statement);

describe("every table", () => {
  test("of tenants has row-level security and the one policy for it", async () => {
    const unguarded = await service.query(
      // Beside it stands the one by which the service's own statements see all.
      `select c.relname from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname not like 'all\\_for\\_%'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all($1)
       group by c.oid having not c.relrowsecurity or count(p.oid) <> 1
         or bool_or(p.polcmd <> '*' or not p.polpermissive or p.polqual is null or p.polwithcheck is null)`,
      [WITHOUT_OWNER],
    );
    expect(unguarded).toEqual([]);
  });

  test("is the only kind of thing that can be read: a view would read as its owner", async () => {
    expect(
      await service.query(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'f')",
      ),
    ).toEqual([]);
  });

  test("takes no job for another organization, and shows none of its jobs", async () => {
    const jobs = await service.query<{ name: string }>(
      "select relid::regclass::text as name from pg_partition_tree('pgboss.job') where isleaf union select 'pgboss.job'",
    );
    expect(jobs.length).toBeGreaterThan(1);
    const surprises = new Surprises();
    for (const { name } of jobs)
      for (const [whose, expected] of [
        [{ organizationId: them }, INSUFFICIENT_PRIVILEGE],
        [{}, INSUFFICIENT_PRIVILEGE],
      ] as const) {
        const rows = await tryOut(`insert into ${name} (name, data) values ('mail', '${JSON.stringify(whose)}')`);
        if (rows !== expected) surprises.add(name, rows);
      }
    const own = `insert into pgboss.job (name, data) values ('mail', '${JSON.stringify({ organizationId: us })}') returning id`;
    expect(await tryOut(own)).toHaveLength(1);
    await service.query(
      `insert into pgboss.job (name, data, start_after) values ('mail', '${JSON.stringify({ organizationId: them })}', now() + interval '1 day')`,
    );
    const seen = await tryOut<{ id: string }>("select id from pgboss.job");
    const mine = await service.query<{ id: string }>(
      `select id from pgboss.job where data ->> 'organizationId' = '${us}'`,
    );
    const ofMine = new Set(mine.map(({ id }) => id));
    if (typeof seen === "string" || seen.some(({ id }) => !ofMine.has(id))) surprises.add("pgboss.job", seen);
    expectNone(surprises);
  });

  test("of the installation, and of jobs that wait, is out of reach", async () => {
    const surprises = new Surprises();
    for (const name of [...WITHOUT_OWNER, ...OUT_OF_REACH, "pgboss.job", "pgboss.schedule"]) {
      const rows = await tryOut(`select * from ${name}`);
      if (rows !== INSUFFICIENT_PRIVILEGE) surprises.add(name, rows);
    }
    expectNone(surprises);
  });

  test("holds rows of both organizations, or the tests below would prove nothing", async () => {
    for (const table of reachable()) {
      const owners = await ownersIn(table);
      expect([table.name, countOf(owners, us) > 0, countOf(owners, them) > 0]).toEqual([table.name, true, true]);
    }
  });
});

describe("a statement that forgot its `where`", () => {
  test("reads our rows, all of them, and no others; in a transaction and outside", async () => {
    for (const table of reachable()) {
      const count = countOf(await ownersIn(table), us);
      const statement = `select ${table.owner}::text as owner from ${table.name}`;
      const outside = (await sql.raw<{ owner: string }>(statement).execute(bound.db)).rows;
      const inside = await tryOut<{ owner: string }>(statement);
      for (const rows of [outside, inside])
        expect([table.name, rows]).toEqual([table.name, Array.from({ length: count }, () => ({ owner: us }))]);
    }
  });

  test("reads keys of the cache, and not the outputs", async () => {
    expect((await tryOut("select key, expires_at from row_cache")).length).toBeGreaterThan(0);
    expect(await tryOut("select output from row_cache")).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryOut("select created_at from row_cache")).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("counts and joins only our rows", async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from runs r join run_failures s on s.run_id = r.id where r.organization_id <> ${us}`.execute(
      bound.db,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test("updates only our rows, where it may update at all", async () => {
    const refused: string[] = [];
    const touched = new Map<string, string>();
    for (const table of reachable()) {
      const column = table.name === "organizations" ? "updated_at" : table.owner;
      const rows = await tryOut<{ owner: string }>(
        `update ${table.name} set ${column} = ${column} returning ${table.owner}::text as owner`,
      );
      if (rows === INSUFFICIENT_PRIVILEGE) refused.push(table.name);
      else touched.set(table.name, ownersOf(rows));
    }
    expect([...touched].filter(([, owners]) => owners !== us)).toEqual([]);
    expect(refused).toEqual([
      "alert_candidates",
      "audit_events",
      "dataset_chunks",
      "dataset_counts",
      "event_logs",
      "events",
      "job_spec_versions",
      "limiters",
      "list_labels",
      "row_cache",
      "run_budgets",
      "run_failures",
      "run_segments",
      "sessions",
      "usage_days",
    ]);
  });

  test("deletes only our rows, and from the five tables that requests delete from", async () => {
    const touched = new Map<string, string>();
    for (const table of reachable()) {
      const rows = await tryOut<{ owner: string }>(`delete from ${table.name} returning ${table.owner}::text as owner`);
      if (rows !== INSUFFICIENT_PRIVILEGE) touched.set(table.name, ownersOf(rows));
    }
    // Labels follow what they are of, by triggers; what was learned of a secret goes with it.
    expect([...touched]).toEqual([
      ["alert_candidates", us],
      ["bulk_action_targets", us],
      ["limiters", us],
      ["list_labels", us],
      ["sessions", us],
    ]);
  });
});

describe("a row of another organization", () => {
  test("cannot be inserted", async () => {
    for (const { name, owner } of reachable()) {
      const insert = (id: string) => tryOut(`insert into ${name} (${owner}) values ('${id}')`);
      expect([name, await insert(them)]).toEqual([name, INSUFFICIENT_PRIVILEGE]);
      // What our own row lacks are its other columns.
      const isInserted = !NEVER_INSERTED.includes(name);
      // All other columns of this one have defaults, and our row is there already.
      const refusal = name === "storage_usage" ? UNIQUE_VIOLATION : NOT_NULL_VIOLATION;
      expect([name, await insert(us)]).toEqual([name, isInserted ? refusal : INSUFFICIENT_PRIVILEGE]);
    }
  });

  test("cannot be made of ours", async () => {
    expect(await tryOut(`update runs set organization_id = '${them}'`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryOut(`update idempotency_keys set scope_id = '${them}'`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test("cannot be locked: nobody waits for a stranger", async () => {
    expect(await tryOut(`select 1 from organizations where id = '${them}' for update`)).toEqual([]);
  });
});

test("an organization's own limits and state are not its to change", async () => {
  expect(await tryOut("update organizations set limits = '{}'")).toBe(INSUFFICIENT_PRIVILEGE);
  expect(await tryOut("update organizations set state = 'active'")).toBe(INSUFFICIENT_PRIVILEGE);
});

test.each(["", "null"])("without an organization (%s) nothing is to be seen", async (setting) => {
  await database.transaction(async (tx) => {
    await sql`select set_config('role', ${role}, true)`.execute(tx);
    if (setting === "") await sql`select set_config('app.organization_id', '', true)`.execute(tx);
    for (const { name } of reachable()) {
      const { rows } = await sql.raw(`select 1 from ${name} limit 1`).execute(tx);
      expect([name, rows]).toEqual([name, []]);
    }
  });
});

describe("through HTTP", () => {
  test("every change that a key of the organization made was made under the role, and no other", async () => {
    // Content goes its own way.
    const upload = await ours.api("POST", "/v1/dataset-uploads", {
      body: { name: "Rows", source: { type: "upload" } },
    });
    const sent = await ours.api("PUT", `/v1/dataset-uploads/${upload.body.id}/content`, { body: '{"n":1}' });
    expect([upload.status, sent.status]).toEqual([201, 200]);
    const made = await service.query<{ type: string; madeBy: string }>(
      `select distinct type, made_by as "madeBy" from audit_events where api_key_id is not null and type <> 'auth.denied'`,
    );
    expect(made.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.created", "run.retried", "dataset_upload.content_received", "alert_rule.tested"]),
    );
    expect(made.filter(({ madeBy }) => madeBy !== role)).toEqual([]);
    const others = await service.query<{ madeBy: string }>(
      `select distinct made_by as "madeBy" from audit_events where api_key_id is null`,
    );
    expect(others.length).toBe(1);
    expect(others[0]?.madeBy).not.toBe(role);
  });

  /** Own rows are hidden, too: what still finds some does not read under the role. */
  async function hide(names: readonly string[], work: () => Promise<void>): Promise<void> {
    // Each for itself: a transaction over all tables could wait for one of the service that waits for it.
    const each = async (statement: (name: string) => string): Promise<void> => {
      for (const name of names) await service.query(statement(name));
    };
    await each((name) => `create policy hidden on ${name} as restrictive to "${role}" using (false)`);
    try {
      await work();
    } finally {
      await each((name) => `drop policy hidden on ${name}`);
    }
  }

  const reads = entries.filter(
    ({ id, o }) => o.method === "GET" && o.access.by.startsWith("organization") && id !== "getMe",
  );

  /** The position is that of an organization without events. */
  const isEmptyStream = (text: string): boolean => /^: [^\n]*\nid: 0\n\n$/.test(text);

  test("every read of an organization reads under the role", async () => {
    const surprises = new Surprises();
    await hide(
      reachable().map(({ name }) => name),
      async () => {
        for (const { id, o } of reads)
          await surprises.collect(id, async () => {
            const { status, text } = await ours.api("GET", readingPathOf(o, ids));
            if (status !== 404 && text !== '{"data":[],"nextCursor":null}' && !isEmptyStream(text))
              surprises.add(id, status, text);
          });
      },
    );
    expectNone(surprises);
    for (const { o } of reads) expect((await ours.api("GET", readingPathOf(o, ids))).status).toBe(200);
  });

  test("so do those that read rows chunk by chunk", async () => {
    const byChunk = [
      "listDatasetRows",
      "getDatasetRow",
      "listRunRows",
      "listOutputs",
      "listFailures",
      "listResolvedResults",
    ];
    await hide(["dataset_chunks", "run_chunks", "run_segments", "run_failures"], async () => {
      for (const { id, o } of reads.filter((entry) => byChunk.includes(entry.id))) {
        const { status, body } = await ours.api("GET", readingPathOf(o, ids));
        expect([id, status === 404 || body.data.length === 0]).toEqual([id, true]);
        const { text } = await ours.api("GET", readingPathOf(o, ids), { headers: { Accept: "application/x-ndjson" } });
        expect([id, text.split("\n").filter((line) => line.includes("datasetRowId"))]).toEqual([id, []]);
      }
      const tested = await ours.api("POST", `/v1/job-specs/${ids["jobSpecId"]}/test`, {
        body: { datasetId: ids["datasetId"] },
      });
      expect(tested.body).toMatchObject({ outputs: [], failures: [] });
      const filtered = await ours.api("POST", "/v1/runs", {
        body: {
          datasetId: ids["datasetId"],
          jobSpecId: ids["jobSpecId"],
          scope: { type: "filter", where: "row.n >= 0.0" },
        },
      });
      expect([filtered.status, filtered.body.error.code]).toEqual([422, "scope_invalid"]);
    });
  });

  test("the admin's requests are not bound", async () => {
    const listed = await service.api("GET", "/v1/organizations");
    expect(listed.body.data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([ours.organizationId, theirs.organizationId]),
    );
  });
});
