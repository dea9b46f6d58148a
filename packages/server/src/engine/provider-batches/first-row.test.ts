/** The row that is sent in real time before the first file. */
import { expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import { openDatabase } from "../../platform/database/database.ts";
import { newUuid } from "../../platform/ids.ts";
import type { RowUsage } from "../../processors/processor.ts";
import { expectStatus } from "../../testing/api.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { finishedRun } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";
import { newBatchRun } from "./batches-testing.ts";
import { startBatchService } from "./batch-service-testing.ts";
import type { BatchPass } from "./batch-pass.ts";
import { FirstRows } from "./first-row.ts";

const styles = ["openai", "anthropic"] as const;

const model = await startModelServer();
const { service, provider, uuidOf } = await startBatchService([model.origin]);
const { api } = await service.newOrganization();

test.each(styles)(
  "a run in the style of %s counts what its first row has called for in real time, also where it is tried again with the others",
  async (style) => {
    let inRealTime = 0;
    provider.intercept = ({ path }) =>
      /\/(chat\/completions|messages)$/.test(path) && ++inRealTime === 1
        ? { status: 200, body: { choices: "none" } }
        : undefined;
    const { run } = await newBatchRun(api, provider, { rows: 10, style });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ rows: { succeeded: 10 }, usage: { requests: 11, attempts: 11 } });
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    // Nobody knows what the response cost that could not be read.
    const calls = [{ code: "provider_error", costAssumed: true }, { inputTokens: 10 }];
    expect(outputs[0]).toMatchObject({ index: 0, attempts: 2, usage: { requests: 2, calls } });
    const books = await api<{ data: object[] }>("GET", `/v1/usage?groupBy=run&runId=${run.id}`);
    expect(books.body.data).toMatchObject([{ requests: 11, costUsd: ended.usage.costUsd }]);
  },
);

test("the first row of a run that is canceled meanwhile is in its usage", async () => {
  const called = Promise.withResolvers<void>();
  const isCanceled = Promise.withResolvers<void>();
  model.respond = async () => {
    called.resolve();
    await isCanceled.promise;
    return { inputTokens: 10, outputTokens: 5 };
  };
  const { run } = await newBatchRun(api, { ...provider, baseUrl: model.baseUrl }, { rows: 3 });
  await called.promise;
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  isCanceled.resolve();
  await waitFor(async () => (await getRun(api, run.id)).usage.requests === 1);
  const ended = await getRun(api, run.id);
  expect(ended).toMatchObject({ state: "canceled", rows: { canceled: 3 }, usage: { inputTokens: 10, attempts: 1 } });
  const books = await api<{ data: object[] }>("GET", `/v1/usage?groupBy=run&runId=${run.id}`);
  expect(books.body.data).toMatchObject([{ requests: 1, costUsd: ended.usage.costUsd }]);
});

const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => undefined });
cleanUpLater(() => database.close());
const AWAY = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
const BUG = new Error("a bug");
const USED: RowUsage = { requests: 1, inputTokens: 10, outputTokens: 5, costUsd: "0.5" };

test.each([
  ["an error at the first row is reported, and not that of keeping", () => Promise.reject(BUG), BUG],
  [
    "the error that the first row cannot be kept for another attempt is reported, and not lost with",
    () => Promise.resolve([{ ok: false, failure: { code: "provider_error", message: "later" }, usage: USED }]),
    AWAY,
  ],
  [
    "the error that the first row cannot be recorded is reported, and not lost with",
    () => Promise.resolve([{ ok: true, output: "1", usage: USED }]),
    AWAY,
  ],
])("%s what it has used", async (_, respond, error) => {
  const { run } = await newBatchRun(api, provider, { rows: 3 });
  await finishedRun(api, run.id);
  const runId = uuidOf(run);
  const [record] = await service.query<{ dataset_id: string; organization_id: string }>(
    "select dataset_id, organization_id from runs where id = $1",
    [runId],
  );
  // As before the run began.
  await service.query("delete from run_segments where run_id = $1", [runId]);
  const lost: object[] = [];
  const step = {
    captureRequest: () => Promise.resolve({ ok: true }),
    processRows: (
      rows: unknown[],
      _signal: AbortSignal,
      clock: { noteUsage: (row: unknown, usage: RowUsage) => void },
    ) => {
      clock.noteUsage(rows[0], USED);
      return respond();
    },
  };
  const checks = {
    checkInputs: () => Promise.resolve([]),
    checkOutputs: (outcomes: unknown[]) => Promise.resolve(outcomes),
  };
  const statements = {
    query: ({ text, values }: { text: string; values: unknown[] }) =>
      service.query(text, values).then((rows) => ({ rows, rowCount: rows.length })),
  };
  const pass = {
    parts: {
      database: {
        statements,
        db: database.db,
        transaction: () => Promise.reject(AWAY),
      },
      log: { warn: () => undefined },
      lateWrites: {
        write: (_write: unknown, about: { usage: object }) => Promise.resolve(void lost.push(about.usage)),
      },
    },
    batch: { id: newUuid(), runId },
    run: { id: runId, datasetId: record?.dataset_id, organizationId: record?.organization_id, parentRunId: null },
    ready: () => Promise.resolve({ step, checks, definition: {}, cache: undefined }),
    signal: new AbortController().signal,
  } as unknown as BatchPass; // what the first row uses of it
  const chunk = { chunkNo: 0, firstRow: 0, lastRow: 2, picked: null, booked: null };
  await expect(new FirstRows().tryOnce(pass, [chunk])).rejects.toBe(error);
  expect(lost).toMatchObject([{ requests: 1, attempts: 1, costUsd: "0.5" }]);
});
