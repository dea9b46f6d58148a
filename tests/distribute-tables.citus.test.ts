/**
 * `rowmill database distribute` on a coordinator and two workers, with rows that were there before (decision 0025). `npm run test:citus`.
 */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Client } from "pg";
import type { Run } from "@rowmill/contract/runs";
import { backUp } from "@rowmill/server/backup/backup";
import { readConfig } from "@rowmill/server/config";
import { createLog } from "@rowmill/server/platform/log";
import { largeTableNames } from "@rowmill/server/platform/database/large-tables";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { addCitus, distribute, newClusterDatabase, runOn, SERVERS } from "@rowmill/server/testing/citus";
import type { ClusterDatabase } from "@rowmill/server/testing/citus";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";

const ROWS = 40;
const FAIL_EVERY = 4;

/** The same for all services of a database. */
const settingsFor = (url: string): Record<string, string> => ({
  ROWMILL_DATABASE_URL: url,
  ROWMILL_ENCRYPTION_KEY,
  ROWMILL_CHUNK_ROWS: "10",
});
const ROWMILL_ENCRYPTION_KEY = randomBytes(32).toString("base64");

/** On all servers. */
async function newRole(right: "superuser" | "createrole"): Promise<string> {
  const name = `${right}_${randomBytes(4).toString("hex")}`;
  for (const server of SERVERS) await runOn(server, `create role ${name} login ${right}`);
  return name;
}

const as = (user: string, url: string): string => Object.assign(new URL(url), { username: user }).href;

async function countRows(url: string): Promise<unknown[]> {
  const counts: unknown[] = [];
  for (const table of largeTableNames) {
    const [count] = await runOn(url, `select count(*)::int as rows from ${table}`);
    counts.push([table, count?.["rows"]]);
  }
  return counts;
}

/** Of the service in this database. */
const readRoles = (url: string): Promise<Record<string, unknown>[]> =>
  runOn(
    url,
    `select rolname as name, rolcanlogin as "canLogIn" from pg_roles
     where rolname ~ ('^rowmill_(service|task|tenant)_' || (select relowner from pg_class where oid = 'run_chunks'::regclass) || '$')
     order by rolname`,
  );

/** All lists of a run. */
async function readLists(api: Api, runs: readonly Run[]): Promise<unknown[]> {
  const lists: unknown[] = [];
  for (const { id, datasetId } of runs)
    for (const path of [
      `/v1/datasets/${datasetId}/rows?limit=1000`,
      ...["rows", "outputs", "failures", "failure-groups", "resolved-results"].map(
        (list) => `/v1/runs/${id}/${list}?limit=1000`,
      ),
    ]) {
      const response = await api<object>("GET", path);
      expectStatus(response, 200);
      lists.push([path, response.body]);
    }
  return lists;
}

/** A run with failures, and a retry of them, by a service that stops then. */
async function fillPlain(url: string, working: () => Promise<void>): Promise<Filled> {
  const service = await startTestService(settingsFor(url));
  const { api, apiKey } = await service.newOrganization();
  const { id: datasetId } = await newDataset(api, numberedRows(ROWS));
  const jobSpec = await newJobSpec(
    api,
    { type: "mock", failEvery: FAIL_EVERY },
    { retry: { maxAttempts: 1 }, dedupe: "exact" },
  );
  const first = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: jobSpec.id })).id);
  const retry = await api<Run>("POST", `/v1/runs/${first.id}/retry`, { body: { selection: { type: "failures" } } });
  expectStatus(retry, 201);
  const runs = [first, await finishedRun(api, retry.body.id)];
  const lists = await readLists(api, runs);
  await working();
  await service.stop();
  return { apiKey, runs, lists, counts: await countRows(url) };
}

interface Filled {
  apiKey: string;
  runs: Run[];
  lists: unknown[];
  counts: unknown[];
}

async function expectSame(url: string, { apiKey, runs, lists, counts }: Filled): Promise<void> {
  expect(await countRows(url)).toEqual(counts);
  const service = await startTestService(settingsFor(url));
  const api: Api = (method, path, request) => service.api(method, path, { key: apiKey, ...request });
  expect(await readLists(api, runs)).toEqual(lists);
  const retry = await api<Run>("POST", `/v1/runs/${runs[0]?.id ?? ""}/retry`, { body: { selection: { type: "all" } } });
  expectStatus(retry, 201);
  expect((await finishedRun(api, retry.body.id)).rows.total).toBe(ROWS);
  await service.stop();
}

describe("a database with rows, as a superuser", () => {
  let cluster: ClusterDatabase;
  let filled: Filled;
  beforeAll(async () => {
    // One of its own, since roles are of a server and not of a database.
    const superuser = await newRole("superuser");
    const created = await newClusterDatabase(superuser);
    cluster = { ...created, url: as(superuser, created.url) };
    await expect(distribute(cluster.url)).rejects.toThrow(/^The database has no Citus: install it on all servers/);
    await addCitus(cluster);
    await expect(distribute(cluster.url)).rejects.toThrow(/^The database has no tables of this version/);
    filled = await fillPlain(cluster.url, () =>
      expect(distribute(cluster.url)).rejects.toThrow(
        /^Others are connected to the database: rowmill \(\d+\), rowmill queue \(\d+\)\. Stop all/,
      ),
    );
  });

  const failsAt =
    (at: number) =>
    (text: string, values: unknown[] = []): boolean =>
      text.includes("create_distributed_table") && values[0] === largeTableNames[at];

  test("a connection under any name is in the way", async () => {
    const url = new URL(cluster.url);
    url.searchParams.set("application_name", "elsewhere");
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await expect(distribute(cluster.url)).rejects.toThrow(/: elsewhere \(1\)\. Stop all processes/);
    await client.end();
  });

  test("a call whose first table fails leaves the database as it was", async () => {
    await expect(distribute(cluster.url, failsAt(0))).rejects.toThrow("killed");
    expect(await readRoles(cluster.url)).toEqual(
      ["service", "task", "tenant"].map(() => expect.objectContaining({ canLogIn: false }) as object),
    );
    await (await startTestService(settingsFor(cluster.url))).stop();
  });

  test("no service starts after a call that was interrupted", async () => {
    await expect(distribute(cluster.url, failsAt(2))).rejects.toThrow("killed");
    await expect(startTestService(settingsFor(cluster.url))).rejects.toThrow(
      /distributed in part: .* are not\. Repeat `rowmill database distribute`/,
    );
  });

  test("it goes on when it is repeated, and once more finds nothing to do", async () => {
    const roles = (await readRoles(cluster.url)).map(({ name }) => name);
    const cannotLogIn = (text: string): boolean => text.startsWith("set local role");
    await expect(distribute(cluster.url, cannotLogIn)).rejects.toThrow(
      /does not reach all servers: killed\. Let it log in there/,
    );
    expect(await distribute(cluster.url)).toMatchObject({
      servers: 2,
      distributed: [],
      alreadyDistributed: largeTableNames,
      roles,
    });
    expect(await readRoles(cluster.url)).toEqual(roles.map((name) => ({ name, canLogIn: true })));
  });

  test("rows lie on both workers, and no policy has a subquery", async () => {
    const policies = await runOn(
      cluster.url,
      `select pg_get_expr(polqual, polrelid) as expression from pg_policy where polrelid = any('{${largeTableNames.join()}}'::regclass[])`,
    );
    expect(policies.filter(({ expression }) => String(expression).includes("SELECT"))).toEqual([]);
    const servers = await runOn(
      cluster.url,
      "select distinct nodeport from citus_shards where table_name = 'run_chunks'::regclass",
    );
    expect(servers).toHaveLength(cluster.workers.length);
  });

  test("a backup is refused, since servers have no snapshot in common", async () => {
    const config = readConfig({ ...settingsFor(cluster.url), ROWMILL_DATA_DIR: tmpdir() });
    const options = { target: join(tmpdir(), "refused.tar"), includesEncryptionKey: false };
    await expect(backUp(config, createLog("silent"), "0.0.0", options)).rejects.toThrow(
      /^The tables are distributed over several servers, which have no snapshot in common/,
    );
  });

  test("it has the rows that it had, and goes on with them", () => expectSame(cluster.url, filled));
});

describe("a database with rows, as its owner, who may make roles and is no superuser", () => {
  test("tables that are older than Citus are distributed with their rows, and by nobody else", async () => {
    const [owner, other] = [await newRole("createrole"), await newRole("createrole")];
    const cluster = await newClusterDatabase(owner);
    const url = as(owner, cluster.url);
    const filled = await fillPlain(url, async () => undefined);
    await addCitus(cluster);
    await expect(distribute(as(other, cluster.url))).rejects.toThrow(
      new RegExp(`^The tables belong to the role ${owner}: connect as this role`),
    );
    expect((await distribute(url)).distributed).toEqual(largeTableNames);
    await expectSame(url, filled);
  });
});
