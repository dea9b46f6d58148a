import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LlmConfig } from "./llm-config.ts";
import { createBench, createTestBudget, newConnection, SECRET } from "./llm-testing.ts";
import type { Bench } from "./llm-testing.ts";

/** Against a server that was written by others, in the ways of OpenAI and of Anthropic. */
const provider = new LLMock({ port: 0, logLevel: "silent" });
let bench: Bench;

beforeAll(() => provider.start());
afterAll(() => provider.stop());

const prices = {
  models: {
    "gpt-test": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" },
    "*": { inputUsdPerMillionTokens: "3", outputUsdPerMillionTokens: "15" },
  },
};

beforeEach(() => {
  provider.reset();
  bench = createBench([new URL(provider.url).origin]);
  bench.connections.set("conn_openai", newConnection("conn_openai", `${provider.url}/v1`, { prices }));
  bench.connections.set(
    "conn_claude",
    newConnection("conn_claude", `${provider.url}/v1`, { type: "anthropic", prices }),
  );
});
afterEach(() => bench.close());

const schema = {
  type: "object",
  properties: { label: { enum: ["pos", "neg"] } },
  required: ["label"],
  additionalProperties: false,
};

const openai: LlmConfig = {
  type: "llm",
  connection: "conn_openai",
  model: "gpt-test",
  messages: [
    { role: "system", content: "You label reviews." },
    { role: "user", content: "Label this review: {{row.review}}" },
  ],
};
const claude: LlmConfig = { ...openai, connection: "conn_claude", model: "claude-sonnet-4-5" };
const row = { review: "Lovely, and it works." };
const usage = { prompt_tokens: 100, completion_tokens: 20, input_tokens: 100, output_tokens: 20 };

describe.each([
  ["openai_compatible", openai],
  ["anthropic", claude],
] as const)("at a provider of type %s", (type, config) => {
  test("a row is rendered, sent and completed, with its tokens, its cost and the provider's names", async () => {
    provider.onMessage("Label this review: Lovely, and it works.", {
      content: "It is positive.",
      usage,
      id: "answer-7",
    });
    const outcome = await bench.run(config, row);
    const costUsd = type === "anthropic" ? "0.0006" : "0.000065";
    expect(outcome).toEqual({
      ok: true,
      output: '{"text":"It is positive."}',
      usage: {
        inputTokens: 100,
        outputTokens: 20,
        requests: 1,
        costUsd,
        calls: [
          {
            connectionId: config.connection,
            model: config.model,
            reportedModel: config.model,
            requestId: expect.any(String) as string,
            inputTokens: 100,
            outputTokens: 20,
            costUsd,
          },
        ],
      },
    });
    expect(provider.getLastRequest()?.body).toMatchObject({ model: config.model });
    expect(bench.settled).toMatchObject([
      { model: config.model, connection: { id: config.connection }, end: { outcome: "responded", tokens: 120 } },
    ]);
  });

  test("with a schema the response is the JSON value that fits it", async () => {
    provider.onMessage("Label this review", { content: '```json\n{"label": "pos"}\n```', usage });
    const outcome = await bench.run({ ...config, outputSchema: schema }, row);
    expect(outcome).toMatchObject({ ok: true, output: '{"label":"pos"}' });
  });

  test("a response that does not fit is sent back with what is wrong, and the repaired one is taken", async () => {
    provider.onMessage("Label this review", { content: '{"label": "good"}', usage });
    provider.onMessage("This answer cannot be used", { content: '{"label": "pos"}', usage });
    const outcome = await bench.run({ ...config, outputSchema: schema }, row);
    expect(outcome).toMatchObject({
      ok: true,
      output: '{"label":"pos"}',
      usage: { requests: 2, inputTokens: 200, outputTokens: 40 },
    });
    expect(JSON.stringify(provider.getLastRequest()?.body)).toContain("must be equal to one of the allowed values");
  });

  test("a response that never fits fails the row, and what was paid for it is reported", async () => {
    provider.onMessage(/./, { content: '{"label": "good"}', usage });
    expect(await bench.run({ ...config, outputSchema: schema, repairAttempts: 2 }, row)).toMatchObject({
      ok: false,
      failure: { code: "output_schema_invalid", details: { path: "/label" } },
      usage: { requests: 3, inputTokens: 300 },
    });
    provider.reset();
    provider.onMessage(/./, { content: "I think it is positive.", usage });
    expect(await bench.run({ ...config, outputSchema: schema, repairAttempts: 0 }, row)).toMatchObject({
      ok: false,
      failure: { code: "output_not_json", details: { answer: "I think it is positive." } },
      usage: { requests: 1 },
    });
  });

  test("a response that ended at its limit is truncated, one that was refused is refused", async () => {
    provider.onMessage(/./, { content: "It is", usage, finishReason: "length" });
    expect(await bench.run(config, row)).toMatchObject({ ok: false, failure: { code: "output_truncated" } });
    provider.reset();
    const finishReason = type === "anthropic" ? "refusal" : "content_filter";
    provider.onMessage(/./, { content: "I will not.", usage, finishReason });
    expect(await bench.run(config, row)).toMatchObject({ ok: false, failure: { code: "refused" } });
  });

  test.each([
    [429, "rate_limit_error", "provider_rate_limited"],
    [500, "api_error", "provider_error"],
    [529, "overloaded_error", "provider_overloaded"],
    [401, "authentication_error", "provider_auth_failed"],
  ])("a response of status %i is reported to the row and to the limiter", async (status, kind, code) => {
    provider.nextRequestError(status, { message: `no ${SECRET} today`, type: kind });
    const outcome = await bench.run(config, row);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code, message: `The provider responded with ${status}: no [secret] today` },
      usage: { requests: 1, costUsd: "0", calls: [{ code }] },
    });
    expect(bench.settled[0]?.end.outcome).toBe({ 429: "rate_limited", 529: "overloaded" }[status] ?? "failed");
  });

  test("a fallback is called when the provider fails, not when the completion does", async () => {
    const fallbacks = [{ connection: type === "anthropic" ? "conn_openai" : "conn_claude", model: "other-model" }];
    provider.nextRequestError(503, { message: "busy" });
    provider.onMessage("Label this review", { content: "positive", usage });
    const outcome = await bench.run({ ...config, fallbacks }, row);
    expect(outcome).toMatchObject({
      ok: true,
      output: '{"text":"positive"}',
      usage: { requests: 2, calls: [{ code: "provider_overloaded" }, { model: "other-model" }] },
    });
    provider.reset();
    provider.onMessage(/./, { content: "It is", usage, finishReason: "length" });
    expect(await bench.run({ ...config, fallbacks }, row)).toMatchObject({
      failure: { code: "output_truncated" },
      usage: { requests: 1 },
    });
  });

  test("chaos of the provider never becomes an error of the service", async () => {
    provider.onMessage(/./, { content: '{"label":"pos"}', usage });
    provider.setChaos({ dropRate: 0.2, malformedRate: 0.3, disconnectRate: 0.3 });
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, () => bench.run({ ...config, outputSchema: schema }, row)),
    );
    provider.clearChaos();
    const codes = new Set(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.failure.code)));
    expect(codes).toContain("ok");
    for (const code of codes) expect(["ok", "provider_error", "network_error"]).toContain(code);
    expect(bench.settled).toHaveLength(60);
  });

  test("the request can be had without a call, and a stored response be read", async () => {
    const step = await bench.prepare({ ...config, outputSchema: schema });
    const inFlight = { index: 0, text: JSON.stringify(row) };
    const captured = await step.captureRequest(inFlight);
    expect(provider.getRequests()).toEqual([]);
    if (!captured.ok) throw new Error(captured.failure.message);
    const { request } = captured;
    expect(JSON.stringify(request)).not.toContain(SECRET);

    provider.onMessage("Label this review", { content: '{"label": "neg"}', usage });
    const live = await fetch(request.url, { method: "POST", headers: request.headers, body: request.body });
    const stored = { status: live.status, headers: Object.fromEntries(live.headers), body: await live.text() };
    expect(await step.interpretResponse(inFlight, stored)).toMatchObject({
      ok: true,
      output: '{"label":"neg"}',
      usage: { inputTokens: 100, outputTokens: 20, requests: 1 },
    });
    const refused = {
      status: 400,
      headers: {},
      body: '{"error":{"type":"invalid_request_error","message":"prompt is too long"}}',
    };
    expect(await step.interpretResponse(inFlight, refused)).toMatchObject({
      ok: false,
      failure: { code: "context_length_exceeded" },
    });
    expect(bench.settled).toEqual([]);
  });
});

test("a budget is asked before a call, and learns what the call has cost", async () => {
  provider.onMessage(/./, { content: "fine", usage });
  bench.budget = createTestBudget("1");
  await bench.run({ ...openai, parameters: { maxOutputTokens: 1_000 } }, row);
  expect(bench.budget.settled).toEqual(["0.000065"]);
  expect(Number(bench.budget.reserved[0])).toBeGreaterThan(0.002);
  expect(bench.budget.left()).toBe("0.999935");
});
