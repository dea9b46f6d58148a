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

/** Runs of both styles are killed at once: each kill is a start of a service. */
let providers: Record<Style, BatchProvider>;
let settings: Record<string, string>;
let client: Client;
let service: ServiceProcess;
let api: Api;
let apiKey: string;
beforeAll(async () => {
  const [openai, anthropic] = await Promise.all([startBatchProvider(), startBatchProvider()]);
  providers = { openai, anthropic };
  const database = await createMigratedDatabase();
  settings = {
    ROWMILL_DATABASE_URL: database.url,
    ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ROWMILL_DATA_DIR: await newDataDirectory(),
    ROWMILL_DATABASE_CONNECTIONS: "8",
    ROWMILL_CHUNK_ROWS: "20",
    ROWMILL_BATCH_POLL_SECONDS: "1",
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: `${openai.origin},${anthropic.origin}`,
  };
  client = new Client({ connectionString: database.url });
  await client.connect();
  service = await startServiceProcess(settings);
  ({ settings } = service);
}, SLOW_TEST_MS);
beforeEach(async () => {
  for (const style of styles) providers[style].reset();
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
  for (const style of styles) providers[style].intercept = () => undefined;
  service = await startServiceProcess(settings);
  api = createApi(service.url, apiKey, () => service.logs().join("\n"));
}

interface AtProvider {
  style: Style;
  provider: BatchProvider;
}

/** At the same time, at a provider of each style. */
const atEach = <Result>(work: (at: AtProvider) => Promise<Result>): Promise<Result[]> =>
  Promise.all(styles.map((style) => work({ style, provider: providers[style] })));

/** A run of each style that has been submitted as far as `untilSubmitted`. */
const runsAtEach = (rows: number, untilSubmitted: (provider: BatchProvider) => boolean): Promise<RunAtProvider[]> =>
  atEach(async ({ style, provider }) => {
    const { run } = await newBatchRun(api, provider, { rows, style });
    await waitFor(() => untilSubmitted(provider));
    return { run, provider };
  });

interface RunAtProvider {
  run: Run;
  provider: BatchProvider;
}

const isLookedAt = ({ calls }: BatchProvider): boolean =>
  calls.some(({ method, path }) => method === "GET" && path.includes("/batches/"));

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

async function expectEachPaidOnceInOneBatch(runs: RunAtProvider[], rows: number): Promise<void> {
  for (const { run, provider } of runs) {
    await expectEachPaidOnce(await finishedRun(api, run.id), provider, rows);
    expect(provider.batches).toHaveLength(1);
  }
}

async function expectEachPaidOnce(run: Run, provider: BatchProvider, rows: number): Promise<void> {
  expect(run.rows).toMatchObject({ total: rows, succeeded: rows });
  const outputs = await readStream<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_unused, i) => i));
  expect(outputs.filter(({ index, data }) => (data as { text: string }).text !== String(index))).toEqual([]);
  const { inBatches, inRealTime } = provider.paid;
  expect([...inBatches, ...inRealTime].filter(([, times]) => times > 1)).toEqual([]);
  expect([...inRealTime.keys()].filter((prompt) => inBatches.has(prompt))).toEqual([]);
  expect(run.usage).toMatchObject({ requests: rows, attempts: rows });
}

describe("killed, at providers in the styles of openai and of anthropic,", () => {
  test(
    "while the requests are on their way, the service sends them again",
    async () => {
      const isFirst = ({ method, path }: ProviderCall) => method === "POST" && /\/(files|batches)$/.test(path);
      const submitting = new Set<BatchProvider>();
      for (const style of styles) {
        const provider = providers[style];
        provider.intercept = (call) => {
          if (!isFirst(call)) return undefined;
          submitting.add(provider);
          return "hang";
        };
      }
      const runs = await runsAtEach(60, (provider) => submitting.has(provider));
      await killService();
      // Long ago: nothing can be under way any more.
      await waitFor(
        async () => {
          await client.query(
            "update provider_batches set submit_started_at = now() - interval '1 hour' where submit_started_at is not null and provider_batch_id is null",
          );
          return runs.every(({ provider }) => provider.batches.length > 0);
        },
        { timeoutMs: 240_000 },
      );
      await expectEachPaidOnceInOneBatch(runs, 60);
    },
    SLOW_TEST_MS,
  );

  test(
    "between the submission and its record, the service finds the batch again",
    async () => {
      for (const style of styles) providers[style].intercept = (call) => (isSubmission(call) ? "mute" : undefined);
      const runs = await runsAtEach(60, ({ batches }) => batches.length === 1);
      await killService();
      await expectEachPaidOnceInOneBatch(runs, 60);
    },
    SLOW_TEST_MS,
  );

  test(
    "while the provider works, the service takes the batch up again",
    async () => {
      let mayEnd = false;
      for (const style of styles) providers[style].onLook = (_batch, end) => void (mayEnd && end());
      const runs = await runsAtEach(60, isLookedAt);
      await killService();
      mayEnd = true;
      await expectEachPaidOnceInOneBatch(runs, 60);
    },
    SLOW_TEST_MS,
  );

  test(
    "in the middle of recording responses, the service records the others",
    async () => {
      const ROWS = 400;
      let mayEnd = false;
      for (const style of styles) providers[style].onLook = (_batch, end) => void (mayEnd && end());
      const runs = await runsAtEach(ROWS, isLookedAt);
      const releases: (() => Promise<void>)[] = [];
      for (const { run } of runs) releases.push(await holdChunk(run, ROWS / 2));
      mayEnd = true;
      for (const { run } of runs) await waitFor(async () => (await getRun(api, run.id)).rows.succeeded > 100);
      const kept: number[] = [];
      await killService(async () => {
        for (const release of releases) await release();
        // Before the service is there again, and goes on.
        const sum = "select sum(succeeded)::int as kept from run_chunks where run_id = $1";
        for (const { run } of runs) {
          const { rows } = await client.query<{ kept: number }>(sum, [parseId("run", run.id)]);
          kept.push(rows[0]?.kept ?? 0);
        }
      });
      expect(kept.filter((count) => count > 100 && count < ROWS)).toHaveLength(styles.length);
      await expectEachPaidOnceInOneBatch(runs, ROWS);
    },
    SLOW_TEST_MS,
  );

  test(
    "before it could cancel the batch of a canceled run, the service cancels it when it is there again",
    async () => {
      for (const style of styles) providers[style].onLook = () => undefined;
      const runs = await runsAtEach(60, ({ batches }) => batches.length === 1);
      const asked = new Set<BatchProvider>();
      for (const { run, provider } of runs) {
        await runInState(api, run.id, "running");
        provider.intercept = ({ path }) => (path.endsWith("/cancel") ? (asked.add(provider), "hang") : undefined);
        expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
      }
      await waitFor(() => asked.size === styles.length);
      await killService();
      for (const { run, provider } of runs) {
        await waitFor(() => provider.batches[0]?.state === "canceling", { timeoutMs: 240_000 });
        expect(await getRun(api, run.id)).toMatchObject({ state: "canceled", rows: { succeeded: 1, canceled: 59 } });
      }
    },
    SLOW_TEST_MS,
  );
});

test(
  "two services on one database share batches, and pay none twice when one is killed",
  async () => {
    const ROWS = 3_000;
    const provider = providers.openai;
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
