/** The service on a Citus cluster: a coordinator and two workers (decision 0025). `npm run test:citus`, and a step of `npm test` where Citus is installed. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Export } from "@rowmill/contract/exports";
import type { FailureGroup } from "@rowmill/contract/run-failure-groups";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { addOutcome, noResults } from "@rowmill/server/engine/chunks/chunk-results";
import { commitChunk } from "@rowmill/server/engine/chunks/commit-chunk";
import { openDatabase, statementsOf } from "@rowmill/server/platform/database/database";
import { createTasks } from "@rowmill/server/platform/database/tenants";
import { parseId } from "@rowmill/server/platform/ids";
import { largeTableNames } from "@rowmill/server/platform/database/large-tables";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { addCitus, distribute, newClusterDatabase, runOn } from "@rowmill/server/testing/citus";
import type { ClusterDatabase } from "@rowmill/server/testing/citus";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startServiceProcess } from "@rowmill/server/testing/service-process";
import { uploadFile } from "@rowmill/server/testing/uploads";
import { waitFor } from "@rowmill/server/testing/wait";

/** All services here have the database one after the other. */
const ROWMILL_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const ROWS = 40;
const FAIL_EVERY = 4;
const FAILED = ROWS / FAIL_EVERY;

let cluster: ClusterDatabase;
beforeAll(async () => {
  cluster = await newClusterDatabase();
  await addCitus(cluster);
  await (await startTestService({ ROWMILL_DATABASE_URL: cluster.url, ROWMILL_ENCRYPTION_KEY })).stop();
  await distribute(cluster.url);
});

describe("a distributed database", () => {
  let service: TestService;
  let tenant: TestOrganization;
  let api: Api;
  let datasetId: string;
  let run: Run;
  const model = startModelServer();
  beforeAll(async () => {
    service = await startTestService({
      ROWMILL_DATABASE_URL: cluster.url,
      ROWMILL_ENCRYPTION_KEY,
      ROWMILL_CHUNK_ROWS: "10",
      ROWMILL_CONNECTION_ALLOWED_ORIGINS: (await model).origin,
    });
    tenant = await service.newOrganization();
    api = tenant.api;
    datasetId = (await newDataset(api, numberedRows(ROWS))).id;
    const jobSpec = await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY }, { retry: { maxAttempts: 1 } });
    run = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: jobSpec.id })).id);
  });

  test("a file is taken in, and a run records every row once", async () => {
    expect((await uploadFile(api, '{"n":1}\n{"n":2}\n')).state).toBe("completed");
    expect(run).toMatchObject({ state: "partially_succeeded", rows: { succeeded: ROWS - FAILED, failed: FAILED } });
    const outputs = (await api<{ data: Output[] }>("GET", `/v1/runs/${run.id}/outputs?limit=1000`)).body.data;
    const failures = (await api<{ data: Failure[] }>("GET", `/v1/runs/${run.id}/failures?limit=1000`)).body.data;
    expect(new Set([...outputs, ...failures].map(({ index }) => index)).size).toBe(ROWS);
    const groups = (await api<{ data: FailureGroup[] }>("GET", `/v1/runs/${run.id}/failure-groups`)).body.data;
    expect(groups.map(({ count }) => count)).toEqual([FAILED]);
    expectStatus(await api("GET", `/v1/runs/${run.id}/map`), 200);
  });

  test.each([
    [{ type: "unfinished" }, FAILED],
    [{ type: "failures" }, FAILED],
    [{ type: "retryable_failures" }, FAILED],
    [{ type: "codes", codes: ["provider_overloaded"] }, FAILED],
    [{ type: "all" }, ROWS],
  ] as const)("a retry of %o, and its resolved results", async (selection, total) => {
    const created = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: { selection } });
    expectStatus(created, 201);
    expect((await finishedRun(api, created.body.id)).rows.total).toBe(total);
    const resolved = await api<{ data: object[] }>("GET", `/v1/runs/${created.body.id}/resolved-results?limit=1000`);
    expect(resolved.body.data).toHaveLength(ROWS);
  });

  test.each([
    [{ type: "range", from: 5, to: 25 }, 20],
    [{ type: "sample", count: 7, seed: 1 }, 7],
    [{ type: "filter", where: "row.n < 12" }, 12],
  ] as const)("a run over the scope %o", async (scope, total) => {
    const jobSpec = await newJobSpec(api);
    const ended = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: jobSpec.id, scope })).id);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: total } });
  });

  test("duplicates are processed once, and a transform and a model with a budget work", async () => {
    const alike = await newDataset(
      api,
      Array.from({ length: ROWS }, (_unused, n) => ({ n: n % 5 })),
    );
    const once = await newJobSpec(api, { type: "mock" }, { dedupe: "exact" });
    const deduped = await finishedRun(api, (await newRun(api, { datasetId: alike.id, jobSpecId: once.id })).id);
    expect([deduped.rows.succeeded, deduped.usage.attempts]).toEqual([ROWS, 5]);
    const code = "export default (row) => ({ twice: row.n * 2 })";
    const transform = await newJobSpec(api, { type: "transform", language: "javascript", code });
    expect((await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: transform.id })).id)).state).toBe(
      "succeeded",
    );
    const prices = { models: { m: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } } };
    const connection = await api<Connection>("POST", "/v1/connections", {
      body: { name: "Model", type: "openai_compatible", baseUrl: (await model).baseUrl, prices },
    });
    expectStatus(connection, 201);
    const llm = await newJobSpec(api, {
      type: "llm",
      connection: connection.body.id,
      model: "m",
      messages: [{ role: "user", content: "{{row.n}}" }],
      parameters: { maxOutputTokens: 10 },
    });
    const budget = { maxCostUsd: "1" };
    const spent = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: llm.id, budget })).id);
    expect(spent).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
  });

  test.each(["outputs", "failures", "resolved_results"] as const)("an export of %s", async (type) => {
    const created = await api<Export>("POST", `/v1/runs/${run.id}/exports`, { body: { type, format: "jsonl" } });
    expectStatus(created, 201);
    const ended = await waitFor(async () => {
      const { body } = await api<Export>("GET", `/v1/exports/${created.body.id}`);
      return body.status === "ready" || body.status === "failed" ? body : undefined;
    });
    const rows = { outputs: ROWS - FAILED, failures: FAILED, resolved_results: ROWS }[type];
    expect(ended).toMatchObject({ status: "ready", rowCount: rows });
  });

  test("another organization sees none of it, whatever a statement forgets", async () => {
    const other = await service.newOrganization();
    for (const path of ["", "/outputs", "/rows", "/failures"])
      expect((await other.api("GET", `/v1/runs/${run.id}${path}`)).status).toBe(404);
    const [role] = await runOn(
      cluster.url,
      "select 'rowmill_task_' || relowner as name from pg_class where oid = 'run_chunks'::regclass",
    );
    const stranger = "00000000-0000-7000-8000-000000000000";
    for (const table of largeTableNames) {
      const rows = await runOn(
        cluster.url,
        "begin",
        `set local role ${String(role?.["name"])}`,
        "set local citus.propagate_set_commands = 'local'",
        `set local app.organization_id = '${stranger}'`,
        `select count(*)::int as seen from ${table}`,
      );
      expect([table, rows[0]?.["seen"]]).toEqual([table, 0]);
    }
  });

  test("a worker of the service that was taken for dead writes nothing", async () => {
    const roles = await runOn(
      cluster.url,
      "select 'rowmill_task_' || relowner as name from pg_class where oid = 'run_chunks'::regclass",
    );
    const database = openDatabase(cluster.url, { max: 2, onError: () => undefined });
    const { of } = createTasks(database, String(roles[0]?.["name"]), true);
    const own = of(parseId("organization", tenant.organizationId) ?? "");
    const paused = await newRun(api, {
      datasetId,
      jobSpecId: (await newJobSpec(api, { type: "mock", delayMs: 60_000 })).id,
    });
    const id = await waitFor(async () => {
      const { body } = await api<Run>("GET", `/v1/runs/${paused.id}`);
      return body.rows.running > 0 ? (parseId("run", body.id) ?? "") : undefined;
    });
    const target = { organizationId: parseId("organization", tenant.organizationId) ?? "", runId: id };
    const [claimed] = await runOn(
      cluster.url,
      `select chunk_no, claim_no, first_row, last_row, last_part from run_chunks where run_id = '${id}' and state = 'running' limit 1`,
    );
    const results = noResults();
    addOutcome(results, {
      index: Number(claimed?.["first_row"]),
      attempts: 1,
      durationMs: 0,
      outcome: { ok: true, output: "1" },
      usage: undefined,
    });
    const chunk = {
      chunkNo: Number(claimed?.["chunk_no"]),
      claimNo: Number(claimed?.["claim_no"]) - 1,
      firstRow: Number(claimed?.["first_row"]),
      lastRow: Number(claimed?.["last_row"]),
      lastPart: Number(claimed?.["last_part"]),
    };
    const commit = await own.transaction((tx) =>
      commitChunk(
        statementsOf(tx),
        { ...target, jobSpecId: target.runId, jobSpecVersion: 1, apiKeyId: null, familyLock: 1n },
        chunk,
        results,
        "done",
      ),
    );
    expect(commit).toBeUndefined();
    const written = await runOn(
      cluster.url,
      `select count(*)::int as segments from run_segments where run_id = '${id}'`,
    );
    expect(written[0]?.["segments"]).toBe(0);
    await database.close();
    expectStatus(await api("POST", `/v1/runs/${paused.id}/cancel`), 200);
  });

  test("a run is canceled, and deleted with its rows", async () => {
    const slow = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
    const { id } = await newRun(api, { datasetId, jobSpecId: slow.id });
    await waitFor(async () => (await api<Run>("GET", `/v1/runs/${id}`)).body.rows.running > 0);
    expectStatus(await api("POST", `/v1/runs/${id}/cancel`), 200);
    expect((await finishedRun(api, id)).state).toBe("canceled");
    expectStatus(await api("DELETE", `/v1/runs/${id}`), 204);
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
