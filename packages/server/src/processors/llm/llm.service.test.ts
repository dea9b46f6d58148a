/** The processor as a customer meets it: connections, job specs and their test, over HTTP. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newJobSpec } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import type { LlmConfig } from "./llm-config.ts";

const provider = new LLMock({ port: 0, logLevel: "silent" });
let service: TestService;
let api: Api;
let connection: Connection;

beforeAll(async () => {
  await provider.start();
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: new URL(provider.url).origin });
  ({ api } = await service.newOrganization());
  connection = await newConnection(api);
});
afterAll(() => provider.stop());
beforeEach(() => provider.reset());

async function newConnection(as: Api): Promise<Connection> {
  const body = {
    type: "openai_compatible",
    name: "A model next door",
    baseUrl: `${provider.url}/v1`,
    secret: "sk-secret-of-the-connection",
    prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
  };
  const created = await as<Connection>("POST", "/v1/connections", { body });
  expectStatus(created, 201);
  return created.body;
}

const processor = (more: Partial<LlmConfig> = {}): LlmConfig => ({
  type: "llm",
  connection: connection.id,
  model: "gpt-5-mini",
  messages: [{ role: "user", content: "Label this review: {{row.review | truncate: 4000}}" }],
  outputSchema: {
    type: "object",
    additionalProperties: false,
    required: ["label"],
    properties: { label: { enum: ["positive", "negative"] } },
  },
  ...more,
});

test("a test of a job spec returns outputs, failures, and what they have cost", async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
  provider.onMessage("Lovely", { content: '{"label":"positive"}', usage });
  provider.onMessage(/./, { content: "no idea", usage });
  const spec = await newJobSpec(api, processor());
  const rows = [{ review: "Lovely, and it works." }, { review: "Hm." }, { text: "Nothing to label." }];
  const tested = await api("POST", `/v1/job-specs/${spec.id}/test`, { body: { rows } });
  expectStatus(tested, 200);
  expect(tested.body).toMatchObject({
    outputs: [{ index: 0, data: { label: "positive" }, usage: { costUsd: "0.00045" } }],
    failures: [
      { index: 1, code: "output_not_json", details: { answer: "no idea" } },
      { index: 2, code: "template_error", details: { path: "row.review" } },
    ],
    totals: { requests: 3, inputTokens: 3_000, outputTokens: 300, costUsd: "0.00135" },
  });
  expect(JSON.stringify(tested.body)).not.toContain("sk-secret");
});

test("a model is sent a schema with every digit, and its outputs are checked by them", async () => {
  provider.onMessage("first", { content: '{"id":9223372036854775807}' });
  provider.onMessage(/./, { content: '{"id":9223372036854775808}' });
  const outputSchema = '{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}';
  const config = JSON.stringify({ ...processor({ outputSchema: {}, repairAttempts: 0 }) });
  const spec = await api("POST", "/v1/job-specs", {
    body: `{"name":"Ids","processor":${config.replace('"outputSchema":{}', `"outputSchema":${outputSchema}`)}}`,
  });
  expectStatus(spec, 201);
  const body = { rows: [{ review: "first" }, { review: "second" }], details: true };
  const tested = await api("POST", `/v1/job-specs/${spec.body.id}/test`, { body });
  expectStatus(tested, 200);
  expect(tested.text).toContain('"data":{"id":9223372036854775807}');
  expect(tested.body).toMatchObject({
    outputs: [{ index: 0 }],
    failures: [{ index: 1, code: "output_schema_invalid" }],
  });
  expect(tested.text.replaceAll("\\", "")).toContain('"maximum":9223372036854775807');
});

test("a job spec names what is wrong with it, and no connection of another organization", async () => {
  const stranger = await service.newOrganization();
  const body = {
    name: "Labels",
    processor: processor({
      connection: (await newConnection(stranger.api)).id,
      messages: [{ role: "user", content: "{{rwo.review}}" }],
    }),
  };
  const refused = await api("POST", "/v1/job-specs", { body });
  expectStatus(refused, 422);
  expect(refused.body).toMatchObject({
    error: {
      code: "job_spec_invalid",
      details: [
        { path: "/processor/connection", message: expect.stringContaining("There is no connection") as string },
        { path: "/processor/messages/0/content", message: expect.stringContaining("Character 1:") as string },
      ],
    },
  });
});
