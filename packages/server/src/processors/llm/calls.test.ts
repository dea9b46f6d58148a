/** What a call carries, and what becomes of it. */
import { describe, expect, test } from "vitest";
import type { LlmConfig } from "./llm-config.ts";
import { completion, createTestBudget, messagesOf, newConnection, SECRET } from "./llm-testing.ts";
import { callsOfEachTest, config, row, schema } from "./calls-testing.ts";

const calls = callsOfEachTest();

describe("a request", () => {
  test("carries what the job spec says, and nothing of the SDK's", async () => {
    await calls.bench.run(
      {
        ...config,
        outputSchema: schema,
        parameters: {
          maxOutputTokens: 9,
          temperature: 0.5,
          topP: 0.9,
          topK: 5,
          seed: 7,
          stopSequences: ["END"],
          presencePenalty: 1,
          frequencyPenalty: -1,
        },
      },
      row,
    );
    expect(calls.provider.seen[0]).toMatchObject({ path: "/v1/chat/completions" });
    expect(calls.provider.seen[0]?.body).toEqual({
      model: "m",
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      seed: 7,
      stop: ["END"],
      presence_penalty: 1,
      frequency_penalty: -1,
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
      messages: [{ role: "user", content: "hello" }],
    });
    expect(calls.provider.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      "user-agent": "Rowmill/1",
    });
  });

  test("takes the connection of the moment: a rotated secret counts at once", async () => {
    const step = await calls.bench.prepare(config);
    const ask = () => step.processRows([{ index: 0, text: '{"text":"x"}' }], new AbortController().signal);
    await ask();
    calls.bench.connections.set("conn_a", newConnection("conn_a", `${calls.provider.origin}/v2`, { secret: "sk-new" }));
    await ask();
    expect(calls.provider.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v1/chat/completions", `Bearer ${SECRET}`],
      ["/v2/chat/completions", "Bearer sk-new"],
    ]);
  });

  test("of a connection without a secret has no Authorization header, whatever the environment holds", async () => {
    calls.bench.connections.set("conn_a", newConnection("conn_a", calls.provider.origin, { secret: null }));
    expect(await calls.bench.run(config, row)).toMatchObject({ ok: true });
    expect(calls.provider.seen[0]?.headers.authorization).toBeUndefined();
    calls.bench.connections.set(
      "conn_claude",
      newConnection("conn_claude", calls.provider.origin, { type: "anthropic", secret: null }),
    );
    expect(await calls.bench.run({ ...config, connection: "conn_claude" }, row)).toMatchObject({
      ok: false,
      failure: { code: "secret_missing" },
    });
    expect(calls.provider.seen).toHaveLength(1);
  });

  test("names images as each provider takes them", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAA";
    const withImages: LlmConfig = {
      ...config,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image", url: "{{row.url}}" },
            { type: "image", base64: "{{row.png}}" },
          ],
        },
      ],
    };
    const images = { url: `${calls.provider.origin}/a.png`, png };
    await calls.bench.run(withImages, images);
    expect(messagesOf(calls.provider.seen[0])[0]?.content).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: images.url } },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ]);
    await calls.bench.run({ ...withImages, connection: "conn_claude" }, images);
    expect(messagesOf(calls.provider.seen[1])[0]?.content).toMatchObject([
      { type: "text" },
      { type: "image", source: { type: "url", url: images.url } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ]);
    // Nobody but the provider fetches an image, and no provider is sent to where connections must not go.
    expect(await calls.bench.run(withImages, { url: "http://169.254.169.254/latest", png })).toMatchObject({
      failure: { code: "egress_denied" },
    });
    expect(calls.provider.seen).toHaveLength(2);
  });
});

describe("a connection", () => {
  test("that is gone, or whose address may not be called, fails the row without a call", async () => {
    expect(await calls.bench.run({ ...config, connection: "conn_gone" }, row)).toMatchObject({
      failure: { code: "secret_missing" },
    });
    calls.bench.connections.set("conn_a", newConnection("conn_a", "http://10.0.0.1/v1"));
    const outcome = await calls.bench.run(config, row);
    expect(outcome).toMatchObject({ failure: { code: "egress_denied" }, usage: { requests: 0, costUsd: "0" } });
  });

  test("that refuses to be opened is a network error, for which nothing is paid", async () => {
    calls.bench.budget = createTestBudget("1");
    const outcome = await calls.bench.run({ ...config, connection: "conn_dead" }, row);
    expect(outcome).toMatchObject({ failure: { code: "network_error" }, usage: { requests: 0, costUsd: "0" } });
    expect(calls.bench.budget.left()).toBe("1");
    expect(calls.bench.settled[0]?.end).toEqual({ outcome: "failed", tokens: 0 });
  });
});

describe("fallbacks", () => {
  test("are asked one after the other; the failure that may pass is the one that is reported", async () => {
    calls.respond = (_, number) => ({ status: number === 1 ? 401 : 503, body: { error: { message: "no" } } });
    const outcome = await calls.bench.run(
      { ...config, fallbacks: [{ model: "n" }, { connection: "conn_gone", model: "o" }] },
      row,
    );
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: "provider_overloaded",
        details: { others: [{ code: "provider_auth_failed" }, { code: "secret_missing" }] },
      },
      usage: { requests: 2 },
    });
    expect(calls.provider.seen.map(({ body }) => body["model"])).toEqual(["m", "n"]);
  });
});

test("what the provider says of its limits is passed on", async () => {
  calls.respond = () => ({
    ...completion("fine"),
    headers: {
      "x-ratelimit-limit-requests": "600",
      "x-ratelimit-remaining-requests": "599",
      "x-ratelimit-reset-requests": "100ms",
      "x-ratelimit-limit-tokens": "90000",
      "x-ratelimit-remaining-tokens": "89000",
      "x-ratelimit-reset-tokens": "666ms",
    },
  });
  await calls.bench.run(config, row);
  expect(calls.bench.settled[0]?.end).toMatchObject({
    outcome: "responded",
    tokens: 120,
    learned: { requestsPerMinute: 600, remainingRequests: 599, tokensPerMinute: 90_000 },
  });
  calls.respond = () => ({ status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow down" } } });
  expect(await calls.bench.run(config, row)).toMatchObject({ failure: { retryAfterMs: 7_000 } });
  expect(calls.bench.settled[1]?.end).toMatchObject({ outcome: "rate_limited", retryAfterMs: 7_000 });
});

test("a step can say what a row would take", async () => {
  const step = await calls.bench.prepare({ ...config, parameters: { maxOutputTokens: 100 } });
  const inFlight = { index: 0, text: JSON.stringify({ text: "x".repeat(4_000) }) };
  expect(await step.estimate(inFlight)).toEqual({
    ok: true,
    inputTokens: { low: 800, high: 2_008 },
    outputTokens: { low: 1, high: 100 },
    costUsd: { low: "0.000801", high: "0.002108" },
  });
  expect(await step.estimate({ index: 1, text: "{}" })).toMatchObject({
    ok: false,
    failure: { code: "template_error" },
  });
  expect(calls.provider.seen).toEqual([]);
});

test("rows with the same question have the same cache key, others have not", async () => {
  const keyOf = async (changed: Partial<LlmConfig>, text: unknown) =>
    (await calls.bench.prepare({ ...config, ...changed })).cacheKeyOf?.({ index: 0, text: JSON.stringify(text) });
  const key = await keyOf({}, { text: "a", unused: 1 });
  expect(await keyOf({ repairAttempts: 1 }, { text: "a", unused: 2 })).toBe(key);
  const others = await Promise.all([
    keyOf({}, { text: "b" }),
    keyOf({ model: "n" }, { text: "a" }),
    keyOf({ connection: "conn_claude" }, { text: "a" }),
    keyOf({ parameters: { temperature: 0 } }, { text: "a" }),
    keyOf({ outputSchema: schema }, { text: "a" }),
    keyOf({ repairAttempts: 0 }, { text: "a" }),
    keyOf({ fallbacks: [{ model: "n" }] }, { text: "a" }),
    keyOf({ messages: [{ role: "system", content: "s" }, ...config.messages] }, { text: "a" }),
  ]);
  expect(new Set([key, ...others]).size).toBe(others.length + 1);
  expect(await keyOf({}, {})).toBeUndefined();
});

describe("a job spec is refused", () => {
  test.each<[Partial<LlmConfig>, string[]]>([
    [{}, []],
    [{ connection: "conn_gone" }, ["/connection: There is no connection conn_gone."]],
    [
      { connection: "conn_http" },
      ["/connection: The connection is of type http; a model needs one of type openai_compatible or anthropic."],
    ],
    [
      { fallbacks: [{ model: "n" }, { connection: "conn_http", model: "o" }] },
      [
        "/fallbacks/1/connection: The connection is of type http; a model needs one of type openai_compatible or anthropic.",
      ],
    ],
    [
      { connection: "conn_claude", parameters: { seed: 1, temperature: 1.5 } },
      [
        "/parameters/seed: A connection of type anthropic takes no seed.",
        "/parameters/temperature: A connection of type anthropic takes a temperature of at most 1.",
      ],
    ],
    [{ outputSchema: true }, []],
  ])("for %j", async (changed, problems) => {
    expect(await calls.bench.findProblems({ ...config, ...changed })).toEqual(problems);
  });

  test("for a schema that does not compile, and for templates", async () => {
    const problems = await calls.bench.findProblems({
      ...config,
      messages: [{ role: "user", content: "{{row.a" }],
      outputSchema: { type: "objekt" },
    });
    expect(problems).toEqual([
      expect.stringContaining("/messages/0/content: Character 1:") as string,
      expect.stringContaining("/outputSchema/type: The schema does not compile") as string,
    ]);
  });
});
