/** Batches against a provider that others have written, with its faults: it responds to every request of a batch with one sentence. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";

const ROWS = 200;
const provider = new LLMock({ port: 0, logLevel: "silent" });
let service: TestService;
let api: Api;

beforeAll(async () => {
  await provider.start();
  provider.onMessage(/./, { content: "In real time" });
  service = await startTestService({
    ROWMILL_CHUNK_ROWS: "50",
    ROWMILL_BATCH_POLL_SECONDS: "1",
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: new URL(provider.url).origin,
  });
  ({ api } = await service.newOrganization());
});
afterAll(() => provider.stop());

async function startRun(): Promise<Run> {
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { type: "openai_compatible", name: "Others'", baseUrl: `${provider.url}/v1`, secret: "sk-secret" },
  });
  expectStatus(connection, 201);
  const dataset = await newDataset(api, numberedRows(ROWS));
  const spec = await newJobSpec(
    api,
    {
      type: "llm",
      connection: connection.body.id,
      model: "gpt-5-mini",
      messages: [{ role: "user", content: "Row {{row.n}}" }],
    },
    { execution: { mode: "provider_batch" } },
  );
  return newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
}

async function expectOutputsOfTheBatch(run: Run): Promise<void> {
  const ended = await finishedRun(api, run.id);
  expect(ended.rows).toMatchObject({ total: ROWS, succeeded: ROWS });
  const texts = (await readAll<Output>(api, `/v1/runs/${run.id}/outputs`)).map(
    ({ data }) => (data as { text: string }).text,
  );
  expect(texts.filter((text) => text === "Mock batch completion")).toHaveLength(ROWS - 1);
  expect(ended.usage).toMatchObject({ requests: ROWS, attempts: ROWS });
}

test("a run is completed by its batch", async () => {
  await expectOutputsOfTheBatch(await startRun());
});

test("a provider that fails at one look after the other, each in its way, gives the responses of its batch all the same", async () => {
  const run = await startRun();
  const openBatch = async () => {
    const [batch] = await service.query<{ failures: number }>(
      "select failures from provider_batches where finished_at is null and provider_batch_id is not null",
    );
    return batch;
  };
  await waitFor(openBatch, { what: "the batch is the provider's" });
  try {
    for (const [failed, chaos] of [{ dropRate: 1 }, { malformedRate: 1 }, { disconnectRate: 1 }].entries()) {
      provider.setChaos(chaos);
      await waitFor(async () => ((await openBatch())?.failures ?? 0) > failed, {
        what: `a call has failed for ${JSON.stringify(chaos)}`,
        timeoutMs: 240_000,
      });
    }
  } finally {
    provider.clearChaos();
  }
  await expectOutputsOfTheBatch(run);
});
