/**
 * The service on a Citus cluster: a coordinator and two workers (decision 0025). `npm run test:citus`, and a step of `npm test` where Citus
 * is installed.
 */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "@rowmill/server/platform/database/database";
import { parseId } from "@rowmill/server/platform/ids";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { addCitus, distribute, newClusterDatabase, runOn } from "@rowmill/server/testing/citus";
import type { ClusterDatabase } from "@rowmill/server/testing/citus";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startServiceProcess } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";
import { openOwn } from "./support/cluster/own-database.ts";
import { describeDistributedService } from "./support/cluster/distributed-service.ts";

/** All services here have the database one after the other. */
const ROWMILL_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const ROWS = 40;

let cluster: ClusterDatabase;
const start = (settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({
    ROWMILL_DATABASE_URL: cluster.url,
    ROWMILL_ENCRYPTION_KEY,
    ...settings,
  });
beforeAll(async () => {
  cluster = await newClusterDatabase();
  await addCitus(cluster);
  await (await start()).stop();
  await distribute(cluster.url);
});

describeDistributedService(() => cluster.url, start);

describe("when something of a cluster is lost", () => {
  let service: TestService;
  let tenant: TestOrganization;
  let api: Api;
  let datasetId: string;
  beforeAll(async () => {
    service = await start({ ROWMILL_CHUNK_ROWS: "10" });
    tenant = await service.newOrganization();
    api = tenant.api;
    datasetId = (await newDataset(api, numberedRows(ROWS))).id;
  });

  test("what is written on two servers is committed on both or on none", async () => {
    const { own, close } = await openOwn(cluster.url, tenant.organizationId);
    const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
    const run = await newRun(api, { datasetId, jobSpecId: jobSpec.id });
    const id = parseId("run", run.id) ?? "";
    await waitFor(async () => (await api<Run>("GET", `/v1/runs/${run.id}`)).body.rows.running > 0);
    /** Citus notes each part of a commit in two phases, and forgets it a minute later. */
    const commitsInTwoPhases = async (...statements: ReturnType<typeof sql>[]): Promise<boolean> => {
      const latest = "select coalesce(max(gid), '') as gid, count(*) as parts from pg_dist_transaction";
      await runOn(cluster.url, "select recover_prepared_transactions()");
      const before = await runOn(cluster.url, latest);
      await own.transaction(async (tx) => {
        for (const statement of statements) await statement.execute(tx);
      });
      return JSON.stringify(await runOn(cluster.url, latest)) !== JSON.stringify(before);
    };
    const chunk = sql`update run_chunks set attempts = attempts where run_id = ${id} and chunk_no = 3`;
    const ownRun = sql`update runs set updated_at = now() where id = ${id}`;
    await waitFor(async () => !(await commitsInTwoPhases(chunk)));
    await waitFor(async () => !(await commitsInTwoPhases(ownRun)));
    expect(await commitsInTwoPhases(chunk, ownRun)).toBe(true);
    await close();
    expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  });

  test("while a worker of the cluster restarts after a crash, requests succeed or get 503, and the run ends with every row once", async () => {
    const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 50 }, { concurrency: 2 });
    const { id } = await newRun(api, { datasetId, jobSpecId: jobSpec.id });
    for (const worker of cluster.workers) {
      const [backend] = await runOn(
        worker,
        "select pid from pg_stat_activity where application_name like 'citus_internal%' limit 1",
      );
      expect(backend).toBeDefined();
      process.kill(Number(backend?.["pid"]), "SIGKILL");
      const { status, body } = await api<{ data: object[] }>("GET", `/v1/runs/${id}/rows?limit=1000`);
      expect([[200, ROWS], [503]]).toContainEqual(status === 200 ? [status, body.data.length] : [status]);
      // All of its connections end in a crash, and it starts again.
      await waitFor(async () => {
        const [left] = await runOn(worker, `select pid from pg_stat_activity where pid = ${String(backend?.["pid"])}`);
        return left === undefined;
      });
    }
    expect(await finishedRun(api, id)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
  });

  test("a process of the service is killed in the middle of a run: another one takes over, and each row has one result", async () => {
    await service.stop();
    const settings = { ...service.settings, ROWMILL_ADMIN_KEY: service.adminKey };
    const first = await startServiceProcess(settings);
    const own = await first.newOrganization();
    const rows = await newDataset(own.api, numberedRows(ROWS));
    const slow = await newJobSpec(own.api, { type: "mock", delayMs: 200 }, { concurrency: 1 });
    const { id } = await newRun(own.api, { datasetId: rows.id, jobSpecId: slow.id });
    await waitFor(async () => (await own.api<Run>("GET", `/v1/runs/${id}`)).body.rows.succeeded > 0);
    first.kill("SIGKILL");
    await first.exited;
    const second = await startServiceProcess(settings);
    const ask: Api = (method, path, request) => second.api(method, path, { key: own.apiKey, ...request });
    expect(await finishedRun(ask, id)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    const outputs = (await ask<{ data: Output[] }>("GET", `/v1/runs/${id}/outputs?limit=1000`)).body.data;
    expect(outputs.map(({ index }) => index)).toEqual(numberedRows(ROWS).map(({ n }) => n));
  });
});
