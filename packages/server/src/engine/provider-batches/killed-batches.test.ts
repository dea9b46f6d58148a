/** Services that are killed with batches in every state: each row gets one result, and none is paid for twice. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { createApi, expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { startBatchProvider } from "../../testing/batch-provider.ts";
import type { BatchProvider, ProviderCall } from "../../testing/batch-provider.ts";
import { finishedRun } from "../../testing/factories.ts";
import { newDataDirectory, startServiceProcess } from "../../testing/service-process.ts";
import type { ServiceProcess } from "../../testing/service-process.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readStream, runInState } from "../../resources/runs/runs-testing.ts";
import { newBatchRun } from "./batches-testing.ts";
import type { Style } from "./batches-testing.ts";

/** A dozen starts of a service, on a machine that has other things to do. */
const SLOW_TEST_MS = 600_000;
const styles = ["openai", "anthropic"] as const satisfies Style[];

let provider: BatchProvider;
let settings: Record<string, string>;
let client: Client;
let service: ServiceProcess;
let api: Api;
let apiKey: string;
beforeAll(async () => {
  provider = await startBatchProvider();
  const database = await createMigratedDatabase();
  settings = {
    ROWMILL_DATABASE_URL: database.url,
    ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ROWMILL_DATA_DIR: await newDataDirectory(),
    ROWMILL_DATABASE_CONNECTIONS: "8",
    ROWMILL_CHUNK_ROWS: "20",
    ROWMILL_BATCH_POLL_SECONDS: "1",
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: provider.origin,
  };
  client = new Client({ connectionString: database.url });
  await client.connect();
  service = await startServiceProcess(settings);
  ({ settings } = service);
}, SLOW_TEST_MS);
beforeEach(async () => {
  provider.reset();
  ({ api, apiKey } = await service.newOrganization());
});
afterAll(async () => {
  await service.stop();
  await client.end();
});

/** And starts it again. */
async function killService(beforeStart: () => Promise<void> = async () => undefined): Promise<void> {
  service.kill("SIGKILL");
  await service.exited;
  await beforeStart();
  // As if ten seconds had passed: the jobs of the dead worker are taken again at once.
  await client.query("update pgboss.job set heartbeat_on = now() - interval '1 minute' where state = 'active'");
  provider.intercept = () => undefined;
  service = await startServiceProcess(settings);
  api = createApi(service.url, apiKey, () => service.logs().join("\n"));
}

/** Nothing more is recorded of the chunk with this row, until the returned function has also ended the connections that wait to do so. */
async function holdChunk(run: Run, row: number): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: settings["ROWMILL_DATABASE_URL"] });
  await holder.connect();
  await holder.query("begin");
  const { rowCount } = await holder.query("select from run_chunks where run_id = $1 and first_row = $2 for update", [
    parseId("run", run.id),
    row,
  ]);
  expect(rowCount).toBe(1);
  return async () => {
    // The statements of a process that was killed go on in the database.
    await client.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    await holder.query("rollback");
    await holder.end();
  };
}

const isSubmission = ({ method, path }: ProviderCall): boolean => method === "POST" && path.endsWith("/batches");

async function expectEachPaidOnce(run: Run, rows: number): Promise<void> {
  expect(run.rows).toMatchObject({ total: rows, succeeded: rows });
  const outputs = await readStream<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_unused, i) => i));
  expect(outputs.filter(({ index, data }) => (data as { text: string }).text !== String(index))).toEqual([]);
  const { inBatches, inRealTime } = provider.paid;
  expect([...inBatches, ...inRealTime].filter(([, times]) => times > 1)).toEqual([]);
  expect([...inRealTime.keys()].filter((prompt) => inBatches.has(prompt))).toEqual([]);
  expect(run.usage).toMatchObject({ requests: rows, attempts: rows });
}

describe.each(styles)("killed, at a provider in the style of %s,", (style) => {
  test(
    "while the requests are on their way, the service sends them again",
    async () => {
      const isFirst = ({ method, path }: ProviderCall) => method === "POST" && /\/(files|batches)$/.test(path);
      let seen = 0;
      provider.intercept = (call) => (isFirst(call) && ++seen > 0 ? "hang" : undefined);
      const { run } = await newBatchRun(api, provider, { rows: 60, style });
      await waitFor(() => seen > 0);
      await killService();
      // Long ago: nothing can be under way any more.
      await waitFor(
        async () => {
          await client.query(
            "update provider_batches set submit_started_at = now() - interval '1 hour' where submit_started_at is not null and provider_batch_id is null",
          );
          return provider.batches.length > 0;
        },
        { timeoutMs: 240_000 },
      );
      await expectEachPaidOnce(await finishedRun(api, run.id), 60);
      expect(provider.batches).toHaveLength(1);
    },
    SLOW_TEST_MS,
  );

  test(
    "between the submission and its record, the service finds the batch again",
    async () => {
      provider.intercept = (call) => (isSubmission(call) ? "mute" : undefined);
      const { run } = await newBatchRun(api, provider, { rows: 60, style });
      await waitFor(() => provider.batches.length === 1);
      await killService();
      await expectEachPaidOnce(await finishedRun(api, run.id), 60);
      expect(provider.batches).toHaveLength(1);
    },
    SLOW_TEST_MS,
  );

  test(
    "while the provider works, the service takes the batch up again",
    async () => {
      let mayEnd = false;
      provider.onLook = (_batch, end) => void (mayEnd && end());
      const { run } = await newBatchRun(api, provider, { rows: 60, style });
      await waitFor(() => provider.calls.some(({ method, path }) => method === "GET" && path.includes("/batches/")));
      await killService();
      mayEnd = true;
      await expectEachPaidOnce(await finishedRun(api, run.id), 60);
      expect(provider.batches).toHaveLength(1);
    },
    SLOW_TEST_MS,
  );

  test(
    "in the middle of recording responses, the service records the others",
    async () => {
      const ROWS = 400;
      let mayEnd = false;
      provider.onLook = (_batch, end) => void (mayEnd && end());
      const { run } = await newBatchRun(api, provider, { rows: ROWS, style });
      await waitFor(() => provider.calls.some(({ method, path }) => method === "GET" && path.includes("/batches/")));
      const release = await holdChunk(run, ROWS / 2);
      mayEnd = true;
      await waitFor(async () => (await getRun(api, run.id)).rows.succeeded > 100);
      let kept = 0;
      await killService(async () => {
        await release();
        // Before the service is there again, and goes on.
        const sum = "select sum(succeeded)::int as kept from run_chunks where run_id = $1";
        const { rows } = await client.query<{ kept: number }>(sum, [parseId("run", run.id)]);
        kept = rows[0]?.kept ?? 0;
      });
      expect(kept).toBeGreaterThan(100);
      expect(kept).toBeLessThan(ROWS);
      await expectEachPaidOnce(await finishedRun(api, run.id), ROWS);
      expect(provider.batches).toHaveLength(1);
    },
    SLOW_TEST_MS,
  );

  test(
    "before it could cancel the batch of a canceled run, the service cancels it when it is there again",
    async () => {
      provider.onLook = () => undefined;
      const { run } = await newBatchRun(api, provider, { rows: 60, style });
      await waitFor(() => provider.batches.length === 1);
      await runInState(api, run.id, "running");
      let asked = false;
      provider.intercept = ({ path }) => (path.endsWith("/cancel") ? ((asked = true), "hang") : undefined);
      expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
      await waitFor(() => asked);
      await killService();
      await waitFor(() => provider.batches[0]?.state === "canceling", { timeoutMs: 240_000 });
      expect(await getRun(api, run.id)).toMatchObject({ state: "canceled", rows: { succeeded: 1, canceled: 59 } });
    },
    SLOW_TEST_MS,
  );
});

test(
  "two services on one database share batches, and pay none twice when one is killed",
  async () => {
    const ROWS = 3_000;
    const other = await startServiceProcess({ ...settings, ROWMILL_DATA_DIR: await newDataDirectory() });
    let mayEnd = false;
    provider.onLook = (_batch, end) => void (mayEnd && end());
    const runs = await Promise.all([0, 1, 2].map(() => newBatchRun(api, provider, { rows: ROWS / 3 })));
    await waitFor(() => provider.batches.length === 3, { timeoutMs: 240_000 });
    mayEnd = true;
    other.kill("SIGKILL");
    await other.exited;
    for (const { run } of runs) {
      const ended = await finishedRun(api, run.id, 180_000);
      expect(ended.rows).toMatchObject({ succeeded: ROWS / 3 });
    }
    expect(provider.batches).toHaveLength(3);
    const { inBatches, inRealTime } = provider.paid;
    const paid = [...inBatches.values(), ...inRealTime.values()].reduce((sum, times) => sum + times, 0);
    expect(paid).toBe(ROWS);
  },
  SLOW_TEST_MS,
);
