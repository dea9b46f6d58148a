/** Runs whose rows are paid, on a model that counts its calls. */
import { expect } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";

export const ROWS = 400;
/** What a call costs by the connection's prices: 10 tokens in, 5 out. */
export const CALL_USD = 0.001;
/** Input is cheap here, so that what a call may cost at most, as it is reserved, is but some calls' worth. */
export const PRICE = { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "198" };
export const MAX_OUTPUT_TOKENS = 20;

/** A service, a model beside it, and a dataset; job specs whose prompts are no other job spec's. */
export async function startPaidRows() {
  const model = await startModelServer();
  const service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_CHUNK_ROWS: "50",
  });
  const { api } = await service.newOrganization();
  const created = await api<Connection>("POST", "/v1/connections", {
    body: {
      name: "Test model",
      type: "openai_compatible",
      baseUrl: model.baseUrl,
      secret: "sk-test",
      prices: { models: { small: PRICE } },
    },
  });
  expectStatus(created, 201);
  const connection = created.body;
  const rows = Array.from({ length: ROWS }, (_unused, n) => ({ n }));
  const datasetId = (await newDataset(api, rows)).id;

  let specs = 0;
  /** Its prompts are no other job spec's. */
  const newLlmSpec = async (more: Record<string, unknown> = {}, processor: object = {}): Promise<JobSpec> => {
    return newJobSpec(
      api,
      {
        type: "llm",
        connection: connection.id,
        model: "small",
        messages: [{ role: "user", content: `spec ${++specs}, row {{row.n}}` }],
        parameters: { maxOutputTokens: MAX_OUTPUT_TOKENS },
        ...processor,
      },
      { retry: { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1 }, ...more },
    );
  };

  const start = (spec: JobSpec, more: object = {}): Promise<Run> =>
    newRun(api, { datasetId, jobSpecId: spec.id, ...more });

  /** No prompt was sent twice. */
  function expectNoRepeats(): void {
    const prompts = model.calls.map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
  }

  return { service, model, api, connection, datasetId, newLlmSpec, start, expectNoRepeats, specsMade: () => specs };
}
