/** Dry runs with a provider of the test file. */
import { cleanUpLater } from "../../testing/cleanup.ts";
import { expect, vi } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import type { Scope } from "@rowmill/contract/run-rows";
import type { Run } from "@rowmill/contract/runs";
import { completion, startOddProvider } from "../../processors/llm/llm-testing.ts";
import { expectStatus } from "../../testing/api.ts";
import { newDataset } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { readAll } from "./runs-testing.ts";

export const RESPONSE_TOKENS = 70;

/** Each has 300 characters of text. */
export const reviews = (count: number) => Array.from({ length: count }, (_, n) => ({ n, review: "word ".repeat(60) }));

export const prices = { models: { small: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "10" } } };

export const llm = (connection: Connection, more: object = {}) => ({
  type: "llm" as const,
  connection: connection.id,
  model: "small",
  messages: [{ role: "user" as const, content: "Label this: {{row.review}}" }],
  ...more,
});

export interface Asked {
  datasetId?: string;
  jobSpecId: string;
  scope?: Scope;
  [option: string]: unknown;
}

/** A sample ends after ten seconds, which are over on a busy machine before all of it is read: while `work` goes on, no time passes here. */
export async function withoutTime<T>(work: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** A service with a dataset, and a provider that counts what it is asked. */
export async function startEstimateService() {
  const provider = await startOddProvider(() =>
    completion('{"label":"good"}', { usage: { prompt_tokens: 100, completion_tokens: RESPONSE_TOKENS } }),
  );
  const service = await startTestService({
    ROWMILL_CHUNK_ROWS: "7",
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: provider.origin,
  });
  const { api, organizationId } = await service.newOrganization();
  const dataset = await newDataset(api, reviews(60));
  cleanUpLater(() => provider.close());

  async function newConnection(more: object = {}, as = api): Promise<Connection> {
    const body = { type: "openai_compatible", name: "Next door", baseUrl: `${provider.origin}/v1`, prices, ...more };
    const created = await as<Connection>("POST", "/v1/connections", { body });
    expectStatus(created, 201);
    return created.body;
  }

  async function estimate(body: Asked, as = api): Promise<RunEstimate> {
    const response = await withoutTime(() =>
      as<RunEstimate>("POST", "/v1/runs", {
        body: { datasetId: dataset.id, scope: { type: "all" }, dryRun: true, ...body },
      }),
    );
    expectStatus(response, 200);
    expect(response.headers["location"]).toBeUndefined();
    return response.body;
  }

  const listRuns = () => readAll<Run>(api, "/v1/runs");
  return { provider, service, api, organizationId, dataset, newConnection, estimate, listRuns };
}
