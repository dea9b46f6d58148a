/** What tests of batches share: a run whose rows go to a provider of the test's own. */
import type { Connection } from "@rowmill/contract/connections";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Execution } from "@rowmill/contract/job-spec-policies";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import type { BatchProvider } from "../../testing/batch-provider.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";

export type Style = "openai" | "anthropic";
const MODEL = "test-model";

/** A million tokens cost a dollar in real time, and half of it in batches: a row of 15 tokens 15 or 7.5 millionths. */
export const ROW_USD = { realTime: 0.000015, batch: 0.0000075 };

export async function newModelConnection(api: Api, provider: BatchProvider, style: Style): Promise<Connection> {
  const created = await api<Connection>("POST", "/v1/connections", {
    body: {
      name: "Test provider",
      type: style === "openai" ? "openai_compatible" : "anthropic",
      baseUrl: provider.baseUrl,
      secret: "sk-test-secret-of-the-provider",
      prices: {
        models: {
          [MODEL]: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1", batchDiscountPercent: 50 },
        },
      },
    },
  });
  expectStatus(created, 201);
  return created.body;
}

export interface BatchRunOptions {
  rows?: number | object[];
  style?: Style;
  execution?: Execution;
  /** Further members of the processor, of the job spec, of the run. */
  processor?: Record<string, unknown>;
  spec?: Record<string, unknown>;
  run?: Record<string, unknown>;
}

/** Every row asks for the text of its `n`, and gets it. */
export async function newBatchRun(
  api: Api,
  provider: BatchProvider,
  { rows = 50, style = "openai", execution, processor = {}, spec = {}, run = {} }: BatchRunOptions = {},
): Promise<{ run: Run; spec: JobSpec; connection: Connection }> {
  const connection = await newModelConnection(api, provider, style);
  const dataset = await newDataset(api, typeof rows === "number" ? numberedRows(rows) : rows);
  const jobSpec = await newJobSpec(
    api,
    {
      type: "llm",
      connection: connection.id,
      model: MODEL,
      messages: [{ role: "user", content: "{{row.n}}" }],
      parameters: { maxOutputTokens: 100 },
      ...processor,
    },
    { execution: execution ?? { mode: "provider_batch" }, retry: { initialDelayMs: 10 }, ...spec },
  );
  return {
    run: await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id, ...run }),
    spec: jobSpec,
    connection,
  };
}
