/** Services as processes of their own, killed in the middle of runs: every row still gets one result, the right one. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Dataset } from "@rowmill/contract/datasets";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { inspectProcess, readPostmasterFile } from "../platform/database/embedded/postmaster-pid.ts";
import { createApi, expectStatus } from "../testing/api.ts";
import type { Api } from "../testing/api.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startServiceProcess } from "../testing/service-process.ts";
import type { ServiceProcess } from "../testing/service-process.ts";
import { createMigratedDatabase } from "../testing/test-database.ts";
import { waitFor } from "../testing/wait.ts";
import { eventTypes, expectCountsToAddUp, getRun, readAll, readStream } from "../resources/runs/runs-testing.ts";

const FAIL_EVERY = 7;
/** A lane whose worker was killed is taken again about ten seconds later, and there are several deaths; on a machine that is busy, too. */
const SLOW_TEST_MS = 600_000;

async function uploadRows(api: Api, count: number): Promise<Dataset> {
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "many rows", format: "jsonl", source: { type: "upload" } },
  });
  expectStatus(created, 201);
  const lines = numberedRows(count).map((row) => JSON.stringify(row));
  await api("PUT", `/v1/dataset-uploads/${created.body.id}/content`, {
    body: `${lines.join("\n")}\n`,
    headers: { "Content-Type": "application/octet-stream" },
  });
  const upload = await waitFor(async () => {
    const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${created.body.id}`);
    return body.finishedAt === null ? undefined : body;
  });
  return (await api<Dataset>("GET", `/v1/datasets/${upload.datasetId}`)).body;
}

/** Every row has one result, and it stands where it belongs; what is counted is what is there. */
async function expectOneResultEach(api: Api, run: Run, count: number): Promise<void> {
  const outputs = await readStream<Output>(api, `/v1/runs/${run.id}/outputs`);
  const failures = await readStream<Failure>(api, `/v1/runs/${run.id}/failures`);
  const wrong = outputs.filter(({ index, data }) => (data as { echo?: { n?: number } }).echo?.n !== index);
  expect(wrong).toEqual([]);
  const failed = Math.floor(count / FAIL_EVERY);
  expect(failures.map(({ index }) => index)).toEqual(
    Array.from({ length: failed }, (_unused, i) => (i + 1) * FAIL_EVERY - 1),
  );
  expect(new Set(outputs.map(({ index }) => index)).size).toBe(outputs.length);
  expect(run.rows).toEqual({
    total: count,
    pending: 0,
    running: 0,
    succeeded: count - failed,
    failed,
    canceled: 0,
    skipped: 0,
  });
  expect(outputs).toHaveLength(count - failed);
  // In the mock processor, every row takes one attempt; those of a dead worker were not recorded.
  expect(run.usage.attempts).toBe(count);
  expect(await eventTypes(api, run.id)).toEqual([
    "run.created",
    "run.started",
    "run.partially_succeeded",
    "run.finished",
  ]);
}

async function postgresPid(service: ServiceProcess): Promise<number> {
  const file = await readPostmasterFile(
    join(service.settings["ROWMILL_DATA_DIR"] ?? "", "postgres", "cluster", "pgdata"),
  );
  if (file === undefined) throw new Error("there is no embedded PostgreSQL");
  return file.pid;
}

const finishedRows = async (api: Api, runId: string): Promise<number> => {
  const run = await getRun(api, runId);
  expectCountsToAddUp(run);
  return run.rows.succeeded + run.rows.failed;
};

describe("a run of 30 000 rows", () => {
  const ROWS = 30_000;

  test(
    "ends with one result for each row, whatever is killed and whenever",
    async () => {
      let service = await startServiceProcess({ ROWMILL_CHUNK_ROWS: "100" });
      const { apiKey, api: firstApi } = await service.newOrganization();
      let api = firstApi;
      const dataset = await uploadRows(api, ROWS);
      const spec = await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY, delayMs: 60 });
      const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
      let finished = 0;
      for (const kill of ["service", "service and database", "database"] as const) {
        // A few percent further on, at no moment in particular.
        const next = finished + ROWS * (0.05 + Math.random() * 0.15);
        await waitFor(async () => (await finishedRows(api, run.id)) >= next, { timeoutMs: 240_000 });
        const pid = await postgresPid(service);
        if (kill !== "database") service.kill("SIGKILL");
        if (kill !== "service") {
          process.kill(pid, "SIGKILL");
          await waitFor(async () => (await inspectProcess(pid)) !== "postgres");
        }
        if (kill !== "database") {
          await service.exited;
          service = await startServiceProcess(service.settings);
          api = createApi(service.url, apiKey, () => service.logs().join("\n"));
        } else {
          // The service starts its database again; meanwhile requests are refused.
          await waitFor(async () => (await postgresPid(service)) !== pid);
          await waitFor(async () => (await api("GET", `/v1/runs/${run.id}`)).status === 200);
        }
        const kept = await finishedRows(api, run.id);
        expect(kept).toBeGreaterThanOrEqual(next);
        finished = kept;
      }
      await expectOneResultEach(api, await finishedRun(api, run.id, 240_000), ROWS);
      await service.stop();
    },
    SLOW_TEST_MS,
  );
});

test(
  "a service that is asked to stop ends within 30 seconds, and the run goes on at once when it is started again",
  async () => {
    const ROWS = 3_000;
    const database = await createMigratedDatabase();
    cleanUpLater(() => database.drop());
    const service = await startServiceProcess({
      ROWMILL_DATABASE_URL: database.url,
      ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      ROWMILL_CHUNK_ROWS: "100",
    });
    const { api: firstApi, apiKey } = await service.newOrganization();
    const dataset = await newDataset(firstApi, numberedRows(ROWS));
    const spec = await newJobSpec(firstApi, { type: "mock", failEvery: FAIL_EVERY, delayMs: 300 }, { concurrency: 80 });
    const run = await newRun(firstApi, { datasetId: dataset.id, jobSpecId: spec.id });
    await waitFor(async () => (await finishedRows(firstApi, run.id)) > 200);
    const before = await finishedRows(firstApi, run.id);
    service.kill("SIGTERM");
    // After 30 seconds it would end with an error and its code.
    expect(await service.exited).toEqual({ code: 0, signal: null });
    // Chunks and jobs were released: nobody waits until the dead are found out.
    expect(await claimedAt(database.url)).toEqual([]);
    const again = await startServiceProcess(service.settings);
    const api = createApi(again.url, apiKey, () => again.logs().join("\n"));
    const after = await getRun(api, run.id);
    expect(after.rows.succeeded + after.rows.failed).toBeGreaterThanOrEqual(before);
    await expectOneResultEach(api, await finishedRun(api, run.id), ROWS);
    await again.stop();
  },
  SLOW_TEST_MS,
);

/** Chunks and jobs that some process has claimed. */
async function claimedAt(url: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ what: string; state: string }>(
    `select 'chunk' as what, state::text from run_chunks where state = 'running'
     union all select name, state::text from pgboss.job where state = 'active' and name not like '\\_\\_%'`,
  );
  await client.end();
  return rows;
}

test(
  "two processes on one database share the work on a run, and record nothing twice; one is killed, the other goes on",
  async () => {
    const ROWS = 6_000;
    const database = await createMigratedDatabase();
    const settings = {
      ROWMILL_DATABASE_URL: database.url,
      ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      ROWMILL_ADMIN_KEY: `rma_test${randomBytes(16).toString("hex")}`,
      ROWMILL_DATABASE_CONNECTIONS: "8",
      // No process can hold more chunks than this at once.
      ROWMILL_WORKER_CONCURRENCY: "2",
      ROWMILL_CHUNK_ROWS: "20",
    };
    const one = await startServiceProcess(settings);
    const two = await startServiceProcess(settings);
    const { api, apiKey } = await one.newOrganization();
    const otherApi = createApi(two.url, apiKey, () => two.logs().join("\n"));
    const dataset = await newDataset(api, numberedRows(ROWS));
    const spec = await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY, delayMs: 60 });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const claimedChunks = async (): Promise<number> => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int from run_chunks where state = 'running'",
      );
      return rows[0]?.count ?? 0;
    };
    await waitFor(async () => (await claimedChunks()) === 4, { what: "both processes have claimed chunks" });
    await waitFor(async () => (await finishedRows(otherApi, run.id)) > ROWS / 4);
    one.kill("SIGKILL");
    await one.exited;
    await expectOneResultEach(otherApi, await finishedRun(otherApi, run.id), ROWS);
    expect(await claimedChunks()).toBe(0);
    expect(await readAll(otherApi, `/v1/runs/${run.id}/rows?state=running,pending`)).toEqual([]);
    await client.end();
    await two.stop();
    await database.drop();
  },
  SLOW_TEST_MS,
);
